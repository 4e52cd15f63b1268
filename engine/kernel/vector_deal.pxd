# C types of vector_deal.py, which also runs uncompiled.
cimport cython

cdef unsigned long long _ALL, _GOLDEN, _MIX_1, _MIX_2, _ONE, _PICTURES
cdef unsigned long long _LEGAL_PROPOSALS, _LEGAL_DECLARATIONS, _LEGAL_TALK
cdef int _PLAYERS, _CARDS, _SUITS, _RANKS, _LOWEST_PICTURE, _RANK_PICTURES, _PICTURE_COUNT, _TRICKS, _PHASES, _TRUMP, _LEAD, _PLAY
cdef int _SIMULTANEOUS, _IKU_KOI, _TURNED, _DRAWN, _IN_TURN, _CYCLE, _PREFER, _KEEP, _IKU, _ACTIONS
cdef int _DECLARATIONS, _PROPOSALS, _NONE
cdef int _DECIDER, _TRUMP_A, _TRUMP_B, _PRIORITY, _DEALERS, _LEADERS, _ACTIVE, _NEXT, _ROLE, _START
cdef int _AT_HAND, _AT_TRICK, _AT_FINISHED, _AT_VOIDS, _AT_TRUMP, _AT_RENSHO, _AT_PICTURES, _AT_PHASE
cdef int _AT_DECLARATIONS, _AT_PROPOSALS, _AT_LEADER, _AT_ACTIVE, _AT_SCALARS, _AT_STONES, _AT_DEALS, _SIZE
cdef int _STONES_ZERO, _MOST
cdef int _IN_HANDS, _IN_FINISHED, _IN_VOIDS, _IN_PICTURES, _IN_DECLARATIONS, _IN_PROPOSALS, _IMAGE

cdef unsigned long long _mixed(unsigned long long z) noexcept nogil
@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept nogil
cdef void _set_ones(unsigned char[::1] values, Py_ssize_t offset, unsigned long long mask) noexcept nogil
@cython.locals(k=cython.Py_ssize_t)
cdef void _clear(unsigned char[::1] values, Py_ssize_t offset, Py_ssize_t size) noexcept nogil

@cython.locals(k=cython.Py_ssize_t)
cdef void _copy(unsigned char[::1] values, Py_ssize_t to, unsigned char[::1] source, Py_ssize_t start,
                Py_ssize_t size) noexcept nogil


@cython.auto_pickle(False)
@cython.final
cdef class VectorDeals:
    # The rules.
    cdef Py_ssize_t rows
    cdef int seats_at_table, pairs, protocol, trump_rule, direction, first_stones, most_deals
    cdef bint is_game, asks_trump, ends_without_stones, has_debt, stops_early, is_free
    cdef const unsigned short[::1] roles
    cdef const unsigned short[::1] starts
    cdef int start_count
    cdef const unsigned char[::1] powers
    cdef const int[::1] values
    cdef int rensho[4]
    cdef int cycle[3]
    cdef unsigned long long suits[4]
    # Buffers of the caller.
    cdef unsigned char[::1] observations
    cdef unsigned char[::1] masks
    cdef float[::1] rewards
    cdef unsigned char[::1] dones
    cdef unsigned char[::1] seats
    cdef long long[::1] boards
    cdef const long long[::1] actions
    # State by row; four, three or two values per row by player, pair, side or member.
    cdef unsigned long long[::1] legal
    cdef unsigned long long[::1] chance
    cdef unsigned long long[::1] hands
    cdef unsigned long long[::1] captured
    cdef unsigned short[::1] role
    cdef int[::1] number
    cdef int[::1] turn
    cdef int[::1] stones
    cdef unsigned char[::1] phase
    cdef unsigned char[::1] trump
    cdef unsigned char[::1] player
    cdef unsigned char[::1] aces
    cdef unsigned char[::1] size
    cdef unsigned char[::1] tricks
    cdef unsigned char[::1] trick
    cdef unsigned char[::1] declared
    cdef unsigned char[::1] proposed
    cdef unsigned char[::1] is_rensho_played
    cdef unsigned char[::1] image
    cdef int deck[52]
    cdef int suit_of[52]
    cdef int pair_of[6]
    cdef unsigned long long seed
    cdef Py_ssize_t wrong

    @cython.locals(row=cython.Py_ssize_t)
    cdef void _reset(self) noexcept nogil
    @cython.locals(row=cython.Py_ssize_t, action=cython.int)
    cdef void _step(self) noexcept nogil
    @cython.locals(row=cython.Py_ssize_t, number=cython.longlong)
    cdef Py_ssize_t _first_wrong(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void _clear_result(self, Py_ssize_t row) noexcept nogil
    cdef int _below(self, Py_ssize_t row, int n) noexcept nogil
    @cython.locals(start=cython.int, pair=cython.int)
    cdef void _begin(self, Py_ssize_t row) noexcept nogil
    @cython.locals(player=cython.int)
    cdef void _open(self, Py_ssize_t row) noexcept nogil
    @cython.locals(role=cython.int, first=cython.int, second=cython.int, trump=cython.int, other=cython.int,
                   player=cython.int, seat=cython.int, member=cython.int, answer=cython.int)
    cdef void _propose(self, Py_ssize_t row, int action) noexcept nogil
    @cython.locals(proposal=cython.int)
    cdef int _proposed_trump(self, Py_ssize_t row, int member) noexcept nogil
    @cython.locals(k=cython.int, other=cython.int, card=cython.int, hand=cython.ulonglong, aces=cython.int,
                   suit=cython.int, decider=cython.int)
    cdef void _deal(self, Py_ssize_t row) noexcept nogil
    cdef void _ask(self, Py_ssize_t row, int player) noexcept nogil
    @cython.locals(role=cython.int, partner=cython.int)
    cdef int _lower_leader(self, Py_ssize_t row, int decider) noexcept nogil
    @cython.locals(player=cython.int, partner=cython.int, answer=cython.int, leader=cython.int, k=cython.int,
                   image=cython.Py_ssize_t)
    cdef void _declare(self, Py_ssize_t row, int action) noexcept nogil
    cdef void _lead(self, Py_ssize_t row, int player) noexcept nogil
    @cython.locals(player=cython.int, size=cython.int, first=cython.Py_ssize_t, image=cython.Py_ssize_t,
                   suit=cython.int, rensho=cython.int, led=cython.int, hand=cython.ulonglong, follow=cython.ulonglong)
    cdef void _play(self, Py_ssize_t row, int card) noexcept nogil
    @cython.locals(cards=cython.ulonglong, best=cython.int, winner=cython.int, powers=cython.int, k=cython.int,
                   card=cython.int, power=cython.int, is_over=cython.bint, image=cython.Py_ssize_t, suit=cython.int)
    cdef void _end_trick(self, Py_ssize_t row, int leader, int led) noexcept nogil
    @cython.locals(role=cython.int, own=cython.int, other=cython.int, pictures=cython.int, value=cython.int,
                   result=cython.int, seat=cython.int)
    cdef void _end_deal(self, Py_ssize_t row) noexcept nogil
    @cython.locals(pair=cython.int)
    cdef bint _is_last(self, Py_ssize_t row) noexcept nogil
    @cython.locals(role=cython.int, offset=cython.Py_ssize_t, seat=cython.int, phase=cython.int, trump=cython.int,
                   size=cython.int, first=cython.Py_ssize_t, player=cython.int, k=cython.int, leader=cython.int)
    cdef void _observe(self, Py_ssize_t row) noexcept nogil
    cdef void _observe_image(self, Py_ssize_t offset, Py_ssize_t image, int player) noexcept nogil
    cdef void _copy_parts(self, Py_ssize_t offset, Py_ssize_t image, int first, int parts, int size) noexcept nogil
    cdef void _mark(self, Py_ssize_t image, int part, int parts, int size, int element) noexcept nogil
    @cython.locals(other=cython.int, k=cython.int, stones=cython.int, pair=cython.int)
    cdef void _observe_table(self, Py_ssize_t row, Py_ssize_t offset, int role, int seat) noexcept nogil
