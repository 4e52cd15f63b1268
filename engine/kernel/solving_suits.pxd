# C types of solving_suits.py, which also runs uncompiled.
cimport cython

# C of cache_line.py, which does nothing in plain Python. It is declared here because a macro cannot be
# compiled as a module.
cdef extern from *:
    """
    #define rensho_fetch(word) __builtin_prefetch(&(word))
    """
    void fetch "rensho_fetch"(unsigned long long word) noexcept

cdef const unsigned long long _LANE, _OWNERS
cdef const int _SUIT, _ABSENT
cdef unsigned long long _PICTURES


@cython.auto_pickle(False)
@cython.final
cdef class Suits:
    # The position: cards by player, and special cards.
    cdef unsigned long long own[4]
    cdef unsigned long long all_cards, pictures, rensho, free
    cdef int rensho_holder, rensho_lane
    # By card of the pack, and by player.
    cdef int numbers[52]
    cdef unsigned long long first[4]
    # By lane and its cards left.
    cdef unsigned long long words[32768]
    cdef unsigned short tops[32768]

    @cython.locals(index=cython.int, player=cython.int, trump=cython.int, rensho=cython.int, lane=cython.int,
                   suit=cython.int, card=cython.int, unit=cython.ulonglong)
    cpdef void load(self, object position)
    @cython.locals(unit=cython.ulonglong, card=cython.int)
    cpdef void keep(self, unsigned long long cards)
    @cython.locals(number=cython.int, lane=cython.int, tops=cython.ulonglong, other=cython.int)
    cdef int same_run(self, int player, int card) noexcept
    @cython.locals(player=cython.int)
    cdef void _reset(self) noexcept
    @cython.locals(left=cython.ulonglong, number=cython.int, card=cython.int, player=cython.int, bit=cython.ulonglong, _=cython.int)
    cdef int _number_cards(self, int lane, int suit, int rensho) noexcept
    @cython.locals(start=cython.ulonglong, pictures=cython.ulonglong, end=cython.ulonglong, bit=cython.ulonglong,
                   owner=cython.ulonglong, same=cython.ulonglong, unit=cython.ulonglong, word=cython.ulonglong,
                   lower=cython.ulonglong, lower_word=cython.ulonglong)
    cdef void _fill(self, int lane, int cards) noexcept
