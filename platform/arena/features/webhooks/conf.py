"""Settings of webhooks for operators; the defaults suit a public site.

Each name is read from Django's settings, else from the environment, else it has the default given here.

WEBHOOK_ALLOWED_HOSTS   comma-separated hosts that webhooks may reach at any address, port and scheme, such as
                        the operator's own receivers (default: none)
WEBHOOK_ALLOW_PRIVATE   1 allows private and loopback addresses, by http and at any port: for a closed network
                        or a laptop (default: 0). Metadata services remain refused
WEBHOOK_ALLOW_HTTP      1 allows plain http to public addresses (default: 0)
WEBHOOK_PORTS           comma-separated ports of public addresses (default: 443, 8443; for http 80, 8080)
WEBHOOK_TIMEOUT_S       seconds per attempt, from name resolution to the status (default: 10)
WEBHOOKS_PER_USER       maximum webhooks per account (default: 10)
WEBHOOK_QUEUE_MAX    maximum waiting deliveries per webhook; further events are missed (default: 10000)
WEBHOOK_DISABLE_S       seconds with only failures after which a webhook is disabled (default: 3 days)
"""

from __future__ import annotations

import os

from django.conf import settings

from arena.settings.numbers import number_of
from arena.settings.switches import switch_of

HTTPS_PORTS = (443, 8443)
HTTP_PORTS = (80, 8080)
RETRY_DELAYS_S = (10, 60, 300, 1800, 7200, 21600, 43200)
"""Delays between attempts at a delivery: 10 s to 12 h. There is one attempt more than delays."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S) + 1
DEADLINE_S = 3 * 24 * 3600
"""Seconds after which a waiting delivery fails."""
RETENTION_S = 14 * 24 * 3600
"""Seconds for which ended deliveries are kept."""
MAX_REST_S = 3600
"""Maximum pause of a failing webhook, in seconds."""
LEASE_S = 60
"""Seconds for which a process holds a delivery; must exceed the maximum WEBHOOK_TIMEOUT_S plus some slack."""
MAX_TIMEOUT_S = 30
OLD_SECRET_S = 24 * 3600
"""Seconds after a rotation during which both secrets sign."""


def _text(name: str) -> str:
    value = getattr(settings, name, None)
    if value is None:
        value = os.environ.get(name, "")
    if isinstance(value, list | tuple | set | frozenset):
        return ",".join(str(item) for item in value)
    return str(value).strip()


def _integer(name: str, default: int, least: int, most: int) -> int:
    return number_of({name: _text(name)}, name, default, range(least, most + 1))


def _is_on(name: str) -> bool:
    text = _text(name).lower()
    return switch_of({name: {"true": "1", "false": "0"}.get(text, text)}, name)


def _items(name: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in _text(name).split(",") if word.strip())


def allowed_hosts() -> frozenset[str]:
    return frozenset(word.lower().rstrip(".") for word in _items("WEBHOOK_ALLOWED_HOSTS"))


def allow_private() -> bool:
    return _is_on("WEBHOOK_ALLOW_PRIVATE")


def allow_http() -> bool:
    return _is_on("WEBHOOK_ALLOW_HTTP")


def ports(scheme: str) -> tuple[int, ...]:
    named = _items("WEBHOOK_PORTS")
    if not named:
        return HTTPS_PORTS if scheme == "https" else HTTP_PORTS
    if not all(word.isascii() and word.isdigit() and 0 < int(word[:6]) < 65536 for word in named):
        raise SystemExit(f"rensho: WEBHOOK_PORTS={','.join(named)!r} is not a list of ports.")
    return tuple(int(word) for word in named)


def timeout_s() -> int:
    return _integer("WEBHOOK_TIMEOUT_S", 10, 1, MAX_TIMEOUT_S)


def webhooks_per_user() -> int:
    return _integer("WEBHOOKS_PER_USER", 10, 0, 1000)


def max_waiting() -> int:
    return _integer("WEBHOOK_QUEUE_MAX", 10_000, 1, 1_000_000)


def disable_s() -> int:
    return _integer("WEBHOOK_DISABLE_S", 3 * 24 * 3600, 60, 365 * 24 * 3600)


def check() -> None:
    """Read every setting once; ``SystemExit`` names a wrong one, its value and the default."""
    for read in (
        allowed_hosts,
        allow_private,
        allow_http,
        timeout_s,
        webhooks_per_user,
        max_waiting,
        disable_s,
    ):
        read()
    for scheme in ("https", "http"):
        ports(scheme)
