# C types of solving_table.py, which is plain Python without them.
cimport cython

cdef const unsigned long long _ALL, _YES, _DECIDED, _WORD, _GOLDEN, _MIX
cdef const int _SLOT, _ENTRY, _FIRST_SIZE, _MARGIN

@cython.locals(mixed=cython.ulonglong)
cdef unsigned long long _mixed(unsigned long long first, unsigned long long second) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Table:
    cdef long long most_entries
    cdef unsigned long long owners_down_to[256]
    # Entries made before count as empty.
    cdef unsigned long long generation
    # Three words a slot: the key; the number of its first entry and the generation.
    cdef unsigned long long[::1] slots
    # Three words an entry: owners and depths of two lanes; of the others; next, card, most and least.
    cdef unsigned long long[::1] entries
    cdef unsigned long long slot_mask
    cdef readonly long long used_slots, used_entries

    @cython.locals(number=cython.ulonglong, at=cython.ulonglong)
    cdef unsigned long long slot(self, unsigned long long lengths, unsigned long long rest) noexcept
    @cython.locals(hint=cython.ulonglong, entry=cython.ulonglong, at=cython.ulonglong, word=cython.ulonglong,
                   low=cython.ulonglong, high=cython.ulonglong, depths=cython.ulonglong)
    cdef unsigned long long known(self, unsigned long long slot, unsigned long long low_owners,
                                  unsigned long long high_owners, unsigned long long wanted) noexcept
    @cython.locals(low_word=cython.ulonglong, high_word=cython.ulonglong, entry=cython.ulonglong, at=cython.ulonglong,
                   word=cython.ulonglong, low=cython.ulonglong, high=cython.ulonglong)
    cdef void keep(self, unsigned long long slot, unsigned long long low_owners, unsigned long long high_owners,
                    unsigned long long depths, unsigned long long wanted, int is_yes, unsigned long long pictures,
                    unsigned long long hint) noexcept
