# C types of solving_last.py, which also runs uncompiled.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef const unsigned long long _YES, _LANE

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class LastTricks:
    cdef Suits suits
    cdef unsigned long long hands[4]
    cdef unsigned long long last_cards[4]

    @cython.locals(turn=cython.int, needed=cython.int, other=cython.ulonglong, rests_on=cython.ulonglong,
                   cards=cython.ulonglong, card=cython.ulonglong, answer=cython.ulonglong)
    cdef unsigned long long answer(self, unsigned long long left, int player, int need, int pictures) noexcept
    @cython.locals(suit=cython.ulonglong, rests_on=cython.ulonglong, cards=cython.ulonglong, card=cython.ulonglong,
                   answer=cython.ulonglong)
    cdef unsigned long long _second(self, unsigned long long led, int needed, int pictures) noexcept
    @cython.locals(rests_on=cython.ulonglong, cards=cython.ulonglong, card=cython.ulonglong, answer=cython.ulonglong)
    cdef unsigned long long _third(self, unsigned long long trick, unsigned long long best, int winner,
                                   unsigned long long suit, int needed, int pictures) noexcept
    @cython.locals(rests_on=cython.ulonglong, cards=cython.ulonglong, card=cython.ulonglong, now_best=cython.ulonglong,
                   now_winner=cython.int, played=cython.ulonglong, answer=cython.ulonglong, taken=cython.int,
                   got=cython.int, last_best=cython.ulonglong, last_winner=cython.int, last_suit=cython.ulonglong,
                   back=cython.int, turn=cython.int)
    cdef unsigned long long _fourth(self, unsigned long long trick, unsigned long long best, int winner,
                                    unsigned long long suit, int needed, int pictures) noexcept
    cdef unsigned long long _legal(self, int turn, unsigned long long suit) noexcept
    cdef int _beats(self, unsigned long long card, unsigned long long best, unsigned long long suit) noexcept
    @cython.locals(same_kind=cython.ulonglong)
    cdef unsigned long long _rests_on(self, unsigned long long trick, unsigned long long best) noexcept
