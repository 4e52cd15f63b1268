"""The check of the provider: real requests, the issuer compared, results cached for a minute."""

from __future__ import annotations

import http.server
from typing import Any

from arena.accounts.openid import discovery
from arena.common.features import HealthResult
from arena.common.process_cache import process_cache
from arena.operations.health import health_results
from tests.arena.accounts.openid.fake_provider import FakeProvider

WELL_KNOWN = discovery.WELL_KNOWN


def check() -> list[HealthResult]:
    return list(health_results(["identity provider"]))


def failed_check() -> HealthResult:
    process_cache.clear()
    [result] = check()
    assert not result.is_ok
    assert result.remedy
    return result


def unavailable(request: http.server.BaseHTTPRequestHandler) -> None:
    request.send_error(503)


def test_a_site_without_a_provider_has_no_line(settings: Any) -> None:
    settings.OIDC = None
    assert check() == []


def test_metadata_and_keys_are_fetched_once_a_minute(provider: FakeProvider) -> None:
    discovery.metadata_of(provider.issuer)
    provider.requested.clear()
    [result] = check()
    assert result.is_ok
    assert provider.issuer in result.detail
    assert provider.requested == [WELL_KNOWN, "/keys"], "values cached for sign-in are not reused"
    provider.answers["/keys"] = unavailable
    assert check() == [result]
    assert len(provider.requested) == 2


def test_failures_are_cached_too(provider: FakeProvider) -> None:
    provider.answers["/keys"] = unavailable
    assert "503" in failed_check().detail
    requests = len(provider.requested)
    [again] = check()
    assert not again.is_ok
    assert len(provider.requested) == requests


def test_another_issuer_missing_keys_and_a_missing_server_are_red(
    provider: FakeProvider, settings: Any
) -> None:
    provider.metadata = {"issuer": "https://other.example"}
    assert "RENSHO_OIDC_ISSUER" in failed_check().remedy
    provider.metadata = {}
    provider.published = []
    failed_check()
    settings.OIDC = settings.OIDC._replace(issuer="http://127.0.0.1:1")
    assert "127.0.0.1:1" in failed_check().detail
