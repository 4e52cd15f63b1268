"""Reverse proxies in front of this installation, from ``RENSHO_TRUSTED_PROXIES``."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

VARIABLE = "RENSHO_TRUSTED_PROXIES"
UNIX = "unix"
"""Any connection through a unix socket, which has no address."""


def trusted_proxies_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return networks in normal form, such as ``127.0.0.1/32``, and ``unix``.

    Raise ``SystemExit`` if a part is neither an address nor a network, or contains all addresses.
    """
    return tuple(
        word if word == UNIX else _network(word)
        for word in environment.get(VARIABLE, "").replace(",", " ").split()
    )


def _network(word: str) -> str:
    try:
        network = ipaddress.ip_network(word)
    except ValueError as error:
        raise SystemExit(
            f"rensho: {VARIABLE}: {word[:80]!r} is not an address or a network ({str(error)[:120]}). "
            "Write a comma list such as 127.0.0.1,::1,10.0.0.0/24, or 'unix' for a proxy that connects "
            "through a unix socket."
        ) from None
    if network.prefixlen == 0:
        raise SystemExit(
            f"rensho: {VARIABLE}: {word!r} includes every address, so that any client could forge its "
            "address. Name only the networks of your proxies."
        )
    return str(network)
