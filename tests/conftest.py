"""What holds for every test: its chance is its own, and what it asks of a database."""

import gc
import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests import chance, kinds, migrated, power, rendering
from tests.databases import databases, flush_by_delete

chance.install()
power.skip_syncs()
rendering.report_outermost()

MAY_BE_MISSING = frozenset({"promtool", "small_disk"})
"""Fixtures that skip a test in CI too: Debian's archive may be out of reach, and mounting forbidden."""
IS_POSTGRESQL = bool(os.environ.get(migrated.SERVER))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kind", choices=kinds.KINDS, help=kinds.HELP)


def pytest_configure(config: pytest.Config) -> None:
    """``make test`` and ``make check`` draw fewer examples; known before the first test module is imported.

    Files named on both sides of another folder's are put together: pytest would collect their folder anew and
    not find its fixtures.
    """
    chance.draw_fewer(config.getoption("--kind"))
    config.args.sort(key=kinds.folder_of)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over the folders and files in which a run has nothing; None leaves others to pytest."""
    return kinds.passes_over(config.getoption("--kind"), collection_path, IS_POSTGRESQL) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collecting makes little garbage, and looking for it takes a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Deselect tests of other kinds, if told to; what takes longest begins first.

    Groups are there before xdist asks for them, and the order comes after that of pytest-django.
    """
    kind = config.getoption("--kind")
    config.stash[kinds.COLLECTED] = items.copy()
    if kind is not None:
        chosen = kinds.chosen(kind, items, IS_POSTGRESQL)
        others = [item for item in items if item not in chosen]
        if others:
            items[:] = [item for item in items if item in chosen]
            config.hook.pytest_deselected(items=others)
    kinds.group_by_shared_fixtures(items)
    yield
    if hasattr(config, "workerinput"):
        items.sort(key=kinds.rank)
    else:
        items[:] = kinds.in_one_process(items)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look at it again and again.

    Nor at all else every few tests: with its own thresholds it would take a fourteenth of the time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests measured: what they recorded as ``figures``."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    lines = [value for report in reports for name, value in report.user_properties if name == "figures"]
    if lines:
        terminalreporter.section("figures")
    for line in sorted(lines):
        terminalreporter.write_line(str(line))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What the processes of the run had in common ends with the last of them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        migrated.drop(session.config._tmp_path_factory.getbasetemp())  # type: ignore[attr-defined]


LONG = 80
"""Characters of a text that its test's id may show in full: every id is sent to each worker and back."""


def pytest_make_parametrize_id(val: object) -> str | None:
    """A short id for a long text: its start, its length and its digest; None leaves the id to pytest."""
    if not isinstance(val, str | bytes) or len(val) <= LONG:
        return None
    digest = hashlib.sha256(val.encode(errors="surrogatepass") if isinstance(val, str) else val).hexdigest()
    return f"{val[:24]!a}..{len(val)}-{digest[:8]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, a test of ``make check`` that is skipped fails, since all it needs is installed there.

    The fixture ``small_disk`` fails by itself where mounting is not forbidden.
    """
    report = yield
    is_strict = "CI" in os.environ and item.config.getoption("--kind") == "full"
    if report.skipped and is_strict and MAY_BE_MISSING.isdisjoint(getattr(item, "fixturenames", ())):
        report.outcome, report.longrepr = "failed", f"skipped in CI: {report.longrepr[2]}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fixtures of a module find the same numbers whichever of its tests comes first."""
    assert item.parent is not None
    chance.start(item.parent.nodeid)


@pytest.fixture(autouse=True)
def _own_chance(request: pytest.FixtureRequest) -> None:
    """The same numbers for a test in any order and on any worker."""
    chance.start(f"{request.node.parent.nodeid}::{request.node.name}")


@pytest.fixture(scope="session")
def new_database() -> Iterator[Callable[..., str]]:
    """Makes databases for processes that a test starts: ``new_database()`` gives a DATABASE_URL of its own.

    ``new_database(copy_of=url)`` copies another one, to which nobody may be connected. Without a server, "":
    such processes use SQLite in their data folder.
    """
    with databases() as made:
        yield made


@pytest.fixture(scope="session")
def migrated_database(
    new_database: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Path], str]:
    """Gives an installation that is to start in a new folder a migrated database, and its static files.

    ``migrated_database(folder)`` gives its DATABASE_URL: one of its own, or "" for SQLite in the folder.
    """

    def make(data: Path) -> str:
        migrated.static_copy(tmp_path_factory, data)
        if server := os.environ.get(migrated.SERVER, ""):
            name = migrated.postgresql_name(tmp_path_factory)
            return new_database(copy_of=f"{server.rpartition('/')[0]}/{name}")
        shutil.copyfile(migrated.sqlite_file(tmp_path_factory), data / migrated.SQLITE)
        return ""

    return make


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Before the first test with a database: it is a copy, and is emptied the quick way."""
    migrated.copy_instead(tmp_path_factory)
    flush_by_delete()
