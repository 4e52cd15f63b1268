"""One ladder, whose rounds follow each other at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings

from tests.arena.ladders.ladders import ladders_set


@pytest.fixture(autouse=True)
def ladder_settings() -> Iterator[None]:
    """Those of ``ladders_set`` without changes."""
    before = settings.LADDERS
    ladders_set()
    yield
    settings.LADDERS = before
