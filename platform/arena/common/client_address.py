"""The caller's IP address. The only module that reads ``X-Forwarded-For``.

Behind a proxy in ``settings.TRUSTED_PROXIES``, the header is read from the right: the first address that is
not a trusted proxy is the caller's. Anything further left may be forged.
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
"""Prefix length that counts as one visitor, as providers assign whole /64 networks."""
UNKNOWN_ADDRESS = "unknown"
"""Stands for callers without an address, who use a unix socket without a trusted proxy."""
MAX_HOPS = 32
"""Maximum addresses of ``X-Forwarded-For`` that are read, from the right."""
MAX_HOP_CHARACTERS = 64
"""Maximum length of an address with brackets and port; IPv6 has at most 45 characters."""


def client_address(request: HttpRequest | Request) -> str:
    """Return the caller's address: dotted IPv4, compressed IPv6 without zone, or ``unknown``."""
    meta = request.META
    return forwarded_address(meta.get("REMOTE_ADDR") or "", meta.get("HTTP_X_FORWARDED_FOR") or "")


def client_network(request: HttpRequest | Request) -> str:
    return network_of(client_address(request))


def forwarded_address(peer: str, forwarded_for: str) -> str:
    """Return the caller's address, given that of the connection ("" for a unix socket) and the header."""
    if not is_trusted_proxy(peer):
        return _format_address(_parse_address(peer))
    nearest = _parse_address(peer)
    # At most MAX_HOPS parts from the right; the remainder is one part, which is ignored.
    for hop in reversed(forwarded_for.rsplit(",", MAX_HOPS)[-MAX_HOPS:]):
        address = _parse_address(hop)
        if address is None:
            break
        nearest = address
        if not _is_trusted(address):
            break
    return _format_address(nearest)


def is_trusted_proxy(peer: str) -> bool:
    """Return whether a connection from this address (empty for a unix socket) comes from a trusted proxy."""
    if not peer:
        return UNIX in settings.TRUSTED_PROXIES
    address = _parse_address(peer)
    return address is not None and _is_trusted(address)


def network_of(address: str) -> str:
    """Return the key of a visitor: the IPv4 address, the /64 network of an IPv6 address, or ``unknown``."""
    parsed = _parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(parsed), IPV6_PREFIX), strict=False).network_address)
    return _format_address(parsed)


def _format_address(address: IpAddress | None) -> str:
    return UNKNOWN_ADDRESS if address is None else str(address)


def _parse_address(text: str) -> IpAddress | None:
    """Parse an address without port, brackets, quotes, zone and IPv4 mapping, or return None."""
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
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv4Address):
        return parsed
    return parsed.ipv4_mapped or ipaddress.IPv6Address(int(parsed))


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdigit()


def _is_trusted(address: IpAddress) -> bool:
    return any(address in network for network in _networks(tuple(settings.TRUSTED_PROXIES)))


@functools.lru_cache(maxsize=8)
def _networks(proxies: tuple[str, ...]) -> tuple[IpNetwork, ...]:
    return tuple(ipaddress.ip_network(proxy) for proxy in proxies if proxy != UNIX)
