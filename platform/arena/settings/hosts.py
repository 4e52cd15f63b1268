"""Host names of the site, and allowed origins of forms and API calls.

RENSHO_HOSTS    host names, comma separated, without scheme and port; ``.example.org`` includes subdomains,
                ``*`` allows any (default: localhost, 127.0.0.1, [::1])
RENSHO_ORIGINS  origins with their scheme, comma separated: https://rensho.example.org (default: none)
RENSHO_CORS_ORIGINS  origins whose pages may call the API, in the same format (default: none)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

HOSTS = "RENSHO_HOSTS"
ORIGINS = "RENSHO_ORIGINS"
CORS_ORIGINS = "RENSHO_CORS_ORIGINS"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"\*|\.?[\w-]+(\.[\w-]+)*\.?|\[[0-9a-f:.]+\]", re.IGNORECASE)


def _comma_separated(environment: Mapping[str, str], name: str) -> list[str]:
    return [word.strip() for word in environment.get(name, "").split(",") if word.strip()]


def hosts_of(environment: Mapping[str, str]) -> list[str]:
    """Return the host names of the site, by default this machine's; SystemExit for a scheme, port or path."""
    hosts = _comma_separated(environment, HOSTS) or list(LOCAL_HOSTS)
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise SystemExit(
                f"rensho: {HOSTS}: {host[:80]!r} is not a host name. Write names without scheme, port "
                "and path: rensho.example.org,www.example.org."
            )
    return hosts


def origins_of(environment: Mapping[str, str], name: str = ORIGINS) -> list[str]:
    """Return the origins in a variable; SystemExit unless they have just scheme, host and port."""
    origins = _comma_separated(environment, name)
    for origin in origins:
        try:
            parts = urlsplit(origin)
            is_origin = parts.scheme in ("http", "https") and origin == f"{parts.scheme}://{parts.netloc}"
            is_origin = is_origin and bool(parts.hostname) and "@" not in origin and parts.port != 0
        except ValueError:
            is_origin = False
        if not is_origin:
            raise SystemExit(
                f"rensho: {name}: {origin[:80]!r} is not an origin. Write only scheme and host: "
                " https://rensho.example.org."
            )
    return origins
