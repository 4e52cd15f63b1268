# C types of solving_table.py, which also runs uncompiled.
cimport cython

# In C, the name of the plain Python module refers to the file that declares its macro.
from engine.kernel cimport solving_suits as cache_line

cdef const unsigned long long _ALL, _YES, _DECIDED, _GOLDEN, _MIX, _PICTURES_KEY
cdef const int _BUCKET, _FULL, _FIRST_SIZE, _MARGIN, _GENERATIONS

@cython.locals(mixed=cython.ulonglong)
cdef unsigned long long _mixed(unsigned long long first, unsigned long long second) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class TranspositionTable:
    cdef long long max_buckets
    cdef unsigned long long owners_down_to[256]
    # Buckets of older generations count as empty.
    cdef unsigned long long generation
    # Eight words per bucket: two for the key; two for owners, depths and bounds of each of three patterns.
    cdef unsigned long long[::1] buckets
    cdef long long by_tricks[16]
    cdef unsigned long long mask
    cdef readonly long long used

    @cython.locals(number=cython.ulonglong, bucket=cython.ulonglong, pictures_key=cython.ulonglong, to=cython.ulonglong,
                   index=cython.ulonglong)
    cdef void _move(self, unsigned long long[::1] old, unsigned long long before,
                    unsigned long long generation, unsigned long long least) noexcept
    @cython.locals(number=cython.ulonglong, bucket=cython.ulonglong)
    cdef void _count_by_tricks(self) noexcept
    @cython.locals(bucket=cython.ulonglong)
    cdef unsigned long long locate(self, unsigned long long lengths, unsigned long long pictures_key) noexcept
    cdef unsigned long long _next_bucket(self, unsigned long long bucket) noexcept
    @cython.locals(hint=cython.ulonglong, other=cython.ulonglong, side=cython.ulonglong, is_other=cython.ulonglong, bucket=cython.ulonglong, index=cython.ulonglong, first=cython.ulonglong,
                   second=cython.ulonglong, low=cython.ulonglong, high=cython.ulonglong, depths=cython.ulonglong)
    cdef unsigned long long probe(self, unsigned long long bucket, unsigned long long lengths,
                                  unsigned long long pictures_key, unsigned long long low_owners, unsigned long long high_owners,
                                  unsigned long long needed) noexcept
    @cython.locals(low_word=cython.ulonglong, high_word=cython.ulonglong, bucket=cython.ulonglong, index=cython.ulonglong,
                   first=cython.ulonglong, second=cython.ulonglong, low=cython.ulonglong, high=cython.ulonglong)
    cdef void store(self, unsigned long long lengths, unsigned long long pictures_key, unsigned long long low_owners,
                   unsigned long long high_owners, unsigned long long depths, unsigned long long needed, int is_yes,
                   unsigned long long pictures, unsigned long long hint) noexcept
