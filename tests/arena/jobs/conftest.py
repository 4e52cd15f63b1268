"""What one test makes of the sandbox must not be remembered by the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tables import readiness


@pytest.fixture(autouse=True)
def _fresh_readiness() -> Iterator[None]:
    readiness._find.cache_clear()
    yield
    readiness._find.cache_clear()
