"""Where a webhook may point: which URLs, ports and addresses, so that nobody sends us into our own network.

An address is checked when it is connected to, and that very address is connected to: what a name
meant a moment before does not count (DNS rebinding). A name with one refused address is refused whole.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Sequence

import httpx

from arena.features.webhooks import conf

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host and port; raises OSError if there are none."""

MAX_URL_CHARACTERS = 500
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
"""All IPv6 addresses in use on the Internet lie in it."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses as seen from a network that has IPv6 alone: the last 32 bits count."""
BLOCKED_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.64.0.0/10",  # carrier-grade NAT
            "192.0.0.0/24",  # protocol assignments; a cloud's metadata service among them
            "192.88.99.0/24",  # relays into 6to4
            "198.18.0.0/15",  # benchmarks
            "2001::/23",  # protocol assignments, Teredo among them
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
        ),
    )
)
"""Refused whatever this Python version thinks of them."""
UNASSIGNED_NETWORKS = tuple(map(ipaddress.ip_network, ("0.0.0.0/8", "240.0.0.0/4")))
"""Private to Python, but nobody's."""
METADATA_ADDRESSES = frozenset(
    map(
        ipaddress.ip_address,
        (
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
        ),
    )
)
"""Where clouds hand out a machine's credentials. Refused even where private addresses are allowed."""


class AddressRefused(Exception):
    """A URL or address that must not be reached; ``code`` for machines, ``message`` for people."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


@dataclasses.dataclass(frozen=True)
class Target:
    """A URL that may be tried. ``host`` is ASCII, without brackets."""

    url: httpx.URL
    host: str
    port: int
    is_exempt: bool
    """The operator lets this host be reached whatever its address."""


def parse_target(url: str) -> Target:
    """The URL taken apart by the same parser that sends to it, and checked as far as text goes.

    Raises:
        Refused: ``url_invalid``, ``scheme_refused``, ``port_refused`` or ``address_refused``.
    """
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > MAX_URL_CHARACTERS:
        raise AddressRefused(
            "url_invalid", f"a URL is at most {MAX_URL_CHARACTERS} printable ASCII characters without spaces"
        )
    try:
        parsed = httpx.URL(url)
        host = parsed.raw_host.decode("ascii").lower()
    except (httpx.InvalidURL, ValueError):
        raise AddressRefused("url_invalid", "the URL cannot be read") from None
    if parsed.scheme not in ("https", "http") or not host or not 0 < (parsed.port or 443) < 65536:
        raise AddressRefused("url_invalid", "a URL begins with https:// and a host")
    if parsed.userinfo:
        raise AddressRefused(
            "url_invalid", "a URL must not carry a user name or password; verify the signature"
        )
    if parsed.fragment or "#" in url:
        raise AddressRefused("url_invalid", "a URL must not carry a fragment (#...)")
    is_exempt = host.rstrip(".") in conf.allowed_hosts()
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    literal = _literal(host)
    is_local = host == "localhost" or host.endswith(".localhost") or (literal and not literal.is_global)
    if is_local and not (is_exempt or conf.allow_private()):
        raise AddressRefused(
            "address_refused",
            f"{host} is not a public address. On a site for tests, the operator allows such addresses with "
            "WEBHOOK_ALLOW_PRIVATE=1",
        )
    if not (is_exempt or conf.allow_private()):
        if parsed.scheme == "http" and not conf.allow_http():
            raise AddressRefused("scheme_refused", "only https is allowed here")
        if port not in conf.ports(parsed.scheme):
            allowed = ", ".join(map(str, conf.ports(parsed.scheme)))
            raise AddressRefused("port_refused", f"port {port} is not allowed; allowed: {allowed}")
    target = Target(parsed, host, port, is_exempt)
    if literal is not None and not may_reach(literal, target):
        raise AddressRefused("address_refused", "this address is not public")
    return target


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def may_reach(address: Address, target: Target) -> bool:
    """Whether this address may be connected to for this target."""
    return target.is_exempt or _is_allowed(address, with_private=conf.allow_private())


def _is_allowed(address: Address, *, with_private: bool) -> bool:
    inner = _embedded_ipv4(address)
    if inner is not None:
        return _is_allowed(inner, with_private=with_private)
    if address in METADATA_ADDRESSES or address.is_multicast or address.is_unspecified:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
        return False
    if with_private and (address.is_private or address.is_loopback or address in BLOCKED_NETWORKS[0]):
        # Link-local counts as private to Python, and is where metadata services of every kind live.
        return not (address.is_link_local or any(address in network for network in UNASSIGNED_NETWORKS))
    if any(address in network for network in BLOCKED_NETWORKS if network.version == address.version):
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_V6:
        return False
    return address.is_global and not address.is_reserved


def _embedded_ipv4(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address an IPv6 address stands for, if it is but a way to write one."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None


def system_resolve(host: str, port: int) -> list[str]:
    """What the system's resolver says; each address once, in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolve_target(target: Target, within_s: float, look_up: Resolver = system_resolve) -> list[Address]:
    """The addresses to connect to, looked up once, all of them allowed.

    Raises:
        Refused: ``name_unknown``, ``name_timeout`` or ``address_refused``. The message does not say
            which address it was: names inside our network are not for everybody.
    """
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(look_up(target.host, target.port))
        except OSError as error:
            answers.put(error)
        except UnicodeError as error:
            answers.put(OSError(str(error)))

    # The system's resolver knows no deadline; a thread that waits for it longer than we is left to it.
    threading.Thread(target=ask, name="webhook-resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=max(within_s, 0.001))
    except queue.Empty:
        raise AddressRefused("name_timeout", f"{target.host} was not resolved in time") from None
    if isinstance(answer, OSError) or not answer:
        raise AddressRefused("name_unknown", f"{target.host} has no address")
    try:
        addresses: list[Address] = [ipaddress.ip_address(text) for text in answer]
    except ValueError:
        raise AddressRefused("address_refused", f"{target.host} has an address that is not public") from None
    if not all(may_reach(address, target) for address in addresses):
        raise AddressRefused("address_refused", f"{target.host} has an address that is not public")
    return addresses
