# C types of search_deal.py, which also runs uncompiled.
cimport cython

from engine.kernel.playing_deal cimport PlayoutDeal

cdef int _TABLE, _NEAR
cdef int _MAX_NODES
cdef unsigned long long _ONE
cdef double _ROOT_LOG[4096]
cdef double _ROOT_LOG_FAR[4096]
cdef double _INVERSE[4096]

cdef unsigned long long _allowed(unsigned long long hand, unsigned long long led, unsigned long long free) noexcept
cdef double _root_log(int n) noexcept
@cython.locals(scale=cython.double)
cdef double _inverse_root(int n) noexcept


@cython.auto_pickle(False)
@cython.final
cdef class SearchTree:
    cdef PlayoutDeal deal
    # The worlds: hands, and values by the pictures of side 0.
    cdef int worlds
    cdef unsigned long long hands[16384]
    cdef long long values[69632]
    # The nodes: the first is the root, before any card.
    cdef int size
    cdef int card[131072]
    cdef int child[131072]
    cdef int sibling[131072]
    cdef int visits[131072]
    cdef int offered[131072]
    cdef long long total[131072]
    # The nodes of a simulation, and how many.
    cdef int path[64]
    cdef int depth
    # Of all results.
    cdef long long sum, squares

    cdef void _visit(self, int node) noexcept
    @cython.locals(chosen=cython.int, best_worth=cython.double, worth=cython.double, node=cython.int, sign=cython.int,
                   bit=cython.ulonglong)
    cdef int _select_child(self, int parent, unsigned long long legal, double weight) noexcept
    @cython.locals(node=cython.int, expanded=cython.ulonglong)
    cdef unsigned long long _expanded(self, int parent) noexcept
    cdef int _add_node(self, int parent, int card) noexcept
    @cython.locals(node=cython.int, cards=cython.int, legal=cython.ulonglong, untried=cython.ulonglong, bit=cython.ulonglong,
                   deal=PlayoutDeal)
    cdef void _descend(self, int cards, double weight) noexcept
    @cython.locals(i=cython.longlong, until=cython.longlong, world=cython.int, player=cython.int, value=cython.longlong,
                   k=cython.int, deal=PlayoutDeal)
    cdef void _run(self, long long first, long long n, unsigned long long seed, double weight) noexcept
