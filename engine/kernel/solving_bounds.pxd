# C types of solving_bounds.py, which also runs uncompiled.
cimport cython

from engine.kernel.solving_suits cimport Suits

cdef const unsigned long long _YES, _DECIDED, _LANE
cdef const int _PLAYER_BITS, _RENSHO_BITS, _NO_LIMIT

cdef const unsigned long long _TWOS, _FOURS, _EIGHTS, _SUM
cdef int _count(unsigned long long mask) noexcept
cdef unsigned long long _nth(unsigned long long lane, int n) noexcept
cdef int _min(int a, int b) noexcept
cdef int _max(int a, int b) noexcept
cdef int _positive(int a) noexcept
@cython.locals(length=cython.int)
cdef int _falls(int rounds, unsigned long long hand, unsigned long long pictures) noexcept
cdef int _run(unsigned long long own, unsigned long long opposing) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Bounds:
    cdef Suits suits
    cdef unsigned long long trumps_take[8192]
    cdef unsigned long long plain_rensho
    cdef unsigned long long pictures[4]
    cdef int leads[4]
    cdef int partner_leads[4]

    @cython.locals(player=cython.int, first=cython.ulonglong, number=cython.int)
    cdef void load(self) noexcept
    @cython.locals(card=cython.ulonglong, owner=cython.int, own=cython.ulonglong, opposing=cython.ulonglong,
                   is_picture=cython.int, shift=cython.int, against=cython.int, above=cython.ulonglong, word=cython.ulonglong,
                   free=cython.int, free_pictures=cython.int, more=cython.ulonglong, with_rensho=cython.ulonglong)
    cdef void _fill(self, int number) noexcept
    @cython.locals(word=cython.ulonglong, tricks=cython.int, of_0=cython.int, of_1=cython.int, of_2=cython.int,
                   of_3=cython.int, tricks_left=cython.int, most=cython.int)
    cdef unsigned long long sure(self, unsigned long long left, int player, int need, int pictures) noexcept
    @cython.locals(partner=cython.ulonglong, tricks=cython.int, partner_tricks=cython.int, of_mine=cython.int,
                   of_partner=cython.int, cards=cython.ulonglong)
    cdef unsigned long long _rests_on(self, unsigned long long left, unsigned long long word, int side) noexcept
    @cython.locals(own=cython.ulonglong, opposing=cython.ulonglong, beaten_by=cython.int, pictures_beaten_by=cython.int,
                   trumps=cython.ulonglong, lowest=cython.ulonglong, card=cython.ulonglong)
    cdef unsigned long long _trumps_down_to(self, unsigned long long left, int player, int tricks, int pictures) noexcept
    @cython.locals(holder=cython.int, planned=cython.int, answer=cython.ulonglong)
    cdef unsigned long long cash(self, unsigned long long left, int player, int need, int pictures) noexcept
    @cython.locals(partner=cython.int, after=cython.int, before=cython.int, of_leader=cython.ulonglong,
                   of_partner=cython.ulonglong, of_after=cython.ulonglong, of_before=cython.ulonglong,
                   sides=cython.ulonglong, after_ruffs=cython.int,
                   before_ruffs=cython.int, after_ruffs_late=cython.int, before_ruffs_late=cython.int,
                   is_crossed=cython.int, is_last=cython.int, led=cython.int, led_by_partner=cython.int, lane=cython.int,
                   suit=cython.ulonglong, own=cython.ulonglong, partners=cython.ulonglong, after_length=cython.int,
                   before_length=cython.int, top=cython.ulonglong, count=cython.int, more=cython.int, most=cython.int,
                   late=cython.int, is_rensho=cython.int)
    cdef int _plan(self, unsigned long long left, int player, int holder) noexcept
    @cython.locals(lane=cython.int)
    cdef void _drop_partner_leads(self) noexcept
    @cython.locals(partner=cython.int, of_leader=cython.ulonglong, of_partner=cython.ulonglong,
                   of_after=cython.ulonglong, of_before=cython.ulonglong, sides=cython.ulonglong,
                   word=cython.ulonglong, sure=cython.int,
                   partner_sure=cython.int, tricks=cython.int, partner_tricks=cython.int, sure_pictures=cython.int,
                   partner_pictures=cython.int, reserved=cython.int, rounds=cython.int, voids=cython.int,
                   partner_voids=cython.int, after_falls=cython.int, before_falls=cython.int, taken=cython.int,
                   partner_taken=cython.int, cards=cython.ulonglong, lane=cython.int, own_rounds=cython.int,
                   count=cython.int, suit=cython.ulonglong, in_suit=cython.ulonglong, own=cython.ulonglong,
                   partners=cython.ulonglong, in_hand=cython.int, in_partners=cython.int, length=cython.int,
                   spare=cython.int, spare_pictures=cython.int,
                   partner_spare=cython.int, partner_spare_pictures=cython.int, trumps=cython.ulonglong, won=cython.int,
                   tricks_left=cython.int, pictures_left=cython.ulonglong, got=cython.int)
    cdef unsigned long long _answer_of_plan(self, unsigned long long left, int player, int holder, int need,
                                         int pictures) noexcept
