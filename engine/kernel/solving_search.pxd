# C types of solving_search.py, which also runs uncompiled.
cimport cython

from engine.kernel.solving_bounds cimport Bounds
from engine.kernel.solving_last cimport LastTricks
from engine.kernel.solving_lookup cimport Lookup
from engine.kernel.solving_order cimport MoveOrder
from engine.kernel.solving_replies cimport ReplyTable
from engine.kernel.solving_suits cimport Suits
from engine.kernel.solving_table cimport TranspositionTable

cdef const int BOUNDS, TABLE, PATTERNS, EQUIVALENCE, ORDER
cdef const unsigned long long _YES, _DECIDED, _CARDS, _LANE
cdef const int _SUIT, _MIN_STORED_TRICKS, _MAX_UNSCORED_TRICKS, _MIN_EARLY_TRICKS

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Search:
    cdef int features
    cdef Suits suits
    cdef TranspositionTable table
    cdef Lookup lookup
    cdef Bounds bounds
    cdef LastTricks last
    cdef MoveOrder order
    cdef ReplyTable replies
    cdef ReplyTable early_replies
    # Deciding lead, by tricks left.
    cdef unsigned long long deciding[16]
    # Probed last cards of a trick: the card, the then winning card, and the pictures that side 0 still needs.
    cdef unsigned long long probed[16]
    cdef unsigned long long probed_best[16]
    cdef int probed_need[16]
    cdef unsigned long long unknown
    # The question and its limits.
    cdef int has_target
    cdef int probes_ahead
    cdef unsigned long long target
    cdef readonly long long nodes
    cdef long long next_poll
    cdef readonly int stopped
    cdef object limit_checker
    cdef readonly object error

    @cython.locals(left=cython.ulonglong, player=cython.int, winner=cython.int, size=cython.int, lane=cython.int,
                   unit=cython.ulonglong, best=cython.ulonglong, played=cython.ulonglong, number=cython.int,
                   card=cython.ulonglong, taken=cython.int, answer=cython.ulonglong, tricks=cython.int)
    cpdef bint reaches(self, object trick, int turn, int need, object target)
    cdef void poll_limits(self) noexcept
    @cython.locals(tops=cython.ulonglong)
    cdef unsigned long long _tops(self, unsigned long long left) noexcept
    @cython.locals(pictures=cython.int, every=cython.ulonglong, goal=cython.ulonglong, hand=cython.ulonglong,
                   answer=cython.ulonglong, tricks=cython.int)
    cdef unsigned long long _search_position(self, unsigned long long left, int player, int need) noexcept
    @cython.locals(answer=cython.ulonglong, tops=cython.ulonglong)
    cdef unsigned long long _search_lead(self, unsigned long long left, int player, int tricks, int need, int pictures,
                                    unsigned long long hint) noexcept
    cdef unsigned long long _sure(self, unsigned long long left, int player, int need, int pictures) noexcept
    @cython.locals(needed=cython.int, answer=cython.ulonglong, known=cython.ulonglong, lengths=cython.ulonglong,
                   pictures_key=cython.ulonglong, low_owners=cython.ulonglong, high_owners=cython.ulonglong,
                   hint=cython.ulonglong, depths=cython.ulonglong)
    cdef unsigned long long _search_stored(self, unsigned long long left, int player, int tricks, int need,
                                       int pictures) noexcept
    @cython.locals(side=cython.ulonglong, cards=cython.ulonglong, card=cython.ulonglong, now_best=cython.ulonglong,
                   now_winner=cython.int, played=cython.ulonglong, needed=cython.int, answer=cython.ulonglong,
                   count=cython.int, number=cython.int)
    cdef unsigned long long _probe_last_cards(self, unsigned long long left, unsigned long long legal, int player,
                                         unsigned long long trick, unsigned long long best, int winner, int lane,
                                         int need, int tricks) noexcept
    @cython.locals(best=cython.ulonglong, lane=cython.int, power=cython.int, winner=cython.int, back=cython.int,
                   other=cython.int, card=cython.ulonglong, strength=cython.int, taken=cython.int, answer=cython.ulonglong)
    cdef unsigned long long _last_trick(self, unsigned long long left, int player, int need, int pictures) noexcept
    @cython.locals(lane=cython.ulonglong, same_kind=cython.ulonglong)
    cdef unsigned long long _rests_on(self, unsigned long long trick, unsigned long long best) noexcept
    cdef int _lane(self, unsigned long long card) noexcept
    cdef int _beats(self, unsigned long long card, unsigned long long best, int lane) noexcept
    @cython.locals(hand=cython.ulonglong, legal=cython.ulonglong, tricks=cython.int, cards=cython.ulonglong,
                   start=cython.int, early=cython.ulonglong, reply=cython.ulonglong, key=cython.ulonglong,
                   rough_key=cython.ulonglong,
                   is_scored=cython.int, side=cython.ulonglong, count=cython.int, first=cython.ulonglong,
                   failed=cython.ulonglong, card=cython.ulonglong, led=cython.int, now_best=cython.ulonglong,
                   now_winner=cython.int, played=cython.ulonglong, taken=cython.int, answer=cython.ulonglong)
    cdef unsigned long long _search_trick(self, unsigned long long left, unsigned long long tops, int player, int size,
                                  unsigned long long trick, unsigned long long best, int winner, int lane, int need,
                                  unsigned long long hint) noexcept
    @cython.locals(wins=cython.ulonglong)
    cdef unsigned long long _promising_cards(self, unsigned long long legal, int player, unsigned long long best, int winner,
                                   int lane) noexcept
    @cython.locals(down=cython.ulonglong, lane=cython.int, suit=cython.ulonglong, card=cython.ulonglong,
                   below=cython.ulonglong, own_below=cython.ulonglong)
    cdef unsigned long long _whole_runs(self, unsigned long long cards, unsigned long long left,
                                        unsigned long long below_tops, unsigned long long hand) noexcept
