# C types of shedding_plan.py, which is plain Python without them.
cimport cython

cdef int _STONE, _SHIFT, _NEVER, _PAIRS, _HIGHEST, _HAND, _ENTRIES, _PLACES
cdef unsigned long long _WILDS, _UNIT, _PAIRED, _SPREAD, _ALL

@cython.locals(count=cython.int)
cdef int _count(unsigned long long mask) noexcept
cdef unsigned long long _low(unsigned long long mask) noexcept
cdef int _placed(unsigned long long key) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Plans:
    cdef int values[48]
    cdef bint is_reset, is_wild_in_pairs
    # By seat, then again for pairs: the hand, its cards by value, its wilds.
    cdef unsigned long long hands[18]
    cdef int plain[234]
    cdef int wild[18]
    # By table and cards left: the entry.
    cdef int entry[1152]
    # Entries by their key; item 0 is none.
    cdef int places[16384]
    cdef unsigned long long keys[8192]
    # By entry and value.
    cdef int best[106496]
    cdef int whole[106496]
    cdef int ended[106496]
    cdef int kept[106496]
    cdef int size
    # Keys by cards left, of the table being made.
    cdef unsigned long long sums[64]
    cdef object outlook
    # Chances until the next turn, by value left and value to follow, and of any turn after.
    cdef int coming[169]
    cdef int later[13]
    cdef int gain, guri
    cdef int by_value[13]
    cdef int found[13]
    cdef int closed[13]
    # The meld found last.
    cdef int cards, value, worth
    cdef bint is_stopped
    cdef int cost

    @cython.locals(bit=cython.int, found=cython.int, rest=cython.ulonglong)
    cdef int _index(self, int slot, unsigned long long hand) noexcept
    @cython.locals(found=cython.ulonglong, rest=cython.ulonglong)
    cdef unsigned long long _cards(self, int slot, int index) noexcept
    @cython.locals(odd=cython.int, value=cython.int)
    cdef bint _is_pairs(self, int slot, int index) noexcept
    @cython.locals(left=cython.int, worth=cython.int, at=cython.int)
    cdef void _consider(self, int slot, int held, int cards, int value, bint is_whole) noexcept
    @cython.locals(plain=cython.int, wild=cython.int, first=cython.int, second=cython.int, third=cython.int,
                   wild_first=cython.int, wild_second=cython.int)
    cdef void _at(self, int slot, int held, int value, bint is_whole) noexcept
    @cython.locals(value=cython.int)
    cdef void _choose(self, int slot, int held, int follow, bint is_whole) noexcept
    @cython.locals(at=cython.int)
    cdef int _stopping(self, int slot, int held, int value) noexcept
    @cython.locals(at=cython.int)
    cdef int _moving(self, int slot, int held, int value, bint is_whole) noexcept
    @cython.locals(slot=cython.int, place=cython.int)
    cdef void _forget(self) noexcept
    @cython.locals(value=cython.int, is_wild=cython.bint, bit=cython.int, card=cython.ulonglong,
                   held=cython.int)
    cdef void _build(self, int slot, unsigned long long hand) noexcept
    @cython.locals(key=cython.ulonglong, place=cython.int, entry=cython.int, at=cython.int, value=cython.int)
    cdef void _enter(self, int slot, int held) noexcept
    @cython.locals(most=cython.int, wild=cython.int, value=cython.int, least=cython.int, follow=cython.int,
                   worth=cython.int)
    cdef void _fill(self, int slot, int held, bint is_whole) noexcept
    @cython.locals(worth=cython.longlong, gained=cython.longlong, stays=cython.longlong, kept=cython.longlong,
                   before=cython.longlong, follow=cython.int, value=cython.int)
    cdef void _close(self) noexcept
