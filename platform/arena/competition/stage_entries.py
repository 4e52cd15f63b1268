"""The field of a stage: its entries, fixed once, with the digest from which its deals are derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from arena.accounts.models import audit
from arena.common.errors import Conflict
from arena.competition.models import Entry, Stage, StageEntry, Tournament
from arena.competition.rules import per_side_of, sides_of
from arena.competition.stages import stage_plans_of, stage_refusal
from league.fairness import field_digest, lot
from league.verify.export import order_by_seed


def entered_entries(tournament: Tournament) -> list[Entry]:
    """Return entered entries in order of creation. One query."""
    return list(
        tournament.entries.filter(status=Entry.Status.ENTERED)
        .select_related("player__user", "version__bot__owner", "partner_version__bot__owner")
        .order_by("id")
    )


def stage_entries_of(stage: Stage) -> list[StageEntry]:
    """Return the field in seeding order, including entries that left; empty before it is fixed. One query."""
    return list(
        stage.stage_entries.select_related(
            "entry__player", "entry__version__bot__owner", "entry__partner_version__bot__owner"
        ).order_by("position")
    )


def entries_digest(entries: Iterable[Entry]) -> str:
    """Return the field digest. A version that plays both seats of a pair counts once."""
    return field_digest(version.bundle_sha256 for entry in entries for version in entry.versions())


def seeding_order(stage: Stage, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries by the organiser's seeds, then by lot. Source: docs/contracts.md#fair-deals."""
    tournament = stage.tournament
    secret, digest = bytes(tournament.secret), entries_digest(entries)
    by_id = {entry.public_id: entry for entry in entries}
    lots = {name: lot(secret, tournament.public_id, digest, stage.number, name) for name in by_id}
    return [by_id[name] for name in order_by_seed([(entry.public_id, entry.seed) for entry in entries], lots)]


@transaction.atomic
def stage_entries_fix(
    stage: Stage, entries: Sequence[Entry], origins: Mapping[str, int] | None = None
) -> list[StageEntry]:
    """Fix the field of a stage, with entries in seeding order and the digest of its deals; idempotent.

    ``origins`` gives the group (from 1) in the previous stage by public id. Raises Conflict ``field_empty``.
    """
    if not entries:
        raise Conflict(f"No entry is left to play {stage}.", "field_empty", stage=stage.number)
    # Store the digest first, in a conditional statement, so that only one worker fills the field.
    digest = entries_digest(entries)
    if not Stage.objects.filter(pk=stage.pk, field_digest="").update(field_digest=digest):
        stage.refresh_from_db(fields=["field_digest"])
        return stage_entries_of(stage)
    stage.field_digest = digest
    places = origins or {}
    stage_entries = StageEntry.objects.bulk_create(
        [
            StageEntry(stage=stage, entry=entry, position=position, origin=places.get(entry.public_id))
            for position, entry in enumerate(entries, 1)
        ],
        batch_size=500,
    )
    audit(
        None,
        "field_fix",
        stage.tournament,
        stage=stage.number,
        entries=len(entries),
        field_digest=digest,
    )
    return stage_entries


def field_refusal(tournament: Tournament, entries: int) -> str:
    """Return why this number of entries does not suit a stage; empty if it suits all."""
    sides, per_side = len(sides_of(tournament)), per_side_of(tournament)
    planned = stage_plans_of(tournament)
    number, reason = stage_refusal(planned, entries, sides=sides, per_side=per_side)
    return f"stage {number}: {reason}" if number else ""
