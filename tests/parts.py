"""Which tests a part of the suite has, which run on one worker, and in what order they begin.

``make test`` runs the part ``quick``; ``make check`` runs ``postgresql``, then ``sqlite``; ``make
exhaustive`` runs ``rest``, what these two leave out. What is drawn follows from the digests of the names of
tests, so that it is the same in every run, and each test has other cases than the next.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis.internal.detection import is_hypothesis_test

PARTS = ("quick", "postgresql", "sqlite", "rest")
HELP = """quick: all but the slow tests, with a sample of the sampled ones; postgresql: those that touch a
database; sqlite: those that touch none, and of the others a sample of what quick has; rest: on SQLite, what
make check takes a sample of and leaves out, properties, and what is marked exhaustive. Without it, all."""
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database"})
"""Who uses one of them touches the database that DATABASE_URL names."""
SAMPLED = "sampled"
SAMPLED_IN_CHECK = "sampled_in_check"
SHOWN_AGAIN = 3
"""Of the tests of a module that PostgreSQL has shown already, SQLite shows one in so many."""
FIRST = ("browser", "installation", "killed workers", "hostile root, cgroup")
"""Groups of tests that take minutes: they begin before all others, by the start of their name."""


def chosen(part: str, items: list[pytest.Item]) -> set[pytest.Item]:
    """Those of all tests that a part has."""
    if part == "rest":
        tries_more = {item for item in items if item.get_closest_marker("exhaustive") or is_property(item)}
        can_run = {item for item in items if not item.get_closest_marker("postgresql_suffices")}
        return tries_more | can_run & left_out_of_check(items)
    found = {item for item in items if is_of(part, item)}
    if part == "quick":
        return found - left_out(items)
    return found - left_out_of_check(items) if part == "sqlite" else found


def is_of(part: str, item: pytest.Item) -> bool:
    """Whether a test belongs to one of the first three parts, before some of its cases are left out."""
    is_slow = item.get_closest_marker("slow") is not None
    if part == "quick":
        return not is_slow
    if part == "postgresql":
        return touches_database(item) and item.get_closest_marker("sqlite_suffices") is None
    if item.get_closest_marker("postgresql_suffices") is not None:
        return False
    is_asked_for = any(item.get_closest_marker(name) for name in ("sqlite_suffices", "both_databases"))
    return not is_slow or not touches_database(item) or is_asked_for


def left_out(items: Iterable[pytest.Item], marker_name: str = SAMPLED) -> set[pytest.Item]:
    """What is left out of what is marked ``sampled(n)``: all but one in n.

    Of a marked function its cases are drawn from, of a marked module its tests; one is always kept.
    """
    cases = defaultdict(list)
    for item in items:
        for node, marker in item.iter_markers_with_node(marker_name):
            whole = name_of(item).partition("[")[0] if node is item else node.nodeid
            cases[whole, marker.args[0]].append(item)
            break
    return {item for (_, share), same in cases.items() for item in all_but_one_in(share, same)}


def left_out_of_check(items: list[pytest.Item]) -> set[pytest.Item]:
    """What ``make check`` leaves out on SQLite of the tests that are not too slow to be shown there.

    Of tests that PostgreSQL shows too, what the quick part leaves out, and of the others all but one in
    ``SHOWN_AGAIN`` of a module; but no test that commits or has to be shown on both databases. And what is
    marked ``sampled_in_check(n)``.
    """
    shown_before = [item for item in items if is_of("sqlite", item) and is_of("postgresql", item)]
    found = left_out(shown_before) | left_out(items, SAMPLED_IN_CHECK)
    modules = defaultdict(list)
    for item in shown_before:
        if item not in found and not must_be_shown_on_both(item):
            modules[item.nodeid.partition("::")[0]].append(item)
    return found.union(*(all_but_one_in(SHOWN_AGAIN, same) for same in modules.values()))


def must_be_shown_on_both(item: pytest.Item) -> bool:
    """Whether what a test shows differs by database: it commits, or says so."""
    commits = any(marker.kwargs.get("transaction") for marker in item.iter_markers("django_db"))
    asks = item.get_closest_marker("both_databases") is not None
    return asks or commits or "transactional_db" in getattr(item, "fixturenames", ())


def all_but_one_in(share: int, items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """All items but every ``share``-th and at least one, drawn by the digests of their names."""
    drawn = sorted(items, key=lambda item: hashlib.sha256(name_of(item).encode()).digest())
    return drawn[max(1, len(drawn) // share) :]


def name_of(item: pytest.Item) -> str:
    """The id of a test without what xdist appends for its group."""
    assert item.parent is not None
    return f"{item.parent.nodeid}::{item.name}"


def touches_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or a marker."""
    names = getattr(item, "fixturenames", ())
    return not DATABASE_FIXTURES.isdisjoint(names) or item.get_closest_marker("django_db") is not None


def group_by_shared_fixtures(items: Iterable[pytest.Item]) -> None:
    """Keep tests of a module that share a fixture of the module on one worker, which makes it once."""
    for item in items:
        if shares_fixture(item) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def shares_fixture(item: pytest.Item) -> bool:
    """Whether a test asks for a fixture that is made once for its module."""
    info = getattr(item, "_fixtureinfo", None)
    definitions = info.name2fixturedefs.values() if info else ()
    return any(found and found[-1].scope == "module" for found in definitions)


def is_property(item: pytest.Item) -> bool:
    """Whether hypothesis draws examples for a test; it marks them later than parts are chosen."""
    is_drawn = is_hypothesis_test(getattr(item, "obj", None))
    return bool(is_drawn) or item.get_closest_marker("hypothesis") is not None


def rank(item: pytest.Item) -> list[bool]:
    """Sorts first what takes longest: a group begun last would keep the other workers waiting."""
    group = item.get_closest_marker("xdist_group")
    is_long = group is not None and group.args[0].startswith(FIRST)
    return [not is_long, group is None, item.get_closest_marker("slow") is None]


def folder_of(argument: str) -> tuple[str, ...]:
    """The folder of a file or test named on the command line, by its parts."""
    path = Path(argument.partition("::")[0])
    return path.parent.parts if path.suffix == ".py" else path.parts
