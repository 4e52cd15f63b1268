# C types of playing_deal.py, which also runs uncompiled.
cimport cython

cdef unsigned long long _ALL, _GOLDEN, _MIX_1, _MIX_2, _PICTURES
cdef int _NO_CARD, _KEEP_RENSHO, _KEEP_MASTER, _VOID_WORTH, _FRESH_PICTURES, _PICTURE, _CHANCE, _FREE

cdef unsigned long long _mixed(unsigned long long z) noexcept
@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept
@cython.locals(follow=cython.ulonglong)
cdef unsigned long long _allowed(unsigned long long hand, unsigned long long led, unsigned long long free) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class PlayoutDeal:
    # By card: its suit, and the cards that beat it.
    cdef unsigned long long suit[53]
    cdef unsigned long long above[53]
    # Later worth of a card, in thousandths of a picture.
    cdef int keep[53]
    cdef unsigned long long trumps, rensho
    cdef int policy
    # The position every playout starts from.
    cdef unsigned long long hands_0[4]
    cdef unsigned long long free, led_0, trick_0
    cdef int cards_0, turn_0, taken_0, size_0, best_0, winner_0
    # The current state of the deal.
    cdef unsigned long long hands[4]
    cdef unsigned long long led, trick, chance
    cdef int turn, taken, size, best, winner
    # The card played last.
    cdef int card
    # Playouts by the pictures of side 0.
    cdef long long tally[17]

    @cython.locals(player=cython.int)
    cdef void _begin(self) noexcept
    cdef void _start(self, long long number, unsigned long long seed) noexcept
    @cython.locals(pictures=cython.int, i=cython.longlong, until=cython.longlong)
    cdef void _run(self, int index, long long first, long long n, unsigned long long seed) noexcept
    @cython.locals(chance=cython.ulonglong, free=cython.ulonglong, turn=cython.int, taken=cython.int,
                   size=cython.int, led=cython.ulonglong, trick=cython.ulonglong, best=cython.int,
                   winner=cython.int, card=cython.int, hand=cython.ulonglong, legal=cython.ulonglong,
                   n=cython.int, pick=cython.ulonglong, bit=cython.ulonglong)
    cdef void _advance(self, int index, int cards) noexcept
    @cython.locals(legal=cython.ulonglong)
    cdef void _play_on(self, int index, int cards) noexcept
    @cython.locals(pick=cython.ulonglong)
    cdef unsigned long long _pick(self, unsigned long long legal) noexcept
    @cython.locals(card=cython.int)
    cdef void _play_card(self, unsigned long long bit) noexcept
    @cython.locals(other_cards=cython.ulonglong, distinct=cython.ulonglong, previous=cython.ulonglong,
                   bit=cython.ulonglong, both=cython.ulonglong)
    cdef unsigned long long _distinct(self, unsigned long long legal) noexcept
    @cython.locals(hand=cython.ulonglong, in_hands=cython.ulonglong, other_hands=cython.ulonglong, fresh=cython.int,
                   chosen=cython.ulonglong, most=cython.int, bit=cython.ulonglong,
                   card=cython.int, suit=cython.ulonglong, worth=cython.int)
    cdef unsigned long long _best_card(self, unsigned long long legal) noexcept
    @cython.locals(turn=cython.int, led=cython.ulonglong, best=cython.int, side=cython.int, holder=cython.int,
                   pictures=cython.int, last=cython.int, k=cython.int, seat=cython.int,
                   legal=cython.ulonglong, beating=cython.ulonglong, plain=cython.ulonglong,
                   cut=cython.ulonglong, taking=cython.ulonglong, price=cython.int)
    cdef int _trick_worth(self, int card, unsigned long long bit, int fresh) noexcept
