"""Verification of a whole event from its export, naming every disagreement.

Uses only the plain values of an export and the bytes of its records, so that any reader can run it. The
caller provides the function that replays a record. Source: docs/contracts.md#fair-deals.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import NamedTuple

from league.errors import LeagueError
from league.export_shape import FORMAT, shape_errors
from league.fairness import commitment, queued_id
from league.formats import format_named
from league.seeding import order_by_seed, qualified_entries
from league.standings import StandingsRow
from league.statements import OPENED
from league.verify.brackets import elimination_disagreements
from league.verify.ends import end_disagreements, field_without_stages, stages_misordered
from league.verify.stages import StageCheck, standing_values
from league.verify.statements import statement_disagreements
from league.verify.tables import CANCELLED, ENDED, Document, EventExport, ReplayedRecord, Replayer

__all__ = [
    "FORMAT",
    "Document",
    "Findings",
    "ReplayedRecord",
    "Replayer",
    "StandingsRow",
    "disagreements",
    "findings",
    "order_by_seed",
    "qualified_entries",
    "record_hashes",
    "standing_values",
]

QUEUED_KINDS = ("ladder", "experiment")
"""Kinds whose commitments always come from the queue."""


def record_hashes(document: Document) -> Iterator[str]:
    known: set[str] = set()
    for stage in document["stages"]:
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                for table in fixture["tables"]:
                    sha256 = table["record_sha256"]
                    if sha256 and sha256 not in known:
                        known.add(sha256)
                        yield sha256


class Findings(NamedTuple):
    """Result of verifying an event."""

    disagreements: list[str]
    unverified: list[str]
    """Ids of the tables whose records are lost: their results are accepted as stated."""


def disagreements(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> list[str]:
    """Return the disagreements of ``findings``."""
    return findings(document, record_bytes, replayed).disagreements


def findings(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> Findings:
    """Return every disagreement in an event, and every table that cannot be verified.

    ``record_bytes`` returns a record by its hash, or raises LookupError or RecordLost. A secret that is not
    revealed yet is a disagreement.
    """
    disagreements = list(shape_errors(document))
    unverified: list[str] = []
    if disagreements:
        return Findings(disagreements, unverified)
    try:
        for sentence in _event_disagreements(document, record_bytes, replayed, unverified):
            disagreements.append(sentence)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        reason = str(error) if isinstance(error, LeagueError) else f"{type(error).__name__}: {error}"
        disagreements.append(f"the export cannot be read: {reason}")
    return Findings(disagreements, unverified)


def _event_disagreements(
    document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer, unverified: list[str]
) -> Iterator[str]:
    tournament = document["tournament"]
    if tournament["secret"] is None:
        yield "the secret is not revealed yet, so the deals cannot be derived"
        return
    secret = bytes.fromhex(tournament["secret"])
    is_fixed = any(stage["field_digest"] for stage in document["stages"])
    if (tournament["commitment"] or is_fixed) and commitment(secret) != tournament["commitment"]:
        yield "the secret is not the one that was committed to"
    entries = {entry["id"]: entry for entry in document["entries"]}
    event = EventExport(
        tournament,
        secret,
        entries,
        {name: position for position, name in enumerate(entries)},
        record_bytes,
        replayed,
        unverified=unverified,
    )
    if [stage["number"] for stage in document["stages"]] != list(range(1, len(document["stages"]) + 1)):
        yield "the stages are not numbered from 1"
    yield from _settings_disagreements(event, document)
    stages: list[StageCheck] = []
    for stage in document["stages"]:
        stages.append(StageCheck(event, stage, stages[-1] if stages else None))
        yield from stages[-1].check()
        yield from end_disagreements(stages[-1])
        yield from elimination_disagreements(stages[-1])
        yield from field_without_stages(stages[-1])
    yield from stages_misordered(stages, has_ended=event.has_ended)
    yield from statement_disagreements(document)


def _settings_disagreements(event: EventExport, document: Document) -> Iterator[str]:
    """Yield contradictions between settings and entries."""
    tournament = event.tournament
    if tournament["state"] not in (*ENDED, CANCELLED):
        yield f"the secret is revealed, although the tournament is {tournament['state']}"
    if (tournament["max_passes"] > 1) != (tournament["board_plan"] == "until_separated"):
        yield f"{tournament['max_passes']} passes do not fit the plan of boards {tournament['board_plan']!r}"
    if tournament["tie_breaks"][-1:] != ["lot"]:
        yield "the last tie-break is not the lot"
    is_locked = any(stage["field_digest"] for stage in document["stages"])
    for name, entry in event.entries.items():
        where = f"entry {name}"
        has_left = entry["status"] == "left"
        if (entry["left_stage"] is not None, entry["left_round"] is not None) != (has_left, has_left):
            yield f"{where}: it is {entry['status']}, but its stage and round of leaving say otherwise"
        if has_left and (entry["left_stage"] or 0) > len(document["stages"]):
            yield f"{where}: it left during a stage that there was not"
        if is_locked and entry["status"] == "pending":
            yield f"{where}: it is pending, although the field was fixed"
        if len(entry["versions"]) not in (1, tournament["seats_per_side"]):
            yield f"{where}: it has {len(entry['versions'])} versions for a side"
        if entry["partner"] is not None and (
            len(entry["versions"]) == 1 or entry["partner"]["hash"] == entry["player"]["hash"]
        ):
            yield f"{where}: it names a partner, but is no pair of two players"
    yield from _kind_disagreements(event, document)
    yield from _queue_disagreements(event, document)
    closed = [
        played["closed_seq"]
        for stage in document["stages"]
        for played in stage["rounds"]
        if played["closed_seq"] is not None
    ]
    if closed != sorted(closed):
        yield "the rounds were not closed in their order"


def _kind_disagreements(event: EventExport, document: Document) -> Iterator[str]:
    """Check the stages by kind of event.

    A challenge is one fixture, seeded in the order of the sides. Ladders and experiments play given fixtures.
    """
    kind = event.tournament["kind"]
    stages = [(stage["format"], stage["options"]) for stage in document["stages"]]
    seeds = [entry["seed"] for entry in document["entries"]]
    are_seeded = seeds == list(range(1, len(seeds) + 1))
    if kind == "challenge":
        sides = event.tournament["sides"]
        form = ("round_robin", {}) if sides == 2 else ("heats", {"rounds": 1})
        if stages != [form] or not are_seeded or len(seeds) != sides:
            yield "it is a challenge, but not one fixture of entries seeded in the order of its sides"
    elif kind in QUEUED_KINDS:
        if [key for key, _ in stages] != ["given"] or not are_seeded:
            yield f"it is of kind {kind}, but does not play given fixtures of entries seeded in their order"
    elif any(not format_named(key).is_offered for key, _ in stages):
        yield "it is an ordinary tournament, but in a format that only ladders and experiments are played in"


def _queue_disagreements(event: EventExport, document: Document) -> Iterator[str]:
    """Check the commitment against its number in the queue, by id and times."""
    tournament = event.tournament
    kind, queue = tournament["kind"], tournament.get("queue")
    if queue is None:
        if kind in QUEUED_KINDS:
            yield f"it is of kind {kind}, but its commitment is not from the queue"
        return
    if kind == "tournament":
        yield "it is an ordinary tournament, but its commitment is from the queue"
    number = queue["number"]
    if queued_id(event.secret, number) != tournament["id"]:
        yield f"its id does not follow from its secret as number {number} of the queue of commitments"
    opened_at = [s["body"]["published_at"] for s in document["statements"] if s["kind"] == OPENED]
    if opened_at and _parse_time(queue["posted_at"]) > _parse_time(opened_at[0]):
        yield f"number {number} of the queue of commitments was posted after what took it had begun"


def _parse_time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
