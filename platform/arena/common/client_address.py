"""Whose request it is, as far as the network tells: the one place that reads ``X-Forwarded-For``.

The address of the connection counts. Only if it belongs to a proxy named in ``settings.TRUSTED_PROXIES`` is
that header read, from the right, as each proxy appends the address it was called from: the first address
that is no trusted proxy is the caller's. What stands further left anybody may have written.
"""

from __future__ import annotations

import functools
import ipaddress
from typing import TypeAlias

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from arena.settings.proxies import UNIX

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

IPV6_PREFIX = 64
"""Whoever has one address of IPv6 has so large a network of them."""
UNKNOWN_ADDRESS = "unknown"
"""Stands for every caller without an address: through a unix socket without a trusted proxy."""
MAX_HOPS = 32
"""Addresses of ``X-Forwarded-For`` that are looked at, from the right."""
MAX_HOP_CHARACTERS = 64
"""A longer one is no address: 45 characters of IPv6, brackets, a port."""


def client_address(request: HttpRequest | Request) -> str:
    """The caller's address: IPv4 as four numbers, IPv6 compressed without zone; ``unknown`` if there is none.

    A header that cannot be read never raises: then the last address known for sure counts, that of the
    nearest proxy.
    """
    meta = request.META
    return forwarded_address(meta.get("REMOTE_ADDR") or "", meta.get("HTTP_X_FORWARDED_FOR") or "")


def client_network(request: HttpRequest | Request) -> str:
    """What stands for one visitor in limits and places: ``network_of`` the caller's address."""
    return network_of(client_address(request))


def forwarded_address(peer: str, forwarded_for: str) -> str:
    """The caller's address, from that of the connection (empty: a unix socket) and ``X-Forwarded-For``."""
    if not is_trusted_proxy(peer):
        return _format_address(_parse_address(peer))
    nearest = _parse_address(peer)
    # At most HOPS pieces from the right, and what is left of them in one, which is not looked at.
    for hop in reversed(forwarded_for.rsplit(",", MAX_HOPS)[-MAX_HOPS:]):
        address = _parse_address(hop)
        if address is None:
            break
        nearest = address
        if not _is_trusted(address):
            break
    return _format_address(nearest)


def is_trusted_proxy(peer: str) -> bool:
    """Whether a connection from this address, or through a unix socket if empty, is a trusted proxy's."""
    if not peer:
        return UNIX in settings.TRUSTED_PROXIES
    address = _parse_address(peer)
    return address is not None and _is_trusted(address)


def network_of(address: str) -> str:
    """What stands for one visitor: the address, or the /64 network of an IPv6 one, or ``unknown``."""
    found = _parse_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found), IPV6_PREFIX), strict=False).network_address)
    return _format_address(found)


def _format_address(address: IpAddress | None) -> str:
    return UNKNOWN_ADDRESS if address is None else str(address)


def _parse_address(text: str) -> IpAddress | None:
    """An address as proxies write it, or None: a port, brackets, quotes and a zone are dropped, IPv4 mapped
    into IPv6 becomes IPv4."""
    if len(text) > MAX_HOP_CHARACTERS:
        return None
    text = text.strip(" \t\"'")
    if text.startswith("["):
        text, _, port = text[1:].partition("]")
        if port and not _is_port(port):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not _is_port(f":{port}"):
            return None
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv4Address):
        return found
    return found.ipv4_mapped or ipaddress.IPv6Address(int(found))


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdigit()


def _is_trusted(address: IpAddress) -> bool:
    return any(address in network for network in _networks(tuple(settings.TRUSTED_PROXIES)))


@functools.lru_cache(maxsize=8)
def _networks(proxies: tuple[str, ...]) -> tuple[IpNetwork, ...]:
    return tuple(ipaddress.ip_network(proxy) for proxy in proxies if proxy != UNIX)
