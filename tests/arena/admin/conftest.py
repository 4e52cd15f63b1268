"""Who looks into the admin: staff."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from tests.arena.api.conftest import rows_of_the_world, world
from tests.factories import sota

__all__ = ["rows_of_the_world", "world"]


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    """Counters live in the cache, which outlives the database of a test."""
    cache.clear()


@pytest.fixture
def staff(db: None) -> Client:
    """Sota's browser."""
    client = Client()
    client.force_login(sota())
    return client
