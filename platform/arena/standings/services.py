"""Services that rebuild board scores and standings from results. They are idempotent."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from arena.common.notes import Note
from arena.competition.models import Entry, Round, Stage
from arena.competition.rules import sides_of
from arena.competition.stage_entries import stage_entries_fix
from arena.matches.models import BoardSet, Fixture
from arena.standings.board_values import format_values
from arena.standings.figures import figures_build
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.passes import end_of_passes
from arena.standings.past_standings import past_standings_invalidate, past_standings_update
from arena.standings.scores import FOR_SCORES, forfeit_of, scores_of
from arena.standings.stages import (
    SCORED_STATES,
    StageField,
    closed_fixtures,
    compute_standings,
    current_pass,
    field_of,
    lots_of,
    opened_rounds_of,
    pass_length,
    stage_so_far,
    unsaved_standing_rows,
)
from league.errors import FormatError
from league.formats import format_named
from league.scoring import fixture_totals
from league.seeding import qualified_entries
from league.stage import Pairing

__all__ = [
    "lots_of",
    "next_pairings",
    "next_stage_entries",
    "next_stage_entries_fix",
    "round_scores_build",
    "scores_build",
    "standings_rebuild",
]
BATCH_SIZE = 1000


def scores_build(fixture: Fixture) -> None:
    """Rebuild board scores and totals of a fixture; the caller then rebuilds the figures of the boards."""
    _scores_build([fixture])


def round_scores_build(played: Round) -> None:
    """Rebuild scores and figures of a round in a fixed number of queries."""
    _scores_build(list(Fixture.objects.filter(board_set__round=played)))
    figures_build(BoardSet.objects.filter(round=played).select_related("round__stage"))


@transaction.atomic
def _scores_build(fixtures: Iterable[Fixture]) -> None:
    chosen = [fixture.pk for fixture in fixtures]
    FixtureScore.objects.filter(fixture__in=chosen).delete()
    past_standings_invalidate(
        set(Round.objects.filter(board_set__fixtures__in=chosen).values_list("pk", flat=True))
    )
    totals: list[FixtureScore] = []
    scored = (
        Fixture.objects.filter(pk__in=chosen, state__in=SCORED_STATES)
        .select_related("tournament", "board_set")
        .prefetch_related(*FOR_SCORES)
    )
    rules: dict[int, int] = {}
    for fixture in scored:
        if fixture.tournament_id not in rules:
            rules[fixture.tournament_id] = forfeit_of(fixture.tournament)
        ids = {side.entry.public_id: side.entry_id for side in fixture.sides.all()}
        scores = scores_of(fixture, rules[fixture.tournament_id])
        totals += (
            FixtureScore(
                fixture=fixture,
                entry_id=ids[entry],
                numerator=value.numerator,
                denominator=value.denominator,
                board_values=format_values(
                    {board: by_entry[entry] for board, by_entry in scores.items() if entry in by_entry}
                ),
            )
            for entry, value in fixture_totals(scores).items()
        )
    FixtureScore.objects.bulk_create(totals, batch_size=BATCH_SIZE)


def next_stage_entries(stage: Stage) -> list[Entry]:
    """Return the entries of a later stage in seeding order: the first ``qualify`` of the previous standings.

    A fixed field is returned unchanged.
    """
    return list(_decide_field(stage).entries)


def next_stage_entries_fix(stage: Stage) -> None:
    """Fix the field of a later stage, with origins. Raises Conflict ``field_empty``."""
    field = _decide_field(stage)
    stage_entries_fix(stage, list(field.entries), field.origins)


def _decide_field(stage: Stage) -> StageField:
    fixed = field_of(stage)
    if fixed.entries or stage.number == 1:
        return fixed
    before = stage.tournament.stages.get(number=stage.number - 1)
    field = field_of(before)
    rows = compute_standings(before, field, closed_fixtures(opened_rounds_of(before)))
    order, origins = qualified_entries(
        [(row.entry, row.values) for row in rows], stage.qualify, field.all_left
    )
    by_name = {entry.public_id: entry for entry in field.entries}
    return StageField(stage.number, tuple(by_name[name] for name in order), origins)


def next_pairings(stage: Stage) -> tuple[Pairing, ...] | None:
    """Return the pairings of the stage's next round by public id; None if there is none, or not yet.

    First fixes the field of a later stage; decides on another pass; stores why a stage ends in its
    ``end_note``.
    """
    if not stage.field_digest and stage.number > 1:
        if not next_stage_entries(stage):
            _store_end_note(stage, {"code": Stage.Ended.EMPTY})
            return None
        next_stage_entries_fix(stage)
    field = field_of(stage)
    opened = opened_rounds_of(stage)
    rounds = tuple(played.fixtures for played in opened)
    played_in = format_named(stage.format)
    if not opened:
        try:
            played_in.validate(
                stage.options,
                entries=len(field.entries),
                sides=len(sides_of(stage.tournament)),
                per_side=len(sides_of(stage.tournament)[0]),
            )
        except FormatError as error:
            note = {"code": Stage.Ended.UNFIT, "entries": len(field.entries), "why": str(error)[:300]}
            _store_end_note(stage, note)
            return None
    length = pass_length(stage, len(field.entries))
    present = current_pass(rounds, length)
    if length and len(present) == length:
        if not all(played.is_closed for played in opened):
            return None
        end = end_of_passes(stage, field, rounds, length)
        if end:
            _store_end_note(stage, end)
            return None
        present = ()
    return played_in.next_round(stage_so_far(stage, field, present))


def _store_end_note(stage: Stage, note: Note) -> None:
    stage.end_note = note
    stage.save(update_fields=["end_note"])


@transaction.atomic
def standings_rebuild(stage: Stage) -> None:
    """Replace the standings of a stage by those of its closed rounds, in a fixed number of queries."""
    field = field_of(stage)
    rows = unsaved_standing_rows(
        stage, field, compute_standings(stage, field, closed_fixtures(opened_rounds_of(stage)))
    )
    StandingRow.objects.filter(stage=stage).delete()
    StandingRow.objects.bulk_create(rows, batch_size=BATCH_SIZE)
    past_standings_update(stage, rows)
