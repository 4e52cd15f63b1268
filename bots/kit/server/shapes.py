"""What the API answers, as far as the kit reads it. Source: docs/api.md; a server may send more."""

from __future__ import annotations

import re
from typing import TypedDict

from bots.kit.errors import InputUnusable

OVER = ("final", "archived", "cancelled")
"""States of a tournament in which nothing will change any more."""

_ID = re.compile(r"[0-9a-z]{1,16}")
_ADDRESS = re.compile(r"https?://.*/(?P<kind>[a-z]+)/(?P<id>[0-9a-z]{1,16})/?")


class Me(TypedDict):
    """Oneself."""

    username: str
    handle: str | None
    scopes: list[str]


class Reason(TypedDict):
    """Why a version was rejected."""

    code: str
    message: str


class Version(TypedDict):
    """One upload."""

    id: str
    bot: str
    bot_name: str
    number: int
    state: str
    reasons: list[Reason] | None


class CheckStep(TypedDict):
    """One thing a check tried."""

    name: str
    ok: bool
    detail: str


class Check(TypedDict):
    """The last attempt to check a version."""

    attempt: int
    state: str
    steps: list[CheckStep]
    reasons: list[Reason]
    reason: str


class Event(TypedDict):
    """A tournament."""

    id: str
    name: str
    state: str
    state_reason: str
    game: str
    preset: str
    scoring: str
    tie_breaks: list[str]
    entries: int
    boards_per_round: int


class EntryVersion(TypedDict):
    """A version as entered."""

    id: str
    bot: str
    number: int


class Entry(TypedDict):
    """A registration."""

    id: str
    version: EntryVersion
    partner_version: EntryVersion | None


class StandingRow(TypedDict):
    """One line of the standings."""

    rank: int
    player: str
    bot: str
    values: dict[str, str | int | None]
    decided_by: str


class StageStandings(TypedDict):
    """The standings of one stage."""

    stage: int
    state: str
    rows: list[StandingRow]


class TableBrief(TypedDict):
    """How far a table is."""

    id: str
    state: str
    board_count: int
    boards_done: int


class Fixture(TypedDict):
    """A planned meeting of entries."""

    stage: int
    round: int
    state: str
    tables: list[TableBrief]


class TableSeat(TypedDict):
    """Who sits where; how it behaved is null while sealed."""

    seat: int
    player: str
    bot: str
    verdict: str | None
    forfeited: bool | None


class Table(TypedDict):
    """A table."""

    id: str
    state: str
    is_sealed: bool
    seats: list[TableSeat]


def public_id(text: str, kind: str) -> str:
    """The id in what somebody typed or copied: an id, or the address of a page of this kind.

    >>> public_id("https://rensho.example/tournaments/7k2mq9/", "tournament")
    '7k2mq9'

    Raises:
        InputUnusable: it is neither.
    """
    address = _ADDRESS.fullmatch(text.strip())
    if address and address["kind"] == f"{kind}s":
        return address["id"]
    if not _ID.fullmatch(text):
        raise InputUnusable(f"{text!r} is no id of a {kind}: take it from the address of its page")
    return text
