"""Rows that the tests of a module share: made once, and each test finds them as they were made."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from django.db import transaction

from tests import chance

Made = TypeVar("Made")


def made_once(make: Callable[[], Made], *, serials: int = 0) -> Any:
    """A fixture of the module: what ``make`` returns, in a transaction around those of its tests.

    As Django's TestCase does it: what a test changes is undone after it. All tests of the module that ask
    later see the rows, and none of them may commit. What is kept are the objects as they were made: a test
    takes them through a fixture of its own, ``given``::

        rows_of_the_event = made_once(lambda: play_out(begun(4)))

        @pytest.fixture
        def event(rows_of_the_event: Tournament, db: None) -> Tournament:
            return given(rows_of_the_event)

    A module with several such fixtures, or whose tests make more things of the same people, gives each of
    them a range of ``serials`` of its own: then names and chance differ from those of the others.
    """

    @pytest.fixture(scope="module")
    def rows(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> Iterator[Made]:
        if serials:
            chance.start(f"{request.node.nodeid}::{serials}", serials)
        around = transaction.atomic()
        around._from_testcase = True  # type: ignore[attr-defined]
        with django_db_blocker.unblock():
            around.__enter__()
            try:
                yield make()
            finally:
                transaction.set_rollback(True)
                around.__exit__(None, None, None)

    return rows


def given(made: Made) -> Made:
    """A copy for one test: what it sets on its objects is not seen by the next."""
    return copy.deepcopy(made)
