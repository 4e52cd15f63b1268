"""Sign-in with an OpenID Connect provider, such as an institution's; off by default. Needs ``rensho[oidc]``.

RENSHO_OIDC_ISSUER         issuer identifier of the provider, such as ``https://login.example.org``
RENSHO_OIDC_CLIENT_ID      id and secret of this site, as registered at the provider
RENSHO_OIDC_CLIENT_SECRET
RENSHO_OIDC_NAME           name of the provider on buttons; default: host name of the issuer
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from arena.settings.extras import require_extra
from arena.settings.secret_files import secret_of

ISSUER = "RENSHO_OIDC_ISSUER"
CLIENT_ID = "RENSHO_OIDC_CLIENT_ID"
CLIENT_SECRET = "RENSHO_OIDC_CLIENT_SECRET"
NAME = "RENSHO_OIDC_NAME"
VARIABLES = (ISSUER, CLIENT_ID, CLIENT_SECRET, NAME)
MAX_NAME_CHARACTERS = 40
MAX_ISSUER_CHARACTERS = 255


class OidcSettings(NamedTuple):
    issuer: str
    client_id: str
    client_secret: str
    name: str


def oidc_settings_of(environment: Mapping[str, str]) -> OidcSettings | None:
    """Return the provider; None without one. SystemExit names the variable, without the secret."""
    issuer, client_id, name = (environment.get(key, "").strip() for key in (ISSUER, CLIENT_ID, NAME))
    secret = secret_of(environment, CLIENT_SECRET)
    values = {ISSUER: issuer, CLIENT_ID: client_id, CLIENT_SECRET: secret}
    if not any(values.values()) and not name:
        return None
    if missing := [variable for variable, value in values.items() if not value]:
        raise SystemExit(
            f"rensho: {missing[0]} is missing. An OpenID Connect provider needs {', '.join(values)}."
        )
    if len(issuer) > MAX_ISSUER_CHARACTERS or not is_provider_url(issuer) or urlsplit(issuer).query:
        raise SystemExit(
            f"rensho: {ISSUER}={issuer[:80]!r} is not an issuer such as https://login.example.org. Copy it "
            "from the provider's /.well-known/openid-configuration. Only a provider on this machine may use "
            "http."
        )
    name = name or urlsplit(issuer).hostname or ""
    if len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise SystemExit(
            f"rensho: {NAME} has more than {MAX_NAME_CHARACTERS} printable characters. Shorten it."
        )
    require_extra("authlib", ISSUER, "oidc")
    return OidcSettings(issuer, client_id, secret, name)


def is_provider_url(text: str) -> bool:
    """Return whether a URL is https, or http on this machine, without credentials and fragment."""
    try:
        parts = urlsplit(text)
        is_url = bool(parts.hostname) and parts.port != 0 and not parts.username and not parts.fragment
    except ValueError:
        return False
    if not is_url or not text.isascii() or not text.isprintable() or " " in text:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname or ""))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
