"""Board scores and standings, rebuilt from what was played: the same however and whenever it is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from django.db import transaction

from arena.competition.models import Entry, Round, Stage
from arena.competition.rules import rules_of, sides_of
from arena.competition.services import entered, stage_digest_set
from arena.matches.models import Fixture
from arena.standings.models import BoardScore, StandingRow
from league.fairness import lot
from league.formats import format_named
from league.scoring import FixtureOutcome, board_scores, fixture_totals, forfeit_stones, table_result
from league.stage import Pairing, StageSoFar
from league.standings import standings
from league.verify import seeded, standing_values


@transaction.atomic
def scores_build(fixture: Fixture) -> None:
    """Board scores of one fixture from its tables' results, forfeits applied. Replaces what there was."""
    fixture.scores.all().delete()
    if fixture.state not in (Fixture.State.SETTLED, Fixture.State.FORFEITED) or fixture.sides.count() < 2:
        return
    tournament = fixture.board_set.round.stage.tournament
    rules = rules_of(tournament)
    entry_ids: dict[str, int] = {}
    results = []
    for table in fixture.tables.prefetch_related("seats__entry", "results"):
        seats = {seat.seat: seat.entry.public_id for seat in table.seats.all()}
        entry_ids.update({seat.entry.public_id: seat.entry_id for seat in table.seats.all()})
        results.append(
            table_result(
                table.rotation,
                seats,
                [(result.board, result.seat, result.stones) for result in table.results.all()],
                [seat.seat for seat in table.seats.all() if seat.forfeited],
            )
        )
    scores = board_scores(
        results, forfeit_stones(tournament.board_kind, rules.game.forfeit_stones(rules.ruleset))
    )
    BoardScore.objects.bulk_create(
        BoardScore(
            fixture=fixture,
            board=board,
            entry_id=entry_ids[entry],
            numerator=value.numerator,
            denominator=value.denominator,
        )
        for board, by_entry in scores.items()
        for entry, value in by_entry.items()
    )


def lots_of(stage: Stage, entries: list[Entry]) -> dict[str, str]:
    """Each entry's lot, by public id; empty before the field is fixed."""
    if not stage.field_digest:
        return {}
    tournament = stage.tournament
    return {
        entry.public_id: lot(
            bytes(tournament.secret), tournament.public_id, stage.field_digest, stage.number, entry.public_id
        )
        for entry in entries
    }


def outcomes_of(stage: Stage) -> list[tuple[FixtureOutcome, ...]]:
    """What came of every round opened so far; only closed rounds show totals. Five queries."""
    rounds = (
        Round.objects.filter(stage=stage)
        .prefetch_related("board_set__fixtures__sides__entry", "board_set__fixtures__scores__entry")
        .order_by("number")
    )
    return [
        tuple(
            _outcome(fixture, played.state == Round.State.CLOSED)
            for fixture in played.board_set.fixtures.all()
        )
        for played in rounds
    ]


def _outcome(fixture: Fixture, is_closed: bool) -> FixtureOutcome:
    entries = tuple(side.entry.public_id for side in fixture.sides.all())
    if fixture.state == Fixture.State.VOID:
        return FixtureOutcome(entries, is_void=True)
    if not is_closed or len(entries) == 1:
        return FixtureOutcome(entries)
    scores: Mapping[int, dict[str, object]] = defaultdict(dict)
    for score in fixture.scores.all():
        scores[score.board][score.entry.public_id] = score.value
    return FixtureOutcome(entries, fixture_totals(scores))  # type: ignore[arg-type]


def next_pairings(stage: Stage) -> tuple[Pairing, ...] | None:
    """The pairings of the stage's next round by public id, or None if its last one has been opened."""
    if not stage.field_digest:
        stage_digest_set(stage)  # of a later stage: its lots, and so its order, follow from its own field
    entries = entered(stage.tournament)
    order = seeded([(entry.public_id, entry.seed) for entry in entries], lots_of(stage, entries))
    so_far = StageSoFar(
        order, stage.options, tuple(outcomes_of(stage)), sides=len(sides_of(stage.tournament))
    )
    return format_named(stage.format).next_round(so_far)


@transaction.atomic
def standings_rebuild(stage: Stage) -> None:
    """Compute the standings of a stage from its closed rounds and replace what was stored."""
    tournament = stage.tournament
    entries = entered(tournament)
    rows = standings(
        [entry.public_id for entry in entries],
        [fixture for played in outcomes_of(stage) for fixture in played],
        scoring=tournament.scoring,
        tie_breaks=tournament.tie_breaks,
        lots=lots_of(stage, entries),
        sides=len(sides_of(tournament)),
    )
    ids = {entry.public_id: entry.pk for entry in entries}
    StandingRow.objects.filter(stage=stage).delete()
    StandingRow.objects.bulk_create(
        StandingRow(
            stage=stage,
            entry_id=ids[row.entry],
            rank=row.rank,
            values=standing_values(row),
            decided_by=row.decided_by,
        )
        for row in rows
    )
