"""Allowed webhook targets, so that a webhook cannot reach the site's own network.

The address is checked when connecting (DNS rebinding). A name is refused if one of its addresses is.
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
"""Returns the addresses of a host and port; raises OSError if there are none."""

MAX_URL_CHARACTERS = 500
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
"""Range of all IPv6 addresses in use on the Internet."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses as used in IPv6-only networks; the last 32 bits are the IPv4 address."""
BLOCKED_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.64.0.0/10",  # carrier-grade NAT
            "192.0.0.0/24",  # protocol assignments, including a cloud's metadata service
            "192.88.99.0/24",  # relays into 6to4
            "198.18.0.0/15",  # benchmarks
            "2001::/23",  # protocol assignments, including Teredo
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
        ),
    )
)
"""Refused regardless of how this Python version classifies them."""
UNASSIGNED_NETWORKS = tuple(map(ipaddress.ip_network, ("0.0.0.0/8", "240.0.0.0/4")))
"""Classified as private by Python, but not in use."""
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
"""Metadata services with cloud credentials. Refused even if private addresses are allowed."""


class AddressRefused(Exception):
    """A URL or address that must not be reached; ``code`` for programs, ``message`` for people."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


@dataclasses.dataclass(frozen=True)
class Target:
    """A URL that passed the checks. ``host`` is ASCII, without brackets."""

    url: httpx.URL
    host: str
    port: int
    is_exempt: bool
    """Whether the operator allows this host at any address."""


def parse_target(url: str) -> Target:
    """Parse a URL as for sending, and check everything that needs no name resolution.

    Raises AddressRefused (``url_invalid``, ``scheme_refused``, ``port_refused`` or ``address_refused``).
    """
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > MAX_URL_CHARACTERS:
        raise AddressRefused(
            "url_invalid", f"a URL is at most {MAX_URL_CHARACTERS} printable ASCII characters without spaces"
        )
    try:
        parsed = httpx.URL(url)
        host = parsed.raw_host.decode("ascii").lower()
    except (httpx.InvalidURL, ValueError):
        raise AddressRefused("url_invalid", "the URL is malformed") from None
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
    """Return whether connecting to this address is allowed for the target."""
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
        # Python classifies link-local addresses as private; clouds use them for metadata services.
        return not (address.is_link_local or any(address in network for network in UNASSIGNED_NETWORKS))
    if any(address in network for network in BLOCKED_NETWORKS if network.version == address.version):
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_V6:
        return False
    return address.is_global and not address.is_reserved


def _embedded_ipv4(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds (mapped or NAT64), or None."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None


def system_resolve(host: str, port: int) -> list[str]:
    """Resolve a host with the system's resolver; addresses without duplicates, in its order."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def resolve_target(target: Target, within_s: float, look_up: Resolver = system_resolve) -> list[Address]:
    """Resolve the target once, and return its addresses if all are allowed.

    Raises AddressRefused (``name_unknown``, ``name_timeout`` or ``address_refused``), without the address in
    the text: names inside the site's network are not public.
    """
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(look_up(target.host, target.port))
        except OSError as error:
            answers.put(error)
        except UnicodeError as error:
            answers.put(OSError(str(error)))

    # The system's resolver has no timeout, so a thread waits for it, possibly longer than this call.
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
