"""Every address of the site that can be read, filled in with the ids of a round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver

Ids = Mapping[str, Sequence[object]]

OF_SEGMENTS = {
    "events": "tournament",
    "cups": "series",
    "ladders": "ladder",
    "ratings": "list",
    "integrity": "list",
    "play": "casual",
    "tournaments": "tournament",
    "entries": "entry",
    "bots": "bot",
    "versions": "version",
    "tables": "table",
    "boards": "board_set",
    "fixtures": "fixture",
    "experiments": "experiment",
    "problems": "problem",
    "watch": "fixture",
    "courses": "course",
}
"""Whose id follows a segment of the address of a page."""
PAIR = ("first", "second", "ruling")
"""Of whom a ruling is made, and the ruling."""
FIXED: Ids = {
    "stage": [1],
    "number": [1, 2],
    "board": [1, 2],
    "position": ["b1t3p2"],
    "seat": [1, 2],
    "imported": ["nosuchthing1"],
    "course": ["nosuchthing1"],
    "account": ["nosuchthing1"],
    "invitation": ["nosuchthing1"],
    "account_list": ["nosuchthing1"],
    "fixture_number": [1],
    "table_number": [1],
    "game": ["kakeya"],
    "preset": ["kakeya4"],
    "kind": ["opened", "locked", "final", "cancelled"],
    "verb": ["confirm"],
    "fingerprint": ["0123456789abcdef"],
    "day": ["2026-11-20"],
    "week": ["2026-W47"],
    "page": ["kakeya"],
    "tag": ["tables"],
    "secret": ["x" * 43],
    **{name: ["nosuchthing1"] for name in ("token", "notice", "webhook", "delivery", "series", "key", *PAIR)},
    **{name: ["nosuchthing1"] for name in ("entry_id", "season", "placement", "experiment", "report")},
}
"""Values of what is not of the round; whoever adds a parameter says here what it may be."""
QUERIES = {
    "/tables/{}": ["?at=b1t3p2", "?at=b2t13&seat=1", "?seat=3"],
    "/tables/{}/explore": ["?at=b1t3p2", "?at=b1t1p1&plays=2C", "?lead=2", "?at=b1t9&best=1"],
    "/explore": ["?text=preset:+kakeya4"],
    "/tables/{}/view": ["?board=1"],
    "/fixtures/{}/boards/{}/compare": ["?at=b1t3p2"],
    "/watch/{}/{}": ["?at=b1t3p2"],
    "/watch": ["?after=1&newest=1"],
    "/api/v1/tables/{}/view": ["?board=1"],
    "/search": ["?q={tournament}", "?q={table}", "?q={board_set}", "?q={fixture}", "?q=running", "?q=b1t3"],
    "/api/v1/tables": ["?tournament={tournament}", "?fixture={fixture}"],
    "/api/v1/fixtures": ["?tournament={tournament}"],
}
STATIC = (
    "/rules",
    "/docs",
    "/.well-known",
    "/api/v1/schema",
    "/api/v1/docs",
    "/me",
    "/sign-",
    "/reset",
    "/readyz",
)
"""Nothing in a database shows in what begins so, or only what is of an account alone: when it was seen."""


def patterns() -> Iterator[str]:
    """The routes of pages and API."""
    yield from _patterns(get_resolver(), "/")


def _patterns(resolver: URLResolver, before: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            if "(?" not in route and not route.startswith("/admin"):
                yield route
        else:
            yield from _patterns(pattern, route)


def addresses(ids: Ids) -> list[str]:
    """Every address, each parameter with all that ``ids`` and FIXED have for it.

    Raises:
        KeyError: a parameter is unknown.
    """
    found = []
    for route in patterns():
        if route.startswith(STATIC):
            continue
        names = [name for _, name in re.findall(r"<(?:(\w+):)?(\w+)>", route)]
        bare = re.sub(r"<[^>]+>", "{}", route)
        for values in product(*(_values(route, name, ids) for name in names)):
            address = bare.format(*values)
            firsts = {name: some[0] for name, some in ids.items() if some}
            queries = [query.format_map(firsts) for query in QUERIES.get(bare, [])]
            found += [address, *(address + query for query in queries)]
    return found


def _values(route: str, name: str, ids: Ids) -> Sequence[object]:
    if name == "public_id":
        name = OF_SEGMENTS.get(route.partition("/<")[0].rpartition("/")[2], "series")
    if name in ("player", "handle"):
        name = "handle"
    return ids[name] if name in ids else FIXED[name]
