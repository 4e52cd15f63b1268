"""What holds for every test: its chance is its own, and what it asks of a database."""

from collections.abc import Callable, Iterator

import pytest

from tests import chance
from tests.databases import databases, flush_by_delete

chance.install()

DATABASE_FIXTURES = frozenset({"db", "transactional_db", "new_database"})
"""Who uses one of them touches the database that DATABASE_URL names."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database-only", action="store_true", help="run only the tests that touch a database")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what touches no database, if told to."""
    if not config.getoption("--database-only"):
        return
    others = [item for item in items if not touches_database(item)]
    if others:
        items[:] = [item for item in items if touches_database(item)]
        config.hook.pytest_deselected(items=others)


def touches_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or a marker, and SQLite does not suffice."""
    if item.get_closest_marker("sqlite_suffices"):
        return False
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
