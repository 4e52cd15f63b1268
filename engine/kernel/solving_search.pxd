# C types of solving_search.py, which is plain Python without them.
cimport cython

from engine.kernel.solving_bounds cimport Bounds
from engine.kernel.solving_last cimport Last
from engine.kernel.solving_lookup cimport Lookup
from engine.kernel.solving_order cimport Order
from engine.kernel.solving_replies cimport Replies
from engine.kernel.solving_suits cimport Suits
from engine.kernel.solving_table cimport Table

cdef const int BOUNDS, TABLE, PATTERNS, EQUIVALENCE, ORDER
cdef const unsigned long long _YES, _DECIDED, _CARDS, _LANE
cdef const int _SUIT, _LEAST_KEPT, _UNSCORED, _EARLY

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Search:
    cdef int features
    cdef Suits suits
    cdef Table table
    cdef Lookup lookup
    cdef Bounds bounds
    cdef Last last
    cdef Order order
    cdef Replies replies
    cdef Replies early_replies
    # By tricks left: the card led that decided.
    cdef unsigned long long decided[16]
    # Cards that end a trick and are asked for: the card, what then wins it, and what side 0 still needs.
    cdef unsigned long long asked[16]
    cdef unsigned long long asked_best[16]
    cdef int asked_need[16]
    cdef unsigned long long unknown
    # What is asked, and for how long.
    cdef int is_general
    cdef int looks_ahead
    cdef unsigned long long target
    cdef readonly long long nodes
    cdef long long pause
    cdef readonly int stopped
    cdef object watch
    cdef readonly object error

    @cython.locals(left=cython.ulonglong, place=cython.int, winner=cython.int, size=cython.int, lane=cython.int,
                   unit=cython.ulonglong, best=cython.ulonglong, played=cython.ulonglong, number=cython.int,
                   card=cython.ulonglong, taken=cython.int, found=cython.ulonglong, tricks=cython.int)
    cpdef bint reaches(self, object trick, int turn, int need, object target)
    cdef void look(self) noexcept
    @cython.locals(tops=cython.ulonglong)
    cdef unsigned long long _tops(self, unsigned long long left) noexcept
    @cython.locals(pictures=cython.int, every=cython.ulonglong, wanted=cython.ulonglong, hand=cython.ulonglong,
                   found=cython.ulonglong, tricks=cython.int)
    cdef unsigned long long _node(self, unsigned long long left, int place, int need) noexcept
    @cython.locals(found=cython.ulonglong, tops=cython.ulonglong)
    cdef unsigned long long _opened(self, unsigned long long left, int place, int tricks, int need, int pictures,
                                    unsigned long long hint) noexcept
    cdef unsigned long long _sure(self, unsigned long long left, int place, int need, int pictures) noexcept
    @cython.locals(wanted=cython.int, found=cython.ulonglong, known=cython.ulonglong, lengths=cython.ulonglong,
                   rest=cython.ulonglong, low_owners=cython.ulonglong, high_owners=cython.ulonglong,
                   hint=cython.ulonglong, depths=cython.ulonglong)
    cdef unsigned long long _looked_up(self, unsigned long long left, int place, int tricks, int need,
                                       int pictures) noexcept
    @cython.locals(side=cython.ulonglong, cards=cython.ulonglong, card=cython.ulonglong, now_best=cython.ulonglong,
                   now_winner=cython.int, played=cython.ulonglong, wanted=cython.int, found=cython.ulonglong,
                   count=cython.int, number=cython.int)
    cdef unsigned long long _known_after(self, unsigned long long left, unsigned long long legal, int place,
                                         unsigned long long trick, unsigned long long best, int winner, int lane,
                                         int need, int tricks) noexcept
    @cython.locals(best=cython.ulonglong, lane=cython.int, power=cython.int, winner=cython.int, back=cython.int,
                   other=cython.int, card=cython.ulonglong, strength=cython.int, taken=cython.int, answer=cython.ulonglong)
    cdef unsigned long long _last(self, unsigned long long left, int place, int need, int pictures) noexcept
    @cython.locals(lane=cython.ulonglong, others=cython.ulonglong)
    cdef unsigned long long _rests_on(self, unsigned long long trick, unsigned long long best) noexcept
    cdef int _lane(self, unsigned long long card) noexcept
    cdef int _beats(self, unsigned long long card, unsigned long long best, int lane) noexcept
    @cython.locals(hand=cython.ulonglong, legal=cython.ulonglong, tricks=cython.int, cards=cython.ulonglong,
                   at=cython.int, early=cython.ulonglong, reply=cython.ulonglong, key=cython.ulonglong,
                   rough_key=cython.ulonglong,
                   is_scored=cython.int, side=cython.ulonglong, count=cython.int, first=cython.ulonglong,
                   in_vain=cython.ulonglong, card=cython.ulonglong, led=cython.int, now_best=cython.ulonglong,
                   now_winner=cython.int, played=cython.ulonglong, taken=cython.int, found=cython.ulonglong)
    cdef unsigned long long _play(self, unsigned long long left, unsigned long long tops, int place, int size,
                                  unsigned long long trick, unsigned long long best, int winner, int lane, int need,
                                  unsigned long long hint) noexcept
    @cython.locals(wins=cython.ulonglong)
    cdef unsigned long long _early(self, unsigned long long legal, int place, unsigned long long best, int winner,
                                   int lane) noexcept
    @cython.locals(down=cython.ulonglong, lane=cython.int, suit=cython.ulonglong, card=cython.ulonglong,
                   below=cython.ulonglong, mine=cython.ulonglong)
    cdef unsigned long long _whole_runs(self, unsigned long long cards, unsigned long long left,
                                        unsigned long long below_tops, unsigned long long hand) noexcept
