"""The content of an export that pages show, as bounded JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypedDict

from engine.printable import printable
from league.verify.archive import ArchiveVerification

MAX_TEXT_CHARACTERS = 200
"""Maximum characters of a text from outside."""

Document = Mapping[str, Any]


class EntryRow(TypedDict):
    id: str
    bots: list[tuple[str, int]]
    """Name and version number of each bot; the name is empty if its account was deleted."""
    players: list[str]


class StandingRow(TypedDict):
    entry: int
    """Index in the entries."""
    rank: int
    score: str | None
    """A fraction, in the event's scoring; null if there is none."""
    won: int | None
    drawn: int | None
    lost: int | None
    decided_by: str


class StageRow(TypedDict):
    number: int
    format: str
    rounds: int
    fixtures: int
    note: str
    standings: list[StandingRow]


class Summary(TypedDict):
    kind: str
    state: str
    game: str
    preset: str
    seats: int
    scoring: str
    commitment: str
    secret: str
    opened_at: str | None
    """Times of the statements, in ISO 8601; null if there is none."""
    ended_at: str | None
    statements: int
    entries: list[EntryRow]
    stages: list[StageRow]
    tables: int
    records: int
    deals: int
    """Boards of all sets, each derived from the secret."""
    unverified: int
    """Tables whose records the other site has lost."""
    proof: list[Sequence[str | int]]
    """``league.proof.Claim``, of which early imports have only the first three fields."""


class FixtureSide(TypedDict):
    entry: int
    score: str | None
    """Sum of its board scores, a fraction; null if it has none."""


class ImportedTable(TypedDict):
    id: str
    record: str
    """SHA-256; empty without a record."""
    rotation: int
    state: str
    seats: list[tuple[int, int, str]]
    """Number, entry and bot of each seat, as ``name v3``."""


class FixtureRow(TypedDict):
    id: str
    number: int
    state: str
    reason: str
    sides: list[FixtureSide]
    tables: list[ImportedTable]


class RoundRow(NamedTuple):
    stage: int
    number: int
    boards: int
    fixtures: list[FixtureRow]


def event_name(document: Document) -> str:
    return text_of(document["tournament"]["name"]) or shown(document["tournament"]["id"])


def text_of(label: Document | None) -> str:
    """Return the text of a label; empty if it was deleted."""
    return shown((label and label["text"]) or "")


def shown(text: str) -> str:
    """Return a text from outside as one bounded line without control characters."""
    return printable(text)[:MAX_TEXT_CHARACTERS]


def summary_of(verified: ArchiveVerification) -> Summary:
    document = verified.document
    tournament = document["tournament"]
    indexes = {entry["id"]: index for index, entry in enumerate(document["entries"])}
    times = [statement["body"]["published_at"] for statement in document["statements"]]
    rounds = [played for stage in document["stages"] for played in stage["rounds"]]
    return {
        "kind": tournament["kind"],
        "state": tournament["state"],
        "game": shown(tournament["game"]),
        "preset": shown(tournament["preset"]),
        "seats": tournament["sides"] * tournament["seats_per_side"],
        "scoring": tournament["scoring"],
        "commitment": tournament["commitment"],
        "secret": tournament["secret"],
        "opened_at": times[0] if times else None,
        "ended_at": times[-1] if times else None,
        "statements": len(times),
        "entries": [_entry(entry) for entry in document["entries"]],
        "stages": [_stage(stage, indexes, tournament["scoring"]) for stage in document["stages"]],
        "tables": sum(len(fixture["tables"]) for played in rounds for fixture in played["fixtures"]),
        "records": verified.records - len(verified.unverified),
        "deals": sum(played["boards"] for played in rounds),
        "unverified": len(verified.unverified),
        "proof": [tuple(claim) for claim in verified.proof],
    }


def _entry(entry: Document) -> EntryRow:
    return {
        "id": shown(entry["id"]),
        "bots": [(text_of(version["bot"]), version["number"]) for version in entry["versions"]],
        "players": [text_of(entry[key]) for key in ("player", "partner") if entry[key] is not None],
    }


def _stage(stage: Document, indexes: Mapping[str, int], scoring: str) -> StageRow:
    return {
        "number": stage["number"],
        "format": stage["format"],
        "rounds": len(stage["rounds"]),
        "fixtures": sum(len(played["fixtures"]) for played in stage["rounds"]),
        "note": shown(stage["note"]),
        "standings": [
            {
                "entry": indexes[row["entry"]],
                "rank": row["rank"],
                "score": row["values"].get(scoring),
                "won": row["values"].get("won"),
                "drawn": row["values"].get("drawn"),
                "lost": row["values"].get("lost"),
                "decided_by": row["decided_by"],
            }
            for row in stage["standings"]
        ],
    }


def rounds_of(document: Document) -> Iterator[RoundRow]:
    entries = document["entries"]
    indexes = {entry["id"]: index for index, entry in enumerate(entries)}
    bots = {
        (entry["id"], version["bundle_sha256"]): f"{text_of(version['bot'])} v{version['number']}".strip()
        for entry in entries
        for version in entry["versions"]
    }
    for stage in document["stages"]:
        for played in stage["rounds"]:
            fixtures = [_fixture(fixture, indexes, bots) for fixture in played["fixtures"]]
            yield RoundRow(stage["number"], played["number"], played["boards"], fixtures)


def _fixture(
    fixture: Document, indexes: Mapping[str, int], bots: Mapping[tuple[str, str], str]
) -> FixtureRow:
    scores: dict[str, Fraction] = defaultdict(Fraction)
    for row in fixture["scores"]:
        scores[row["entry"]] += Fraction(row["value"])
    return {
        "id": shown(fixture["id"]),
        "number": fixture["number"],
        "state": fixture["state"],
        "reason": shown(fixture["reason"]),
        "sides": [
            {"entry": indexes[entry], "score": str(scores[entry]) if entry in scores else None}
            for entry in fixture["sides"]
        ],
        "tables": [
            {
                "id": shown(table["id"]),
                "record": table["record_sha256"] or "",
                "rotation": table["rotation"],
                "state": table["state"],
                "seats": [
                    (
                        seat["seat"],
                        indexes[seat["entry"]],
                        bots.get((seat["entry"], seat["bundle_sha256"]), ""),
                    )
                    for seat in table["seats"]
                ],
            }
            for table in fixture["tables"]
        ],
    }
