"""Tournament, entries and stages as plain values, shared by exports and statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.common.notes import note_in_english
from arena.common.plain_rows import plain_row
from arena.competition.commitments import commitment_of
from arena.competition.labels import (
    TOURNAMENT_SUBJECT,
    Labels,
    bot_subject,
    entries_with_names,
    label_data,
    player_subject,
)
from arena.competition.models import Commitment, Entry, Stage, Tournament
from arena.competition.rules import rules_of, sides_of

COLUMNS = (
    "id=public_id kind state game preset ruleset rules_version board_kind boards_per_round board_plan "
    "max_passes budget_cpu_s clock fault_policy faults_before_forfeit scoring tie_breaks commitment"
)
ENTRY_COLUMNS = "id=public_id own=is_organiser_entry status left_stage left_round seed"


def tournament_data(tournament: Tournament, labels: Labels, *, with_secret: bool = False) -> dict[str, Any]:
    """Return the tournament's rules, plan, and secret once it is revealed. One query, except for events."""
    rules = rules_of(tournament)
    sides = sides_of(tournament)
    shows_secret = with_secret or tournament.revealed_at is not None
    queued = commitment_of(tournament)
    return {
        **plain_row(tournament, COLUMNS),
        "name": label_data(labels, TOURNAMENT_SUBJECT, tournament.name),
        "sides": len(sides),
        "seats_per_side": len(sides[0]),
        "forfeit_stones": rules.forfeit_stones,
        "secret": bytes(tournament.secret).hex() if shows_secret else None,
        **({} if queued is None else {"queue": _queued(queued)}),
    }


def _queued(queued: Commitment) -> dict[str, Any]:
    return {**plain_row(queued, "number key=key.name signature"), "posted_at": queued.posted_at.isoformat()}


def entries_data(tournament: Tournament, labels: Labels) -> Iterator[dict[str, Any]]:
    for entry in entries_with_names(tournament):
        yield _entry(entry, labels)


def _entry(entry: Entry, labels: Labels) -> dict[str, Any]:
    players = [label_data(labels, player_subject(owner.pk), owner.handle) for owner in entry.owners()]
    return {
        **plain_row(entry, ENTRY_COLUMNS),
        "status_reason": note_in_english(entry.status_note),
        "player": players[0],
        "partner": players[1] if len(players) > 1 else None,
        "versions": [
            {
                "bot": label_data(labels, bot_subject(version.bot_id), version.bot.name),
                "number": version.number,
                "bundle_sha256": version.bundle_sha256,
            }
            for version in entry.versions()
        ],
    }


def stage_plan(stage: Stage) -> dict[str, Any]:
    """Return the values of a stage that are fixed before entry."""
    return plain_row(stage, "number format options qualify boards_per_round")


def stage_data(stage: Stage) -> dict[str, Any]:
    return {
        **stage_plan(stage),
        **plain_row(stage, "field_digest state end_code closed_early"),
        "note": note_in_english(stage.end_note)[:500],
    }
