"""What an event is, who entered it and how it is planned: plain values of exports and statements alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.common.notes import note_in_english
from arena.competition.commitments import commitment_of
from arena.competition.labels import EVENT, Labels, bot_subject, entries_named, label_data, player_subject
from arena.competition.models import Commitment, Entry, Stage, Tournament
from arena.competition.rules import rules_of, sides_of


def tournament_data(tournament: Tournament, labels: Labels, *, with_secret: bool = False) -> dict[str, Any]:
    """The event itself: rules, plan, and the secret once it is revealed; the place of its commitment in the
    queue, if it took one from it.

    One query for other kinds than events.
    """
    rules = rules_of(tournament)
    sides = sides_of(tournament)
    shows_secret = with_secret or tournament.revealed_at is not None
    queued = commitment_of(tournament)
    return {
        "id": tournament.public_id,
        "name": label_data(labels, EVENT, tournament.name),
        "kind": tournament.kind,
        "state": tournament.state,
        "game": tournament.game,
        "preset": tournament.preset,
        "ruleset": tournament.ruleset,
        "rules_version": tournament.rules_version,
        "sides": len(sides),
        "seats_per_side": len(sides[0]),
        "forfeit_stones": rules.forfeit_stones,
        "board_kind": tournament.board_kind,
        "boards_per_round": tournament.boards_per_round,
        "board_plan": tournament.board_plan,
        "most_passes": tournament.most_passes,
        "budget_cpu_s": tournament.budget_cpu_s,
        "clock": tournament.clock,
        "fault_policy": tournament.fault_policy,
        "faults_before_forfeit": tournament.faults_before_forfeit,
        "scoring": tournament.scoring,
        "tie_breaks": tournament.tie_breaks,
        "commitment": tournament.commitment,
        "secret": bytes(tournament.secret).hex() if shows_secret else None,
        **({} if queued is None else {"queue": _queued(queued)}),
    }


def _queued(queued: Commitment) -> dict[str, Any]:
    return {
        "number": queued.number,
        "posted_at": queued.posted_at.isoformat(),
        "key": queued.key.name,
        "signature": queued.signature,
    }


def entries_data(tournament: Tournament, labels: Labels) -> Iterator[dict[str, Any]]:
    """Every entry there was, in the order they were made. One query."""
    for entry in entries_named(tournament):
        yield _entry(entry, labels)


def _entry(entry: Entry, labels: Labels) -> dict[str, Any]:
    players = [label_data(labels, player_subject(owner.pk), owner.handle) for owner in entry.owners()]
    return {
        "id": entry.public_id,
        "player": players[0],
        "partner": players[1] if len(players) > 1 else None,
        "own": entry.is_organisers_own,
        "status": entry.status,
        "status_reason": entry.status_reason,
        "left_stage": entry.left_stage,
        "left_round": entry.left_round,
        "seed": entry.seed,
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
    """What is fixed of a stage before anybody enters."""
    return {
        "number": stage.number,
        "format": stage.format,
        "options": stage.options,
        "qualify": stage.qualify,
        "boards_per_round": stage.boards_per_round,
    }


def stage_data(stage: Stage) -> dict[str, Any]:
    """A stage without its field, rounds and standings."""
    return {
        **stage_plan(stage),
        "field_digest": stage.field_digest,
        "state": stage.state,
        "note": note_in_english(stage.end_note)[:500],
        "end_code": stage.end_code,
        "closed_early": stage.closed_early,
    }
