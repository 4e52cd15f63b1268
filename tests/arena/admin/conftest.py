"""Who looks into the admin: staff, the organiser of the event, an organiser of others."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from arena.accounts.models import User
from tests.arena.api.conftest import rows_of_the_world, shared_world, world
from tests.factories import odo, rin, sota

__all__ = ["rows_of_the_world", "shared_world", "world"]


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    """Counters live in the cache, which outlives the database of a test."""
    cache.clear()


def signed_in(user: User) -> Client:
    """A browser this account has signed in with."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def staff(db: None) -> Client:
    """Sota's browser."""
    return signed_in(sota())


@pytest.fixture
def organiser(db: None) -> Client:
    """Odo's, who runs the event."""
    return signed_in(odo())


@pytest.fixture
def stranger(db: None) -> Client:
    """Rin's, who runs others."""
    return signed_in(rin())
