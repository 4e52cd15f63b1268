# C types of shedding_deal.py, which also runs uncompiled.
cimport cython

from engine.kernel.shedding_plan cimport HandPlans

cdef unsigned long long _ALL, _GOLDEN, _MIX_1, _MIX_2, _WILDS, _RANKS, _THREE_ACES, _THREE_OF_CLUBS
cdef int _RETURN, _TURNED, _DECLARED, _FREE, _MUST_TURN, _MELD, _HIGHEST
cdef int _W_MELD, _W_PASS, _W_TURN, _W_DROP, _W_SANSOKU, _W_SWAP, _W_KEEP
cdef int _P_NONE, _P_ORDINARY, _P_GURI, _P_UTAZU
cdef int _STONE, _PAIRS, _MAX_WORTH, _MAX_POT

cdef unsigned long long _mixed(unsigned long long z) noexcept
@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
cdef class SheddingDeal:
    cdef dict texts
    cdef object rules
    cdef HandPlans plans
    cdef int policy
    cdef bint is_planned
    # The table of melds.
    cdef int row_start[28]
    cdef int row_size[160]
    cdef int row_value[160]
    cdef unsigned long long row_cards[160]
    cdef int row_first[161]
    cdef unsigned long long masks[1600]
    cdef int values[48]
    # The position every playout starts from.
    cdef unsigned long long hands_0[9]
    cdef long long paid_0[9]
    cdef int active_0, seat_0, follow_0, last_0, opened_0, sansoku_0, turn_0, out_0
    cdef bint swapping_0
    # The rules and the fixed facts.
    cdef int box[48]
    cdef int seats, dealer, box_size
    cdef bint wild_pairs, pass_penalty, turn_forced, dropped_pay, dead_box
    # The current state of the deal.
    cdef unsigned long long hands[9]
    cdef long long paid[9]
    cdef int active, seat, follow, last, opened, sansoku, turn, out, turned
    cdef bint swapping, is_over
    cdef unsigned long long chance
    # The picked action.
    cdef int word, value
    cdef unsigned long long cards
    # Results.
    cdef long long stones[9]
    cdef long long totals[9]
    cdef long long squares[9]

    @cython.locals(s=cython.int)
    cdef void _begin(self) noexcept
    @cython.locals(s=cython.int)
    cdef int _next_seat(self, int seat) noexcept
    @cython.locals(naturals=cython.ulonglong, halves=cython.ulonglong)
    cdef bint _is_pairs(self, unsigned long long hand) noexcept
    @cython.locals(allowed=cython.int, turn=cython.int, hand=cython.ulonglong)
    cdef int _allowed_words(self) noexcept
    @cython.locals(follow=cython.int)
    cdef int _meld_rows(self) noexcept
    @cython.locals(count=cython.int, hand=cython.ulonglong, row=cython.int, rows=cython.int, k=cython.int,
                   allowed=cython.int, size=cython.int, mask=cython.ulonglong)
    cdef int _legal(self) noexcept
    @cython.locals(hand=cython.ulonglong, row=cython.int, rows=cython.int, k=cython.int, allowed=cython.int,
                   size=cython.int, mask=cython.ulonglong, matching=cython.ulonglong, bit=cython.int)
    cdef void _pick(self, int index) noexcept
    @cython.locals(hand=cython.ulonglong, seat=cython.int, bit=cython.int)
    cdef void _apply(self) noexcept
    @cython.locals(seat=cython.int, following=cython.int)
    cdef void _next_turn(self) noexcept
    @cython.locals(s=cython.int, winner=cython.int, hand=cython.ulonglong)
    cdef void _look(self) noexcept
    @cython.locals(s=cython.int, paying=cython.int, pot=cython.longlong, stones=cython.longlong)
    cdef void _settle(self, int due, int winner) noexcept
    cdef void _play_out(self) noexcept
    @cython.locals(legal=cython.int)
    cdef void _decide(self) noexcept
    @cython.locals(allowed=cython.int, seat=cython.int, slot=cython.int, worth=cython.int, word=cython.int,
                   cards=cython.ulonglong, value=cython.int)
    cdef void _pick_by_plan(self) noexcept
    @cython.locals(plans=HandPlans, hand=cython.ulonglong, is_whole=cython.bint, subset=cython.int, worth=cython.int,
                   turned=cython.int, value=cython.int, stopped=cython.int, meld=cython.int)
    cdef int _weigh(self, int slot, int allowed) noexcept
    cdef int _draw(self, int n) noexcept
    @cython.locals(i=cython.longlong, s=cython.int, start=cython.ulonglong, index=cython.int,
                   until=cython.longlong, stones=cython.longlong)
    cdef void _run(self, int index, long long first, long long n, unsigned long long seed) noexcept
