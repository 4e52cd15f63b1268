# C types of solving_order.py, which is plain Python without them.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef const unsigned long long _LANE
cdef const int _SUIT, _FEATURES, _CONTEXTS, _LEAD_FEATURES, _LEAD_CONTEXTS, _FIRST_FOLLOWING
cdef const int _MANY, _TRIED, _SAME_SUIT

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Order:
    cdef Suits suits
    cdef int is_scored
    cdef int weights[2048]
    cdef unsigned long long cards[1024]
    cdef int keys[1024]
    cdef int strongest[256]

    @cython.locals(back=cython.int, other=cython.int)
    cdef void begin(self, unsigned long long left, int place, int size, int lane, int tricks) noexcept
    @cython.locals(suit=cython.int, back=cython.int, other=cython.int, pictures=cython.int, share=cython.int, wanted=cython.int,
                   in_trick=cython.int, power=cython.int, is_picture=cython.int, count=cython.int,
                   cards=cython.ulonglong)
    cdef int scored(self, unsigned long long legal, unsigned long long left, int place, int size,
                      unsigned long long trick, unsigned long long best, int winner, int lane, int need,
                      int tricks, int at) noexcept
    @cython.locals(suit=cython.ulonglong, index=cython.int)
    cdef void failed(self, int at, int count, unsigned long long card) noexcept
    @cython.locals(best=cython.int, index=cython.int, key=cython.int)
    cdef unsigned long long next(self, int at, int count) noexcept
    @cython.locals(in_suit=cython.ulonglong, pictures=cython.ulonglong, rensho=cython.ulonglong, own=cython.ulonglong,
                   after=cython.int, before=cython.int, partner=cython.int, of_partner=cython.ulonglong, of_others=cython.ulonglong, word=cython.ulonglong,
                   own_length=cython.int, partner_length=cython.int, after_length=cython.int, before_length=cython.int,
                   own_pictures=cython.int, partner_pictures=cython.int, other_pictures=cython.int, strongest=cython.int,
                   many=cython.int, rows=cython.int, features=cython.int, last=cython.int, of_suit=cython.int, card=cython.ulonglong, is_picture=cython.int, power=cython.int,
                   ahead=cython.int, best_power=cython.int, now_ahead=cython.int, place_after=cython.int,
                   strength=cython.int, taken=cython.int, row=cython.int, higher=cython.ulonglong, score=cython.int, _=cython.int)
    cdef int _score_suit(self, unsigned long long cards, int suit, unsigned long long left, int place, int size,
                         int in_trick, int trick_power, int winner, int lane, int wanted, int share, int tricks, int at,
                         int count) noexcept
    @cython.locals(trumps=cython.ulonglong, after=cython.int, before=cython.int, partner=cython.int,
                   after_length=cython.int, before_length=cython.int, after_trumps=cython.int, before_trumps=cython.int,
                   partner_trumps=cython.int, partner_length=cython.int, of_others=cython.ulonglong, owner=cython.int,
                   score=cython.int)
    cdef int _lead_score(self, unsigned long long left, int suit, unsigned long long word, int place, int wanted,
                         int row) noexcept
    @cython.locals(suit=cython.ulonglong, legal=cython.ulonglong, best=cython.ulonglong, found=cython.int)
    cdef int _strongest(self, unsigned long long hand, int lane) noexcept
    @cython.locals(number=cython.int)
    cdef int _power(self, unsigned long long card, int lane) noexcept
    cdef int _lane(self, unsigned long long card) noexcept
