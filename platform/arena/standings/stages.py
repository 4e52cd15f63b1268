"""Stages as values for the league, read in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Value

from arena.competition.models import Entry, Round, Stage, StageEntry, Tournament
from arena.competition.rules import sides_of
from arena.matches.models import Adjudication, Fixture, FixtureEntry
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.scores import FOR_SCORES, forfeit_of, outcome_by
from league.brackets import BracketMatch
from league.elimination import Elimination
from league.fairness import lot
from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import Format, StageState
from league.standings import StandingsRow, standings
from league.verify.export import standing_values

Rounds = tuple[tuple[FixtureOutcome, ...], ...]
SCORED_STATES = (Fixture.State.SETTLED, Fixture.State.FORFEITED)
"""States in which a fixture has scores."""


class OpenedRound(NamedTuple):
    number: int
    is_closed: bool
    closed_at: datetime | None
    fixtures: tuple[FixtureOutcome, ...]
    fixture_ids: tuple[int, ...]


class StageField(NamedTuple):
    stage: int
    entries: tuple[Entry, ...]
    origins: Mapping[str, int]
    """Group in the previous stage by public id, if it had groups."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.public_id for entry in self.entries)

    @property
    def left(self) -> frozenset[str]:
        """Public ids of entries that left during this stage or before."""
        return frozenset(
            entry.public_id
            for entry in self.entries
            if entry.status == Entry.Status.LEFT and (entry.left_stage or 0) <= self.stage
        )

    @property
    def all_left(self) -> frozenset[str]:
        """Public ids of all entries that left, including during later stages."""
        return frozenset(entry.public_id for entry in self.entries if entry.status == Entry.Status.LEFT)


def field_of(stage: Stage) -> StageField:
    rows = list(
        StageEntry.objects.filter(stage=stage)
        .select_related("entry__player", "entry__version__bot", "entry__partner_version__bot")
        .order_by("position")
    )
    return StageField(
        stage.number,
        tuple(row.entry for row in rows),
        {row.entry.public_id: row.origin for row in rows if row.origin is not None},
    )


def lots_of(stage: Stage, entries: Iterable[Entry]) -> dict[str, str]:
    if not stage.field_digest:
        return {}
    tournament = stage.tournament
    secret = bytes(tournament.secret)
    return {
        entry.public_id: lot(secret, tournament.public_id, stage.field_digest, stage.number, entry.public_id)
        for entry in entries
    }


def closed_round_numbers(stage: Stage) -> list[int]:
    rows = Round.objects.filter(stage=stage, state=Round.State.CLOSED).order_by("number")
    return list(rows.values_list("number", flat=True))


def opened_rounds_of(stage: Stage, *, since: int = 1, until: int | None = None) -> tuple[OpenedRound, ...]:
    """Return the opened rounds from ``since`` to ``until``; only closed rounds have outcomes with results.

    Five queries that fetch a row per fixture and two per side; more for a knockout with late rulings.
    """
    rows = Round.objects.filter(stage=stage, number__gte=since)
    if until is not None:
        rows = rows.filter(number__lte=until)
    rounds = list(rows.order_by("number").values_list("number", "state", "closed_at", "board_set__pk"))
    # List the sets explicitly: a join of four tables is many times slower.
    sets = [board_set for *_, board_set in rounds]
    of_sets = {"fixture__board_set__in": sets}
    entries = Entry.objects.filter(tournament=stage.tournament_id).order_by()
    names: dict[int, str] = dict(entries.values_list("pk", "public_id"))
    sides: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for fixture, position, entry, side in (
        FixtureEntry.objects.filter(**of_sets)
        .order_by()
        .values_list("fixture_id", "position", "entry_id", "side")
    ):
        sides[fixture].append((position, names[entry], side))
    totals: dict[int, dict[str, Fraction]] = defaultdict(dict)
    # Most fixtures share a few values, and creating a fraction is slower than a cache lookup.
    fraction = lru_cache(maxsize=None)(Fraction)
    for fixture, entry, numerator, denominator in (
        FixtureScore.objects.filter(**of_sets)
        .order_by()
        .values_list("fixture_id", "entry_id", "numerator", "denominator")
    ):
        totals[fixture][names[entry]] = fraction(numerator, denominator)
    fixtures: dict[int, list[tuple[int, str]]] = defaultdict(list)
    ruled_late: set[int] = set()
    for fixture, board_set, state, is_ruled_late in (
        Fixture.objects.filter(board_set__in=sets)
        .annotate(is_ruled_late=_RULED_LATE if is_knockout(stage) else Value(False))
        .order_by("board_set", "number")
        .values_list("pk", "board_set_id", "state", "is_ruled_late")
    ):
        fixtures[board_set].append((fixture, state))
        if is_ruled_late:
            ruled_late.add(fixture)
    opened = tuple(
        OpenedRound(
            number,
            state == Round.State.CLOSED,
            closed_at,
            tuple(
                _outcome(
                    sorted(sides[fixture]), fixture_state, totals.get(fixture), state == Round.State.CLOSED
                )
                for fixture, fixture_state in fixtures[board_set]
            ),
            tuple(fixture for fixture, _ in fixtures[board_set]),
        )
        for number, state, closed_at, board_set in rounds
    )
    return _with_earlier_outcomes(stage, ruled_late, opened) if ruled_late else opened


def knockout_matches(stage: Stage, entries: int) -> Sequence[BracketMatch]:
    """Return the matches of a knockout of this many entries; empty for other formats and a single entry."""
    played_in = format_named(stage.format)
    if not isinstance(played_in, Elimination) or entries < 2:
        return ()
    return played_in.bracket(entries, stage.options)


def is_knockout(stage: Stage) -> bool:
    """Return whether the format orders entries first by how far they advance. No query."""
    return type(format_named(stage.format)).progress is not Format.progress


_RULED_LATE = Exists(
    Adjudication.objects.filter(
        fixture=OuterRef("pk"), rounds_opened__gt=OuterRef("board_set__round__number")
    )
)
"""Whether a fixture was ruled on after a later round of its stage was drawn."""


def _with_earlier_outcomes(
    stage: Stage, late: Collection[int], opened: tuple[OpenedRound, ...]
) -> tuple[OpenedRound, ...]:
    """Add to fixtures with late rulings (keys) the outcomes by which later rounds were drawn."""
    forfeit = forfeit_of(stage.tournament)
    fixtures = Fixture.objects.filter(pk__in=late).select_related("board_set__round")
    fixtures_by_key = {fixture.pk: fixture for fixture in fixtures.prefetch_related(*FOR_SCORES)}

    def outcome(pk: int, now: FixtureOutcome) -> FixtureOutcome:
        if pk not in fixtures_by_key or not now.is_done:
            return now
        rulings = sorted(fixtures_by_key[pk].adjudications.all(), key=lambda ruling: ruling.number)
        earlier: dict[int, FixtureOutcome] = {}
        for known, ruling in enumerate(rulings):
            drawn = ruling.rounds_opened
            if drawn > fixtures_by_key[pk].board_set.round.number and drawn not in earlier:
                earlier[drawn] = outcome_by(fixtures_by_key[pk], forfeit, rulings[:known], now)
        return now._replace(earlier=tuple(sorted(earlier.items())))

    return tuple(
        played._replace(fixtures=tuple(map(outcome, played.fixture_ids, played.fixtures)))
        for played in opened
    )


def _outcome(
    sides: Sequence[tuple[int, str, int]], state: str, totals: Mapping[str, Fraction] | None, is_closed: bool
) -> FixtureOutcome:
    entries = tuple(entry for _, entry, _ in sides)
    per_side = max(1, sum(side == 0 for _, _, side in sides))
    if is_closed and state == Fixture.State.VOID:
        return FixtureOutcome(entries, is_void=True, per_side=per_side)
    # Void fixtures of an open round are hidden too: they would reveal that their boards are done.
    if not is_closed or len(entries) == 1 or state not in SCORED_STATES:
        return FixtureOutcome(entries, per_side=per_side)
    return FixtureOutcome(entries, totals, per_side=per_side)


def closed_fixtures(rounds: Iterable[OpenedRound]) -> Rounds:
    return tuple(opened.fixtures for opened in rounds if opened.is_closed)


def stage_so_far(stage: Stage, field: StageField, rounds: Rounds) -> StageState:
    """Return the values that a format may use. ``rounds``: the rounds of the current pass."""
    sides = sides_of(stage.tournament)
    return StageState(
        field.names,
        stage.options,
        rounds,
        sides=len(sides),
        left=field.left,
        owners={entry.public_id: str(entry.player_id) for entry in field.entries},
        origins=field.origins,
        per_side=len(sides[0]),
        scoring=stage.tournament.scoring,
    )


def pass_length(stage: Stage, entries: int) -> int | None:
    """Return the rounds of a pass if the stage may have several, else None."""
    played_in = format_named(stage.format)
    if stage.tournament.board_plan != Tournament.BoardPlan.UNTIL_SEPARATED or not played_in.repeats:
        return None
    return played_in.round_count(entries, stage.options, sides=len(sides_of(stage.tournament)))


def current_pass(rounds: Rounds, length: int | None) -> Rounds:
    """Return the rounds of the pass in play, or of the last pass if it is complete."""
    if not length or not rounds:
        return rounds
    return rounds[(len(rounds) - 1) // length * length :]


def compute_standings(
    stage: Stage, field: StageField, rounds: Rounds, lots: Mapping[str, str] | None = None
) -> list[StandingsRow]:
    tournament = stage.tournament
    played_in: Format = format_named(stage.format)
    state = stage_so_far(stage, field, current_pass(rounds, pass_length(stage, len(field.entries))))
    return standings(
        field.names,
        [fixture for played in rounds for fixture in played],
        scoring=tournament.scoring,
        tie_breaks=tournament.tie_breaks,
        lots=lots_of(stage, field.entries) if lots is None else lots,
        sides=state.sides,
        progress=played_in.progress(state) if rounds else None,
        groups=played_in.groups(state) if rounds else (),
    )


def unsaved_standing_rows(stage: Stage, field: StageField, rows: Iterable[StandingsRow]) -> list[StandingRow]:
    by_name = {entry.public_id: entry for entry in field.entries}
    return [
        StandingRow(
            stage=stage,
            entry=by_name[row.entry],
            rank=row.rank,
            values=standing_values(row),
            decided_by=row.decided_by,
        )
        for row in rows
    ]


def stage_board_scores(stage: Stage) -> list[dict[str, Fraction]]:
    """Return scores by public id for every board of closed rounds, in order. One query."""
    boards: dict[tuple[int, int], dict[str, Fraction]] = {}
    rows = (
        FixtureScore.objects.filter(
            fixture__board_set__round__stage=stage,
            fixture__board_set__round__state=Round.State.CLOSED,
            fixture__state__in=SCORED_STATES,
        )
        .order_by()
        .values_list("fixture__board_set__round__number", "entry__public_id", "board_values")
    )
    for number, entry, text in rows.iterator(5000):
        for board, value in parse_values(text).items():
            boards.setdefault((number, board), {})[entry] = value
    return [boards[key] for key in sorted(boards)]
