"""Metadata and signing keys of the provider, cached by this process.

Source: https://openid.net/specs/openid-connect-discovery-1_0.html, sections 3 and 4.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from arena.accounts.openid.fetching import ProviderFailure, fetch_json
from arena.common.process_cache import CacheKey, process_cache
from arena.settings.oidc import is_provider_url

WELL_KNOWN = "/.well-known/openid-configuration"
METADATA_MAX_AGE_S = 3600.0
KEYS_MAX_AGE_S = 900.0
"""Maximum age of cached keys, after which a key that the provider has withdrawn is no longer accepted."""
REFRESH_INTERVAL_S = 60
"""Seconds in which tokens with unknown keys cause at most one request."""
ALGORITHMS = frozenset(
    f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)
) | frozenset({"EdDSA", "Ed25519"})
"""Accepted signatures: asymmetric ones. ``none`` and keyed hashes are never accepted."""
DEFAULT_ALGORITHM = "RS256"
AUTHENTICATION_METHODS = ("client_secret_basic", "client_secret_post")
MAX_KEYS = 50


class Metadata(NamedTuple):
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    algorithms: tuple[str, ...]
    authentication_method: str
    sends_issuer: bool
    """Whether responses must have the parameter ``iss`` (RFC 9207)."""


def metadata_of(issuer: str) -> Metadata:
    """Return the provider's metadata. Raises ProviderFailure."""
    key = CacheKey(("openid", "metadata"), issuer)
    return process_cache.get_or_build(key, lambda: fetch_metadata(issuer), max_age_s=METADATA_MAX_AGE_S)


def signing_keys(jwks_uri: str, *, refresh: bool = False) -> list[dict[str, Any]]:
    """Return the public keys of the provider, as JSON Web Keys. Raises ProviderFailure.

    ``refresh`` returns keys that are at most ``REFRESH_INTERVAL_S`` old.
    """
    interval = int(time.monotonic() // REFRESH_INTERVAL_S) if refresh else None
    key = CacheKey(("openid", "keys", jwks_uri), interval)
    return process_cache.get_or_build(key, lambda: fetch_keys(jwks_uri), max_age_s=KEYS_MAX_AGE_S)


def fetch_metadata(issuer: str) -> Metadata:
    """Return the provider's metadata now, which must name this issuer. Raises ProviderFailure."""
    document = fetch_json(issuer.rstrip("/") + WELL_KNOWN).content
    if document.get("issuer") != issuer:
        raise ProviderFailure("the metadata names another issuer than RENSHO_OIDC_ISSUER")
    addresses = [document.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if not all(isinstance(url, str) and is_provider_url(url) for url in addresses):
        raise ProviderFailure("the metadata lacks an https address of an endpoint")
    offered = _texts(document, "id_token_signing_alg_values_supported", [DEFAULT_ALGORITHM])
    algorithms = tuple(name for name in offered if name in ALGORITHMS)
    if not algorithms:
        raise ProviderFailure(f"the provider offers none of the signatures {', '.join(sorted(ALGORITHMS))}")
    methods = _texts(document, "token_endpoint_auth_methods_supported", [AUTHENTICATION_METHODS[0]])
    method = next((name for name in AUTHENTICATION_METHODS if name in methods), "")
    if not method:
        raise ProviderFailure(f"the provider accepts none of {', '.join(AUTHENTICATION_METHODS)}")
    sends_issuer = document.get("authorization_response_iss_parameter_supported") is True
    authorization, token, keys = map(str, addresses)
    return Metadata(authorization, token, keys, algorithms, method, sends_issuer)


def fetch_keys(jwks_uri: str) -> list[dict[str, Any]]:
    """Return the provider's keys now. Raises ProviderFailure."""
    keys = fetch_json(jwks_uri).content.get("keys")
    if not isinstance(keys, list) or not keys:
        raise ProviderFailure("the provider publishes no signing keys")
    return [key for key in keys[:MAX_KEYS] if isinstance(key, dict)]


def _texts(document: dict[str, Any], name: str, default: list[str]) -> list[str]:
    values = document.get(name)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else default
