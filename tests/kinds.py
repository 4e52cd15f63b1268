"""Three kinds of tests, the database that each runs on, and the order in which they begin.

A test is quick unless it is marked ``full`` or ``nightly``. ``make test`` runs the quick ones, ``make check``
the full ones too, ``make exhaustive`` all. A list of cases is marked ``sampled(n)``: ``make test`` runs one
case in n, ``make check`` one in n // 2, drawn by the digests of their names, so the same in every run.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
KINDS = ("quick", "full", "nightly")
HELP = """quick: neither full nor nightly, with few of the sampled cases; full: all but the nightly tests,
with more cases: on PostgreSQL those that commit, otherwise the others; nightly: all, on PostgreSQL those that
use a database. Without it, all."""
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database", "migrated_database"})
COMMITTING_FIXTURES = DATABASE_FIXTURES - {"db"}
COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All that a run has collected, of whatever kind."""
ON_SQLITE = ("analysis", "browser", "engine", "league", "mutants", "referee", "viewer")
"""Folders without a test for PostgreSQL: collecting them there takes a third of the time."""
COMMITTING = re.compile(
    r"transaction=True|transactional_db|live_server|new_database|migrated_database|committed_once"
    r"|kit\.server\.conftest"
)
"""Tests that ``make check`` runs on PostgreSQL name one of these in their file or in its conftest."""
FIRST = ("chaos", "browser", "tutorial", "installation", "killed workers", "hostile root, cgroup")
"""Groups of tests that take minutes: they begin before all others, by the start of their name."""


def chosen(kind: str, items: list[pytest.Item], is_postgresql: bool) -> set[pytest.Item]:
    """Those of all tests that a run of this kind has on this database."""
    if kind == "nightly":
        return {item for item in items if not is_postgresql or uses_database(item)}
    excluded = ("full", "nightly") if kind == "quick" else ("nightly",)
    able = {item for item in items if not any(item.get_closest_marker(mark) for mark in excluded)}
    if kind == "full":
        able = {item for item in able if is_for_postgresql(item) == is_postgresql}
    return able - left_out(items, 1 if kind == "quick" else 2)


def is_for_postgresql(item: pytest.Item) -> bool:
    """Whether ``make check`` runs a test on PostgreSQL: it commits, or starts processes with a database."""
    if item.nodeid.startswith(tuple(f"tests/{folder}/" for folder in ON_SQLITE)):
        return False
    commits = any(marker.kwargs.get("transaction") for marker in item.iter_markers("django_db"))
    return commits or not COMMITTING_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


def passes_over(kind: str | None, path: Path, is_postgresql: bool) -> bool:
    """Whether a run has nothing in a folder or file of tests."""
    if kind is None or not is_postgresql:
        return False
    if path.parent == TESTS and path.name in ON_SQLITE:
        return True
    sources = (path, path.with_name("conftest.py"))
    is_module = path.name.startswith("test_") and path.suffix == ".py"
    return (
        kind == "full"
        and is_module
        and not any(COMMITTING.search(source.read_text()) for source in sources if source.exists())
    )


def uses_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or a marker."""
    names = getattr(item, "fixturenames", ())
    return not DATABASE_FIXTURES.isdisjoint(names) or item.get_closest_marker("django_db") is not None


def left_out(items: Iterable[pytest.Item], cases_in_n: int) -> set[pytest.Item]:
    """What is left out of cases marked ``sampled(n)``: all but so many in n; at least one is kept."""
    cases = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("sampled"):
            cases[name_of(item).partition("[")[0], marker.args[0] // cases_in_n].append(item)
    return {item for (_, n), same in cases.items() for item in drawn_last(same, n)}


def drawn_last(items: list[pytest.Item], n: int) -> list[pytest.Item]:
    """All but one in n, drawn by the digests of their names."""
    drawn = sorted(items, key=lambda item: hashlib.sha256(name_of(item).encode()).digest())
    return drawn[max(1, len(drawn) // max(n, 1)) :]


def name_of(item: pytest.Item) -> str:
    """The id of a test without what xdist appends for its group."""
    assert item.parent is not None
    return f"{item.parent.nodeid}::{item.name}"


def group_by_shared_fixtures(items: Iterable[pytest.Item]) -> None:
    """Keep tests of a module that share a fixture of the module on one worker, which makes it once."""
    shares: dict[int, bool] = {}
    for item in items:
        # The cases of a test have the same fixtures.
        cases = id(getattr(item, "_fixtureinfo", None))
        if cases not in shares:
            shares[cases] = shares_fixture(item)
        if shares[cases] and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def shares_fixture(item: pytest.Item) -> bool:
    """Whether a test asks for a fixture that is made once for its module."""
    info = getattr(item, "_fixtureinfo", None)
    definitions = info.name2fixturedefs.values() if info else ()
    return any(found and found[-1].scope == "module" for found in definitions)


def rank(item: pytest.Item) -> list[bool]:
    """Sorts first what takes longest: a group begun last would keep the other workers waiting."""
    group = item.get_closest_marker("xdist_group")
    is_long = group is not None and group.args[0].startswith(FIRST)
    return [not is_long, group is None, item.get_closest_marker("full") is None]


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
