"""Health check of the provider: whether this host reaches its metadata and its keys now."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from arena.accounts.openid.discovery import fetch_keys, fetch_metadata
from arena.accounts.openid.fetching import ProviderFailure
from arena.common.features import HealthResult
from arena.common.process_cache import CacheKey, process_cache

MAX_AGE_S = 60.0
"""Seconds for which a process repeats a result, so that a slow provider delays few pages."""
REMEDY = (
    "Set RENSHO_OIDC_ISSUER to the issuer in the provider's metadata, and let this host reach the provider. "
    "docs/operators.md describes the settings (OpenID Connect)."
)


def check_provider(part: str) -> Iterator[HealthResult]:
    """Fetch metadata and keys, if a provider is configured. Two requests at most, each of at most 5 s."""
    if settings.OIDC is None:
        return
    issuer = settings.OIDC.issuer
    yield process_cache.get_or_build(
        CacheKey(("openid", "health", part), issuer), lambda: _result(part, issuer), max_age_s=MAX_AGE_S
    )


def _result(part: str, issuer: str) -> HealthResult:
    try:
        keys = fetch_keys(fetch_metadata(issuer).jwks_uri)
    except ProviderFailure as failure:
        return HealthResult(part, False, f"sign-in through {issuer} fails: {failure}", REMEDY)
    return HealthResult(part, True, f"{issuer} publishes its metadata and {len(keys)} keys")
