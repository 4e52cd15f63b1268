# C types of solving_suits.py, which is plain Python without them.
cimport cython

cdef const unsigned long long _LANE
cdef const int _SUIT

@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Suits:
    # The position: by place what it held at first, and what is special in it.
    cdef unsigned long long own[4]
    cdef unsigned long long all_cards, pictures, rensho, free
    cdef int rensho_holder, rensho_lane
    cdef readonly object number_of
    # By lane and what is left of it.
    cdef unsigned long long words[32768]
    cdef unsigned short tops[32768]

    @cython.locals(at=cython.int, card=cython.int, bit=cython.ulonglong, big=cython.ulonglong, owner=cython.ulonglong,
                   is_picture=cython.ulonglong, above=cython.ulonglong, word=cython.ulonglong, depth=cython.int,
                   is_top=cython.int, last=cython.ulonglong, pictures=cython.ulonglong, last_is_picture=cython.ulonglong)
    cdef void _fill(self, int lane, int cards) noexcept
