"""Which tests a part of the suite has, which run on one worker, and in what order they begin.

``make test`` runs the part ``quick``; ``make check`` runs ``postgresql``, then ``sqlite``; ``make
exhaustive`` runs ``rest``, what these two leave out, then ``database`` on PostgreSQL. What is drawn follows
from the digests of the names of tests, so that it is the same in every run, and each test has other cases
than the next.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis.internal.detection import is_hypothesis_test

TESTS = Path(__file__).resolve().parent
PARTS = ("quick", "postgresql", "sqlite", "rest", "database")
HELP = """quick: all but the slow tests, with a sample of the sampled ones; postgresql: of those that touch a
database what commits, what is slow, and of the others a drawn share of each module; sqlite: those that touch
no database, and the others of those that touch one; rest: on SQLite, what these two leave out there,
properties, and what is marked exhaustive; database: all that PostgreSQL can show. Without it, all."""
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database", "migrated_database"})
"""Who uses one of them touches the database that DATABASE_URL names."""
SAMPLED = "sampled"
SAMPLED_IN_CHECK = "sampled_in_check"
ON_POSTGRESQL = 6
"""Of the tests of a module that both databases can show PostgreSQL shows one in so many, SQLite the rest."""
COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All that a run has collected, of whatever part."""
WITHOUT_DATABASE = ("browser", "engine", "league", "mutants", "referee", "viewer")
"""Folders in which no test is one for PostgreSQL: collecting them there takes a third of the time."""
COMMIT_FOR_A_SERVER = ("tests/bots/kit/server/",)
"""Folders whose tests commit for the server they ask. They show what the kit makes of its answers."""
FIRST = ("browser", "tutorial", "installation", "killed workers", "hostile root, cgroup")
"""Groups of tests that take minutes: they begin before all others, by the start of their name."""


def chosen(part: str, items: list[pytest.Item]) -> set[pytest.Item]:
    """Those of all tests that a part has."""
    if part == "quick":
        return {item for item in items if is_of(part, item)} - left_out(items)
    if part == "database":
        return {item for item in items if is_of("postgresql", item)}
    able = {name: {item for item in items if is_of(name, item)} for name in ("postgresql", "sqlite")}
    unsampled = left_out_cases(items) | left_out(items, SAMPLED_IN_CHECK)
    on_one = postgresql_alone(able["postgresql"] & able["sqlite"] - unsampled)
    either = {item for item in able["postgresql"] & able["sqlite"] if not must_be_shown_on_both(item)}
    on_postgresql = able["postgresql"] - unsampled - (either - on_one)
    # What has to be shown on both is repeated there: a sample of it will do.
    repeated = (able["postgresql"] & able["sqlite"] - either) & left_out(items)
    on_sqlite = able["sqlite"] - unsampled - on_one - repeated
    if part == "postgresql":
        return on_postgresql
    if part == "sqlite":
        return on_sqlite
    tries_more = {item for item in items if item.get_closest_marker("exhaustive") or is_property(item)}
    can_run = {item for item in items if not item.get_closest_marker("postgresql_suffices")}
    return tries_more | can_run & (able["sqlite"] | unsampled) - on_sqlite


def passes_over(part: str | None, folder: Path) -> bool:
    """Whether a part has nothing in a folder of tests."""
    if part not in ("postgresql", "database"):
        return False
    return folder.parent == TESTS and folder.name in WITHOUT_DATABASE


def names_by_part(items: list[pytest.Item]) -> dict[str, set[str]]:
    """The names of all tests, of those of each part, and of some that are marked."""
    found: dict[str, Iterable[pytest.Item]] = {part: chosen(part, items) for part in PARTS}
    found["all"] = items
    found["cases"] = [
        item
        for item in items
        if any(node is item for node, _ in item.iter_markers_with_node(SAMPLED))
        or item.get_closest_marker(SAMPLED_IN_CHECK)
    ]
    found["differs"] = [
        item
        for item in items
        if must_be_shown_on_both(item) and all(is_of(name, item) for name in ("postgresql", "sqlite"))
    ]
    for mark in ("slow", "postgresql_suffices"):
        found[mark] = [item for item in items if item.get_closest_marker(mark)]
    return {key: {name_of(item) for item in some} for key, some in found.items()}


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


def postgresql_alone(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Of tests that either database can show those that ``make check`` shows on PostgreSQL, not on SQLite.

    One in ``ON_POSTGRESQL`` of a module, and none that commits or has to be shown on both.
    """
    modules = defaultdict(list)
    for item in items:
        if not must_be_shown_on_both(item):
            modules[item.nodeid.partition("::")[0]].append(item)
    return {item for same in modules.values() for item in one_in(ON_POSTGRESQL, same)}


def left_out_cases(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """What ``make check`` leaves out of the cases of functions that are marked ``sampled(n)``.

    It takes about twice as many as ``make test``: one in n // 2, or in m of ``sampled(n, check=m)``.
    Of a marked module it leaves out none: each of its tests shows something of its own.
    """
    cases = defaultdict(list)
    for item in items:
        for node, marker in item.iter_markers_with_node(SAMPLED):
            if node is item:
                share = marker.kwargs.get("check", marker.args[0] // 2)
                cases[name_of(item).partition("[")[0], share].append(item)
            break
    return {item for (_, share), same in cases.items() for item in all_but_one_in(share, same)}


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


def must_be_shown_on_both(item: pytest.Item) -> bool:
    """Whether what a test shows differs by database: it says so, or commits for itself."""
    if item.get_closest_marker("both_databases") is not None:
        return True
    commits = any(marker.kwargs.get("transaction") for marker in item.iter_markers("django_db"))
    commits = commits or "transactional_db" in getattr(item, "fixturenames", ())
    return commits and not item.nodeid.startswith(COMMIT_FOR_A_SERVER)


def one_in(share: int, items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Every ``share``-th of all items and at least one, drawn by the digests of their names."""
    drawn = sorted(items, key=lambda item: hashlib.sha256(name_of(item).encode()).digest())
    return drawn[: max(1, len(drawn) // max(share, 1))]


def all_but_one_in(share: int, items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The others."""
    whole = list(items)
    return set(whole).difference(one_in(share, whole))


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


def in_one_process(items: list[pytest.Item]) -> list[pytest.Item]:
    """In an order for one process: of a module first the tests that share no fixture of it.

    They find none of the rows that such a fixture makes for the others and keeps to the end of the module.
    """
    modules = list(dict.fromkeys(item.nodeid.partition("::")[0] for item in items))
    places = {module: place for place, module in enumerate(modules)}
    return sorted(items, key=lambda item: (places[item.nodeid.partition("::")[0]], shares_fixture(item)))


def folder_of(argument: str) -> tuple[str, ...]:
    """The folder of a file or test named on the command line, by its parts."""
    path = Path(argument.partition("::")[0])
    return path.parent.parts if path.suffix == ".py" else path.parts
