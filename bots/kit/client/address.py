"""Addresses of servers and of what is on them, as people type or copy them."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from bots.kit.errors import InvalidInput

API = "/api/v1"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ID = re.compile(r"[0-9a-z]{1,16}")
_ADDRESS = re.compile(r"https?://.*/(?P<kind>[a-z]+)/(?P<id>[0-9a-z]{1,16})/?")


def server_url(text: str) -> str:
    """The address of a server in one spelling: no slash at the end, no ``/api/v1``.

    Raises:
        InvalidInput: it is no web address.
    """
    url = text.strip().rstrip("/").removesuffix(API)
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or parts.username:
        raise InvalidInput(f"{text!r} is no address of a server: write one like https://rensho.example")
    return url


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in LOOPBACK


def is_public_id(text: str) -> bool:
    """Whether a text looks like the id of something; it may be a name all the same."""
    return _ID.fullmatch(text) is not None


def kind_and_id(text: str, kinds: Collection[str]) -> tuple[str, str]:
    """Kind and id in the address of a page or of one below; a bare id has no kind, anything else no id.

    >>> place_of("https://rensho.example/versions/7k2mq9/faults", ("bots", "versions"))
    ('versions', '7k2mq9')
    >>> place_of("7k2mq9", ("bots", "versions")), place_of("My bot", ("bots", "versions"))
    (('', '7k2mq9'), ('', ''))
    """
    for kind in kinds:
        address = re.match(rf"https?://[^/]+/(?:.*/)?{kind}/([0-9a-z]{{1,16}})(?:/|$)", text.strip())
        if address:
            return kind, address[1]
    return "", text if is_public_id(text) else ""


def public_id(text: str, kind: str) -> str:
    """The id in what somebody typed or copied: an id, or the address of a page of this kind.

    >>> public_id("https://rensho.example/tournaments/7k2mq9/", "tournament")
    '7k2mq9'

    Raises:
        InvalidInput: it is neither.
    """
    address = _ADDRESS.fullmatch(text.strip())
    if address and address["kind"] in (kind, f"{kind}s"):
        return address["id"]
    if not is_public_id(text):
        raise InvalidInput(f"{text!r} is no id of a {kind}: take it from the address of its page")
    return text
