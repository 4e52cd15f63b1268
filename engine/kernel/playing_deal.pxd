# C types of playing_deal.py, which is plain Python without them.
cimport cython

cdef unsigned long long _ALL, _GOLDEN, _MIX_1, _MIX_2, _PICTURES
cdef int _NO_CARD

cdef unsigned long long _mixed(unsigned long long z) noexcept
@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept
@cython.locals(follow=cython.ulonglong)
cdef unsigned long long _allowed(unsigned long long hand, unsigned long long led, unsigned long long free) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Deal:
    # By card: its suit, and the cards that beat it.
    cdef unsigned long long suit[53]
    cdef unsigned long long above[53]
    # The position every playout starts from.
    cdef unsigned long long hands_0[4]
    cdef unsigned long long free, led_0, trick_0
    cdef int cards_0, turn_0, taken_0, size_0, best_0, winner_0
    # The deal as it stands.
    cdef unsigned long long hands[4]
    cdef unsigned long long led, trick, chance
    cdef int turn, taken, size, best, winner
    # The card played last.
    cdef int card
    # Playouts by the pictures of side 0.
    cdef long long tally[17]

    @cython.locals(place=cython.int)
    cdef void _begin(self) noexcept
    cdef void _start(self, long long number, unsigned long long seed) noexcept
    @cython.locals(pictures=cython.int, i=cython.longlong, until=cython.longlong)
    cdef void _run(self, int index, long long first, long long n, unsigned long long seed) noexcept
    @cython.locals(chance=cython.ulonglong, free=cython.ulonglong, turn=cython.int, taken=cython.int,
                   size=cython.int, led=cython.ulonglong, trick=cython.ulonglong, best=cython.int,
                   winner=cython.int, card=cython.int, hand=cython.ulonglong, legal=cython.ulonglong,
                   n=cython.int, pick=cython.ulonglong, bit=cython.ulonglong)
    cdef void _advance(self, int index, int cards) noexcept
