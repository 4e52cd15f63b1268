# C types of solving_table.py, which is plain Python without them.
cimport cython

# In C the name of a module of plain Python stands for the file that declares its macro.
from engine.kernel cimport solving_suits as cache_line

cdef const unsigned long long _ALL, _YES, _DECIDED, _GOLDEN, _MIX, _REST
cdef const int _BUCKET, _FULL, _FIRST_SIZE, _MARGIN, _GENERATIONS

@cython.locals(mixed=cython.ulonglong)
cdef unsigned long long _mixed(unsigned long long first, unsigned long long second) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class Table:
    cdef long long most_buckets
    cdef unsigned long long owners_down_to[256]
    # Buckets made before count as empty.
    cdef unsigned long long generation
    # Eight words a bucket: two of the key; owners, depths and bounds of three patterns, two words each.
    cdef unsigned long long[::1] buckets
    cdef long long by_tricks[16]
    cdef unsigned long long mask
    cdef readonly long long used

    @cython.locals(number=cython.ulonglong, at=cython.ulonglong, rest=cython.ulonglong, to=cython.ulonglong,
                   index=cython.ulonglong)
    cdef void _move(self, unsigned long long[::1] old, unsigned long long before,
                    unsigned long long generation, unsigned long long least) noexcept
    @cython.locals(number=cython.ulonglong, at=cython.ulonglong)
    cdef void _count_by_tricks(self) noexcept
    @cython.locals(at=cython.ulonglong)
    cdef unsigned long long begins(self, unsigned long long lengths, unsigned long long rest) noexcept
    cdef unsigned long long _next(self, unsigned long long at) noexcept
    @cython.locals(hint=cython.ulonglong, other=cython.ulonglong, side=cython.ulonglong, is_other=cython.ulonglong, at=cython.ulonglong, index=cython.ulonglong, first=cython.ulonglong,
                   second=cython.ulonglong, low=cython.ulonglong, high=cython.ulonglong, depths=cython.ulonglong)
    cdef unsigned long long known(self, unsigned long long at, unsigned long long lengths,
                                  unsigned long long rest, unsigned long long low_owners, unsigned long long high_owners,
                                  unsigned long long wanted) noexcept
    @cython.locals(low_word=cython.ulonglong, high_word=cython.ulonglong, at=cython.ulonglong, index=cython.ulonglong,
                   first=cython.ulonglong, second=cython.ulonglong, low=cython.ulonglong, high=cython.ulonglong)
    cdef void keep(self, unsigned long long lengths, unsigned long long rest, unsigned long long low_owners,
                   unsigned long long high_owners, unsigned long long depths, unsigned long long wanted, int is_yes,
                   unsigned long long pictures, unsigned long long hint) noexcept
