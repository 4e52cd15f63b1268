# C types of shedding_plan.py, which also runs uncompiled.
cimport cython

cdef int _STONE, _SHIFT, _NEVER, _PAIRS, _HIGHEST, _HAND, _ENTRIES, _BUCKETS
cdef unsigned long long _WILDS, _UNIT, _PAIRED, _SPREAD, _ALL

@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept
cdef unsigned long long _low(unsigned long long mask) noexcept
cdef int _bucket_of(unsigned long long key) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class HandPlans:
    cdef int values[48]
    cdef bint is_reset, is_wild_in_pairs
    # By seat, then again for pairs: the hand, its cards by value, its wilds.
    cdef unsigned long long hands[18]
    cdef int plain[234]
    cdef int wild[18]
    # Entry by table and subset.
    cdef int entry[1152]
    # Entries by their key; item 0 is none.
    cdef int buckets[16384]
    cdef unsigned long long keys[8192]
    # By entry and value.
    cdef int best[106496]
    cdef int best_whole[106496]
    cdef int ended[106496]
    cdef int ended_whole[106496]
    cdef int size
    # Keys by subset, of the table being built.
    cdef unsigned long long sums[64]
    cdef object outlook
    # Chances until the next turn, by value left and value to follow, and of any turn after.
    cdef int coming[169]
    cdef int later[13]
    cdef int gain, guri
    cdef int by_value[13]
    cdef int best_by_follow[13]
    cdef int ended_by_value[13]
    # The last meld that was chosen.
    cdef int cards, value, worth
    cdef bint is_stopped
    cdef int cost

    @cython.locals(bit=cython.int, bits=cython.int, remaining=cython.ulonglong)
    cdef int _to_bits(self, int slot, unsigned long long hand) noexcept
    @cython.locals(cards=cython.ulonglong, remaining=cython.ulonglong)
    cdef unsigned long long _to_cards(self, int slot, int index) noexcept
    @cython.locals(odd=cython.int, value=cython.int)
    cdef bint _is_pairs(self, int slot, int index) noexcept
    @cython.locals(left=cython.int, worth=cython.int, index=cython.int)
    cdef void _consider(self, int slot, int subset, int cards, int value, bint is_whole) noexcept
    @cython.locals(plain=cython.int, wild=cython.int, first=cython.int, second=cython.int, third=cython.int,
                   wild_first=cython.int, wild_second=cython.int)
    cdef void _consider_value(self, int slot, int subset, int value, bint is_whole) noexcept
    @cython.locals(value=cython.int)
    cdef void _choose_meld(self, int slot, int subset, int follow, bint is_whole) noexcept
    @cython.locals(index=cython.int)
    cdef int _worth_of_stopping(self, int slot, int subset, int value) noexcept
    @cython.locals(index=cython.int)
    cdef int _worth_of_melding(self, int slot, int subset, int value, bint is_whole) noexcept
    @cython.locals(slot=cython.int, bucket=cython.int)
    cdef void _reset(self) noexcept
    @cython.locals(value=cython.int, is_wild=cython.bint, bit=cython.int, card=cython.ulonglong,
                   subset=cython.int)
    cdef void _build_table(self, int slot, unsigned long long hand) noexcept
    @cython.locals(key=cython.ulonglong, bucket=cython.int, entry=cython.int, index=cython.int, value=cython.int)
    cdef void _add_entry(self, int slot, int subset) noexcept
    @cython.locals(most=cython.int, wild=cython.int, value=cython.int, least=cython.int, follow=cython.int,
                   worth=cython.int)
    cdef void _fill_best(self, int slot, int subset, bint is_whole) noexcept
    @cython.locals(worth=cython.longlong, gained=cython.longlong, stays=cython.longlong, stay_worth=cython.longlong,
                   previous=cython.longlong, follow=cython.int, value=cython.int)
    cdef void _fill_ended(self) noexcept
