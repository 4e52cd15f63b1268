"""What an operator may set for webhooks; the defaults suit an open network.

Each name is read from Django's settings, else from the environment, else it has the default given here.

WEBHOOK_ALLOWED_HOSTS   host names, comma separated, that webhooks may reach whatever their address, port or
                        scheme: the operator's own receivers (default: none)
WEBHOOK_ALLOW_PRIVATE   1 lets webhooks reach private and loopback addresses, by http and at any port: for a
                        closed network or a laptop (default: 0). Metadata services stay refused
WEBHOOK_ALLOW_HTTP      1 lets webhooks go over plain http to public addresses (default: 0)
WEBHOOK_PORTS           ports of public addresses, comma separated (default: 443, 8443; by http 80, 8080)
WEBHOOK_TIMEOUT_S       seconds an attempt may take from the look-up of the name to the status (default: 10)
WEBHOOKS_PER_USER       webhooks of one account (default: 10)
WEBHOOK_WAITING_MOST    deliveries that may wait for one webhook; further events are missed (default: 10000)
WEBHOOK_DISABLE_S       seconds of nothing but failures after which a webhook is disabled (default: 3 days)
"""

from __future__ import annotations

import os

from django.conf import settings

from arena.settings.numbers import number_of
from arena.settings.switches import switch_of

HTTPS_PORTS = (443, 8443)
HTTP_PORTS = (80, 8080)
RETRY_DELAYS_S = (10, 60, 300, 1800, 7200, 21600, 43200)
"""From one attempt at a delivery to the next: 10 s to 12 h. One attempt more than pauses."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S) + 1
DEADLINE_S = 3 * 24 * 3600
"""A delivery that waits longer, for whatever reason, has failed."""
RETENTION_S = 14 * 24 * 3600
"""How long deliveries are kept after their end."""
MAX_REST_S = 3600
"""A webhook that fails again and again is left alone this long at most."""
LEASE_S = 60
"""Who sends a delivery has it this long; must exceed the longest WEBHOOK_TIMEOUT_S and some slack."""
MAX_TIMEOUT_S = 30
OLD_SECRET_S = 24 * 3600
"""After a rotation both secrets sign this long."""


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
    """Hosts to which no rule of addresses, ports and schemes applies; lower case."""
    return frozenset(word.lower().rstrip(".") for word in _items("WEBHOOK_ALLOWED_HOSTS"))


def allow_private() -> bool:
    """Whether private and loopback addresses may be reached."""
    return _is_on("WEBHOOK_ALLOW_PRIVATE")


def allow_http() -> bool:
    """Whether http will do for public addresses."""
    return _is_on("WEBHOOK_ALLOW_HTTP")


def ports(scheme: str) -> tuple[int, ...]:
    """Ports of public addresses that may be reached by this scheme."""
    named = _items("WEBHOOK_PORTS")
    if not named:
        return HTTPS_PORTS if scheme == "https" else HTTP_PORTS
    if not all(word.isascii() and word.isdigit() and 0 < int(word[:6]) < 65536 for word in named):
        raise SystemExit(f"rensho: WEBHOOK_PORTS={','.join(named)!r} is no list of ports.")
    return tuple(int(word) for word in named)


def timeout_s() -> int:
    """Seconds for one attempt in all."""
    return _integer("WEBHOOK_TIMEOUT_S", 10, 1, MAX_TIMEOUT_S)


def webhooks_per_user() -> int:
    """Webhooks one account may have."""
    return _integer("WEBHOOKS_PER_USER", 10, 0, 1000)


def max_waiting() -> int:
    """Deliveries that may wait for one webhook."""
    return _integer("WEBHOOK_WAITING_MOST", 10_000, 1, 1_000_000)


def disable_s() -> int:
    """Seconds of nothing but failures after which a webhook is disabled."""
    return _integer("WEBHOOK_DISABLE_S", 3 * 24 * 3600, 60, 365 * 24 * 3600)


def check() -> None:
    """Read every setting once, so that a wrong one is reported when a process starts and not to a caller.

    Raises:
        SystemExit: one is wrong; the sentence names it, its value and the default.
    """
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
