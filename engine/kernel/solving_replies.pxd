# C types of solving_replies.py, which also runs uncompiled.
cimport cython

cdef const unsigned long long _WORD, _COMPARED, _CARD, _HAND_FACTOR, _BEST_FACTOR, _TURN_FACTOR, _PARTNER_FACTOR
cdef const int _BITS, _GENERATIONS


@cython.auto_pickle(False)
@cython.final
cdef class ReplyTable:
    cdef unsigned long long cards[16384]
    cdef unsigned long long generation

    @cython.locals(index=cython.int)
    cdef void clear(self) noexcept
    @cython.locals(mixed=cython.ulonglong, turn=cython.ulonglong)
    cdef unsigned long long key(self, unsigned long long hand, unsigned long long partners, int size,
                                unsigned long long best, int winner) noexcept
    cdef unsigned long long rough_key(self, unsigned long long hand, unsigned long long suit, int size,
                                      unsigned long long best, int winner) noexcept
    @cython.locals(noted=cython.ulonglong, card=cython.ulonglong)
    cdef unsigned long long card(self, unsigned long long key) noexcept
    cdef void note(self, unsigned long long key, unsigned long long number) noexcept
