"""One ladder, whose rounds follow each other at once."""

from __future__ import annotations

import pytest
import pytest_django

from tests.arena.features.ladders.ladders import USUAL


@pytest.fixture(autouse=True)
def ladder_settings(settings: pytest_django.Settings) -> None:
    """The usual ones; given back at the end, whatever a test made of them."""
    settings.LADDERS = USUAL
