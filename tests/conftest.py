"""What holds for every test: its chance is its own, and what it asks of a database."""

from collections.abc import Callable, Iterator

import pytest

from tests import chance
from tests.databases import databases, flush_by_delete

chance.install()

DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database"})
"""Who uses one of them touches the database that DATABASE_URL names."""


PARTS = ("quick", "postgresql", "sqlite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        choices=PARTS,
        help="quick: all but the slow tests; postgresql: those that touch a database; sqlite: all but those "
        "for which PostgreSQL suffices. Without it, all.",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what belongs to another part, if told to."""
    part = config.getoption("--part")
    if part is None:
        return
    others = [item for item in items if not is_of(part, item)]
    if others:
        items[:] = [item for item in items if is_of(part, item)]
        config.hook.pytest_deselected(items=others)


def is_of(part: str, item: pytest.Item) -> bool:
    """Whether a test belongs to a part: ``make test`` runs the first, ``make check`` the other two."""
    if part == "quick":
        return item.get_closest_marker("slow") is None
    if part == "sqlite":
        return item.get_closest_marker("postgresql_suffices") is None
    return item.get_closest_marker("sqlite_suffices") is None and touches_database(item)


def touches_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or a marker."""
    names = getattr(item, "fixturenames", ())
    return not DATABASE_FIXTURES.isdisjoint(names) or item.get_closest_marker("django_db") is not None


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
