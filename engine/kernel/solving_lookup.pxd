# C types of solving_lookup.py, which also runs uncompiled.
cimport cython

from engine.kernel.solving_suits cimport Suits
from engine.kernel.solving_table cimport TranspositionTable

cdef const unsigned long long _LANE, _OWNERS
cdef const unsigned long long _BUT_1, _BUT_2, _BUT_4, _BUT_8
cdef const int _SUIT

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept
cdef unsigned long long _nth(unsigned long long lane, int n) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Lookup:
    cdef Suits suits
    cdef TranspositionTable table
    cdef unsigned long long locations[16]
    cdef unsigned long long lengths[16]
    cdef unsigned long long pictures_key[16]
    cdef unsigned long long low_owners[16]
    cdef unsigned long long high_owners[16]

    @cython.locals(first=cython.ulonglong, second=cython.ulonglong, third=cython.ulonglong, fourth=cython.ulonglong,
                   left_to_play=cython.ulonglong, lead=cython.ulonglong, holder=cython.ulonglong,
                   lengths=cython.ulonglong, pictures_key=cython.ulonglong, before=cython.ulonglong)
    cdef void prepare(self, int number, unsigned long long left, int player, int tricks, int taken) noexcept
    cdef unsigned long long probe(self, int number, int need) noexcept
    @cython.locals(cards=cython.ulonglong)
    cdef unsigned long long lowest(self, unsigned long long left, unsigned long long depths) noexcept
    @cython.locals(depths=cython.ulonglong)
    cdef unsigned long long depths(self, unsigned long long left, unsigned long long cards) noexcept
    cdef unsigned long long down_to(self, unsigned long long cards) noexcept
