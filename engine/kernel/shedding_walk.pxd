# C types of shedding_walk.py, which also runs uncompiled.
cimport cython

from engine.kernel.shedding_deal cimport SheddingDeal

cdef int _EXCHANGES, _PASS_LIKELIHOOD, _MAX_PASSES
cdef unsigned long long _ALL, _GOLDEN, _MIX_1, _MIX_2, _ONE, _THREE_ACES, _THREE_OF_CLUBS

cdef unsigned long long _mixed(unsigned long long z) noexcept
cdef unsigned long long _low(unsigned long long mask) noexcept
@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class DealWalk:
    cdef SheddingDeal deal
    cdef int seats
    # Cards that may be exchanged, with their location: a seat, or 9 plus the index in the box.
    cdef int size
    cdef int cards[48]
    cdef int location[48]
    # By seat: cards that fitted when it passed.
    cdef unsigned long long passed[144]
    cdef int passes[9]
    cdef unsigned long long chance
    # By action.
    cdef long long results[64]
    cdef long long totals[64]
    cdef long long margins[64]
    cdef long long squares[64]

    @cython.locals(deal=SheddingDeal, s=cython.int, remaining=cython.ulonglong, k=cython.int)
    cdef void _list_hidden_cards(self) noexcept
    @cython.locals(unlikely=cython.int, k=cython.int)
    cdef int _unlikely_passes(self, int s, unsigned long long hand) noexcept
    cdef unsigned long long _draw(self) noexcept
    @cython.locals(deal=SheddingDeal, i=cython.int, j=cython.int, s=cython.int, t=cython.int, a=cython.int, b=cython.int,
                   bits=cython.ulonglong, before=cython.int, after=cython.int)
    cdef void _try_exchange(self) noexcept
    @cython.locals(deal=SheddingDeal, seat=cython.int, i=cython.longlong, until=cython.longlong, index=cython.int,
                   margin=cython.longlong, _=cython.int)
    cdef void _run(self, int own, unsigned long long alive, long long first, long long n,
                   unsigned long long seed) noexcept
