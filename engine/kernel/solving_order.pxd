# C types of solving_order.py, which is plain Python without them.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef unsigned long long _LANE
cdef int _SUIT, _FEATURES, _CONTEXTS, _LEAD_FEATURES, _LEAD_CONTEXTS, _FIRST_FOLLOWING
cdef int _BEST, _MANY, _UNSCORED, _SAME_SUIT

@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Order:
    cdef Suits suits
    cdef int is_scored
    cdef int weights[2048]
    cdef unsigned long long tried[1024]
    cdef int scores[1024]
    cdef int strongest[256]

    @cython.locals(back=cython.int, other=cython.int)
    cdef void begin(self, unsigned long long left, int place, int size, int lane, int tricks) noexcept
    @cython.locals(suit=cython.int, back=cython.int, other=cython.int, pictures=cython.int, share=cython.int, wanted=cython.int,
                   in_trick=cython.int, power=cython.int, is_picture=cython.int, count=cython.int,
                   card=cython.ulonglong, score=cython.int, index=cython.int)
    cdef int ordered(self, unsigned long long legal, unsigned long long left, int place, int size,
                      unsigned long long trick, unsigned long long best, int winner, int lane, int need,
                      unsigned long long hint, int tricks, int at) noexcept
    @cython.locals(count=cython.int, card=cython.ulonglong)
    cdef int _listed(self, unsigned long long legal, int at) noexcept
    @cython.locals(suit=cython.int, is_picture=cython.int, power=cython.int, ahead=cython.int, now_ahead=cython.int,
                   at=cython.int, place_after=cython.int, strength=cython.int, taken=cython.int, context=cython.int,
                   word=cython.ulonglong, after=cython.int, before=cython.int, partner=cython.int,
                   after_length=cython.int, before_length=cython.int, higher=cython.ulonglong,
                   lower_own=cython.ulonglong, of_others=cython.ulonglong, many=cython.int, score=cython.int, _=cython.int)
    cdef int _score(self, unsigned long long card, unsigned long long left, int place, int size, int in_trick,
                    int best_power, int winner, int lane, int wanted, int share, int tricks) noexcept
    @cython.locals(suit=cython.int, trumps=cython.ulonglong, word=cython.ulonglong, after=cython.int, before=cython.int,
                   partner=cython.int, after_length=cython.int, before_length=cython.int, after_trumps=cython.int,
                   before_trumps=cython.int, partner_trumps=cython.int, partner_length=cython.int, in_suit=cython.ulonglong,
                   higher=cython.ulonglong, lower=cython.ulonglong, of_others=cython.ulonglong, owner=cython.int,
                   score=cython.int)
    cdef int _lead_score(self, unsigned long long card, unsigned long long left, int place, int wanted, int at) noexcept
    @cython.locals(suit=cython.int, other=cython.int, card=cython.ulonglong, score=cython.int, place=cython.int)
    cdef void failed(self, int at, int index, int count) noexcept
    @cython.locals(suit=cython.ulonglong, legal=cython.ulonglong, best=cython.ulonglong, found=cython.int)
    cdef int _strongest(self, unsigned long long hand, int lane) noexcept
    @cython.locals(number=cython.int)
    cdef int _power(self, unsigned long long card, int lane) noexcept
    cdef int _lane(self, unsigned long long card) noexcept
