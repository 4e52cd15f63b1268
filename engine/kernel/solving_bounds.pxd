# C types of solving_bounds.py, which is plain Python without them.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef const unsigned long long _YES, _DECIDED, _LANE

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept
cdef unsigned long long _nth(unsigned long long lane, int n) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Bounds:
    cdef Suits suits

    @cython.locals(sure_0=cython.int, sure_1=cython.int, holder=cython.int, trumps=cython.ulonglong, cards=cython.ulonglong,
                   lowest=cython.ulonglong, hands=cython.int, count=cython.int, mine=cython.ulonglong, side=cython.int,
                   card=cython.ulonglong)
    cdef unsigned long long sure(self, unsigned long long left, int place, int need, int pictures) noexcept
    @cython.locals(partner=cython.int, after=cython.int, before=cython.int, holder=cython.int, rounds=cython.int,
                   voids=cython.int, spare=cython.int, spare_pictures=cython.int, got=cython.int, cards=cython.ulonglong,
                   after_ruffs=cython.int, before_ruffs=cython.int, lane=cython.int, suit=cython.ulonglong,
                   mine=cython.ulonglong, length=cython.int, of_partner=cython.ulonglong, of_after=cython.ulonglong,
                   of_before=cython.ulonglong, in_suit=cython.ulonglong, partner_length=cython.int,
                   after_length=cython.int, before_length=cython.int, partner_pictures=cython.int, count=cython.int,
                   others=cython.ulonglong, in_all=cython.int, own_pictures=cython.int, low=cython.int, played=cython.int)
    cdef unsigned long long cash(self, unsigned long long left, int place, int need, int pictures) noexcept
