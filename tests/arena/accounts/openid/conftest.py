"""The provider of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.common.process_cache import process_cache
from arena.settings.oidc import OidcSettings
from tests.arena.accounts.openid.fake_provider import CLIENT_ID, CLIENT_SECRET, FakeProvider, fake_provider


@pytest.fixture
def provider(settings: Any) -> Iterator[FakeProvider]:
    with fake_provider() as running:
        settings.OIDC = OidcSettings(running.issuer, CLIENT_ID, CLIENT_SECRET, "Kita University")
        settings.SIGN_UP = "open"
        yield running
    process_cache.clear()
