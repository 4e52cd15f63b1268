"""What holds for every test: its chance is its own, and what it asks of a database."""

import gc
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from tests import chance
from tests.databases import databases, flush_by_delete

chance.install()

DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database"})
"""Who uses one of them touches the database that DATABASE_URL names."""


PARTS = ("quick", "postgresql", "sqlite")
SAMPLED = "sampled"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        choices=PARTS,
        help="quick: all but the slow tests, with a sample of the sampled ones; postgresql: those that touch "
        "a database; sqlite: those that touch none, and of the others what quick has. Without it, all.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The quick part draws fewer examples; known before the first test module is imported."""
    if config.getoption("--part") == "quick":
        chance.draw_fewer()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what belongs to another part, if told to. What takes longest begins first.

    A group of tests runs in one process: begun last it would keep the others waiting.
    """
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("xdist_group", "slow")])
    part = config.getoption("--part")
    if part is None:
        return
    chosen = {item for item in items if is_of(part, item)}
    if part != "postgresql":
        chosen -= left_out([item for item in items if part == "quick" or touches_database(item)])
    others = [item for item in items if item not in chosen]
    if others:
        items[:] = [item for item in items if item in chosen]
        config.hook.pytest_deselected(items=others)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests measured: what they recorded as ``figures``."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    lines = [value for report in reports for name, value in report.user_properties if name == "figures"]
    if lines:
        terminalreporter.section("figures")
    for line in sorted(lines):
        terminalreporter.write_line(str(line))


def is_of(part: str, item: pytest.Item) -> bool:
    """Whether a test belongs to a part: ``make test`` runs the first, ``make check`` the other two."""
    is_slow = item.get_closest_marker("slow") is not None
    if part == "quick":
        return not is_slow
    if part == "postgresql":
        return touches_database(item) and item.get_closest_marker("sqlite_suffices") is None
    if item.get_closest_marker("postgresql_suffices") is not None:
        return False
    is_asked_for = any(item.get_closest_marker(name) for name in ("sqlite_suffices", "both_databases"))
    return not is_slow or not touches_database(item) or is_asked_for


def left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """What the quick part leaves out of what is marked ``sampled(n)``: all but one in n.

    Of a marked function its cases are drawn from, of a marked module its tests. Which ones are kept follows
    from the digests of their names, so that each test keeps other cases than the next; one is always kept.
    """
    cases = defaultdict(list)
    for item in items:
        for node, marker in item.iter_markers_with_node(SAMPLED):
            whole = name_of(item).partition("[")[0] if node is item else node.nodeid
            cases[whole, marker.args[0]].append(item)
            break
    found: set[pytest.Item] = set()
    for (_, share), same in cases.items():
        same.sort(key=lambda item: hashlib.sha256(name_of(item).encode()).digest())
        found.update(same[max(1, len(same) // share) :])
    return found


def name_of(item: pytest.Item) -> str:
    """The id of a test without what xdist appends for its group."""
    assert item.parent is not None
    return f"{item.parent.nodeid}::{item.name}"


def touches_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or a marker."""
    names = getattr(item, "fixturenames", ())
    return not DATABASE_FIXTURES.isdisjoint(names) or item.get_closest_marker("django_db") is not None


LONG = 80
"""Characters of a text that its test's id may show in full: every id is sent to each worker and back."""


def pytest_make_parametrize_id(val: object) -> str | None:
    """A short id for a long text: its start, its length and its digest; None leaves the id to pytest."""
    if not isinstance(val, str | bytes) or len(val) <= LONG:
        return None
    digest = hashlib.sha256(val.encode(errors="surrogatepass") if isinstance(val, str) else val).hexdigest()
    return f"{val[:24]!a}..{len(val)}-{digest[:8]}"


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
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Before the first test with a database: it is emptied the quick way."""
    flush_by_delete()
