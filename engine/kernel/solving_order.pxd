# C types of solving_order.py, which also runs uncompiled.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef const unsigned long long _LANE
cdef const int _SUIT, _FEATURES, _CONTEXTS, _LEAD_FEATURES, _LEAD_CONTEXTS, _FIRST_FOLLOWING
cdef const int _MANY_TRICKS, _TRIED, _SAME_SUIT

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class MoveOrder:
    cdef Suits suits
    cdef int is_scored
    cdef int weights[2048]
    cdef unsigned long long cards[1024]
    cdef int keys[1024]
    cdef int strongest[256]

    @cython.locals(back=cython.int, other=cython.int)
    cdef void set_strongest(self, unsigned long long left, int player, int size, int lane, int tricks) noexcept
    @cython.locals(suit=cython.int, back=cython.int, other=cython.int, pictures=cython.int, share=cython.int, needed=cython.int,
                   in_trick=cython.int, power=cython.int, is_picture=cython.int, count=cython.int,
                   cards=cython.ulonglong)
    cdef int score_cards(self, unsigned long long legal, unsigned long long left, int player, int size,
                      unsigned long long trick, unsigned long long best, int winner, int lane, int need,
                      int tricks, int start) noexcept
    @cython.locals(suit=cython.ulonglong, index=cython.int)
    cdef void demote_suit(self, int start, int count, unsigned long long card) noexcept
    @cython.locals(best=cython.int, index=cython.int, key=cython.int)
    cdef unsigned long long next_card(self, int start, int count) noexcept
    @cython.locals(in_suit=cython.ulonglong, pictures=cython.ulonglong, rensho=cython.ulonglong, own=cython.ulonglong,
                   after=cython.int, before=cython.int, partner=cython.int, of_partner=cython.ulonglong, of_others=cython.ulonglong, word=cython.ulonglong,
                   own_length=cython.int, partner_length=cython.int, after_length=cython.int, before_length=cython.int,
                   own_pictures=cython.int, partner_pictures=cython.int, other_pictures=cython.int, strongest=cython.int,
                   many=cython.int, rows=cython.int, features=cython.int, last=cython.int, of_suit=cython.int, card=cython.ulonglong, is_picture=cython.int, power=cython.int,
                   ahead=cython.int, best_power=cython.int, now_ahead=cython.int, player_after=cython.int,
                   strength=cython.int, taken=cython.int, row=cython.int, higher=cython.ulonglong, score=cython.int, _=cython.int)
    cdef int _score_suit(self, unsigned long long cards, int suit, unsigned long long left, int player, int size,
                         int in_trick, int trick_power, int winner, int lane, int needed, int share, int tricks, int start,
                         int count) noexcept
    @cython.locals(trumps=cython.ulonglong, after=cython.int, before=cython.int, partner=cython.int,
                   after_length=cython.int, before_length=cython.int, after_trumps=cython.int, before_trumps=cython.int,
                   partner_trumps=cython.int, partner_length=cython.int, of_others=cython.ulonglong, owner=cython.int,
                   score=cython.int)
    cdef int _lead_score(self, unsigned long long left, int suit, unsigned long long word, int player, int needed,
                         int row) noexcept
    @cython.locals(suit=cython.ulonglong, legal=cython.ulonglong, best=cython.ulonglong, strength=cython.int)
    cdef int _strongest(self, unsigned long long hand, int lane) noexcept
    @cython.locals(number=cython.int)
    cdef int _power(self, unsigned long long card, int lane) noexcept
    cdef int _lane(self, unsigned long long card) noexcept
