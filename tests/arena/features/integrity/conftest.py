"""The world of the API's tests."""

from __future__ import annotations

from tests.arena.api.conftest import rows_of_the_world, world

__all__ = ["rows_of_the_world", "world"]
