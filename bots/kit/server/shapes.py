"""What the API answers, as far as the kit reads it. Source: docs/api.md; a server may send more."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NotRequired, TypedDict

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


class BotBrief(TypedDict):
    """A bot."""

    id: str
    name: str


class Version(TypedDict):
    """One upload. What others may not know is null, and what an older server does not tell is missing."""

    id: str
    bot: str
    bot_name: str
    number: int
    state: str
    reasons: list[Reason] | None
    suspended_reason: NotRequired[str | None]
    waiting_reason: NotRequired[str | None]
    """Why its check cannot begin, such as ``runtime_unavailable: ...``; empty if it can."""


class FaultGroup(TypedDict):
    """Faults of a version that look alike."""

    fingerprint: str
    verdict: str
    phase: str
    count: int
    first_seen_at: str
    last_seen_at: str
    table: str
    """Where the sample happened; empty for the check's trial table."""
    seat: int
    sample: dict[str, Any]
    """The whole fault there, as ``referee.contract.Fault``."""
    links: NotRequired[dict[str, str | None]]
    clock_trace: NotRequired[list[dict[str, Any]]]
    """Times of the decisions before it; of a group asked for by itself only."""


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
    waiting_reason: NotRequired[str]
    """Why it cannot begin, such as ``runtime_unavailable: ...``; empty if it can."""


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
    reason: NotRequired[str | None]
    """Why it waits, such as ``runtime_unavailable: ...``."""
    seats: list[TableSeat]


class Notice(TypedDict):
    """Something the account is told."""

    text: str
    url: str


def place_of(text: str, kinds: Collection[str]) -> tuple[str, str]:
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
    return "", text if _ID.fullmatch(text) else ""


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
