"""Parsing of server addresses and page addresses."""

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
    """Normalise a server address: no trailing slash or ``/api/v1``; ``InvalidInput`` for other text."""
    url = text.strip().rstrip("/").removesuffix(API)
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or parts.username:
        raise InvalidInput(f"{text!r} is not a server address: write one such as https://rensho.example")
    return url


def is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in LOOPBACK


def is_public_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def kind_and_id(text: str, kinds: Collection[str]) -> tuple[str, str]:
    """Return kind and id from the address of a page or subpage; ``""`` for what is unknown.

    >>> kind_and_id("https://rensho.example/versions/7k2mq9/faults", ("bots", "versions"))
    ('versions', '7k2mq9')
    >>> kind_and_id("7k2mq9", ("bots", "versions")), kind_and_id("My bot", ("bots", "versions"))
    (('', '7k2mq9'), ('', ''))
    """
    for kind in kinds:
        address = re.match(rf"https?://[^/]+/(?:.*/)?{kind}/([0-9a-z]{{1,16}})(?:/|$)", text.strip())
        if address:
            return kind, address[1]
    return "", text if is_public_id(text) else ""


def public_id(text: str, kind: str) -> str:
    """Return the id from an id or the address of a page of this kind, or raise ``InvalidInput``."""
    address = _ADDRESS.fullmatch(text.strip())
    if address and address["kind"] in (kind, f"{kind}s"):
        return address["id"]
    if not is_public_id(text):
        raise InvalidInput(f"{text!r} is not the id of a {kind}: copy it from the address of its page")
    return text
