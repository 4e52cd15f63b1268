"""Selectors of standings and scores. They use closed rounds only, so nothing is sealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Case, Count, Max, Prefetch, QuerySet, Sum, Value, When

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound
from arena.competition.entries.names import ListedEntry, entries_by_key, with_entries
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.selectors import NAME_COLUMNS, NamedEntry, entry_owner_filter, name_filter
from arena.matches.board_tables import tables_on_board
from arena.matches.fixture_selectors import ENTRY_NAMES, fixtures_listed
from arena.matches.models import Adjudication, BoardSet, Fixture, Table
from arena.standings.board_values import value_on
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.past_standings import PastRow, round_unknown_error, standings_after_round
from arena.standings.scores import FOR_SCORES, forfeit_of, outcome_by
from arena.standings.stages import (
    OpenedRound,
    StageField,
    closed_fixtures,
    closed_round_numbers,
    compute_standings,
    field_of,
    is_knockout,
    opened_rounds_of,
    pass_length,
    stage_so_far,
    unsaved_standing_rows,
)
from league.errors import FormatError
from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import Caption, StageLayout


class NamedRow(NamedTuple):
    key: int
    entry: NamedEntry


class NamedStage(NamedTuple):
    key: int
    number: int
    state: str
    rows: tuple[NamedRow, ...]


class StandingsKey(NamedTuple):
    columns: tuple[tuple[Any, ...], ...]

    def of_current_stage(self) -> StandingsKey:
        """Return the key of the last stage that has begun, or of the first; empty without stages."""
        begun = [row[0] for row in self.columns if row[2] != Stage.State.PLANNED and not row[-1]]
        chosen = (begun or [row[0] for row in self.columns[:1]])[-1:]
        return StandingsKey(tuple(row for row in self.columns if row[0] in chosen))

    def stages(self) -> list[NamedStage]:
        stages = []
        for stage, rows in groupby(self.columns, key=itemgetter(0, 1, 2)):
            named = (NamedRow(row[3], NamedEntry.of_columns(row[4:])) for row in rows if row[3] is not None)
            stages.append(NamedStage(stage[0], stage[1], stage[2], tuple(named)))
        return stages


def standings_key(tournament: int, number: int | None = None) -> StandingsKey:
    """Return the key of all stages of a tournament (key), or of the stage with this number. One query."""
    stages = Stage.objects.filter(tournament=tournament)
    if number is not None:
        stages = stages.filter(number=number)
    names = (f"standings__entry__{column}" for column in NAME_COLUMNS)
    # Last column: whether the stage ended before it was drawn.
    is_skipped = Case(When(closed_early=True, field_digest="", then=Value(True)), default=Value(False))
    columns = stages.values_list("pk", "number", "state", "standings__pk", *names, is_skipped)
    return StandingsKey(tuple(columns.order_by("number", "standings__rank")))


class StandingValues(NamedTuple):
    rank: int
    values: dict[str, Any]
    decided_by: str


def standing_values(stages: Iterable[NamedStage]) -> dict[int, StandingValues]:
    rows = StandingRow.objects.filter(stage__in=[stage.key for stage in stages]).order_by()
    return {
        row: StandingValues(*values)
        for row, *values in rows.values_list("pk", "rank", "values", "decided_by")
    }


class ListedRow(NamedTuple):
    rank: int
    values: dict[str, Any]
    decided_by: str
    entry: ListedEntry


def rows_of_stage(stage: Stage) -> QuerySet[StandingRow]:
    return StandingRow.objects.filter(stage=stage).order_by("rank")


def rows_with_entries(rows: QuerySet[StandingRow]) -> list[ListedRow]:
    pairs = with_entries(rows, "rank", "values", "decided_by")
    return [ListedRow(rank, values, decided, entry) for (rank, values, decided), entry in pairs]


def past_rows_with_entries(rows: Collection[PastRow]) -> list[ListedRow]:
    named = entries_by_key([row.entry for row in rows])
    return [ListedRow(row.rank, row.values, row.decided_by, named[row.entry]) for row in rows]


def rows_named(stage: Stage, text: str) -> QuerySet[StandingRow]:
    return rows_of_stage(stage).filter(name_filter(text, "entry__"))


def rows_of_account(stage: Stage, user: User) -> QuerySet[StandingRow]:
    return rows_of_stage(stage).filter(entry_owner_filter(user, "entry__"))


def top_rows(stages: Collection[Stage], count: int) -> dict[int, list[ListedRow]]:
    rows = StandingRow.objects.filter(stage__in=stages, rank__lte=count).order_by("stage_id", "rank")
    rows_by_stage: dict[int, list[ListedRow]] = defaultdict(list)
    named = with_entries(rows, "stage_id", "rank", "values", "decided_by")
    for (stage, rank, values, decided), entry in named:
        rows_by_stage[stage].append(ListedRow(rank, values, decided, entry))
    return rows_by_stage


def row_counts(tournament: Tournament) -> dict[int, int]:
    """Return the numbers of rows by key of the stage; stages without rows are missing. One query."""
    rows = StandingRow.objects.filter(stage__tournament=tournament).order_by().values_list("stage")
    return dict(rows.annotate(rows=Count("pk")))


class StageLead(NamedTuple):
    entry: ListedEntry
    ahead: Fraction | None
    """Lead over the second in the scoring value of the event; None if not known."""


def lead_of(rows: Sequence[ListedRow], scoring: str) -> StageLead | None:
    """Return the leader of a stage from its first rows, and the lead by this score. No query."""
    if not rows:
        return None
    values = [Fraction(text) for row in rows[:2] if (text := row.values.get(scoring)) is not None]
    return StageLead(rows[0].entry, values[0] - values[1] if len(values) == 2 else None)


def leaders_of(tournaments: Iterable[Tournament]) -> dict[int, Entry]:
    """Return the first of the last stage with standings, by key of the tournament. One query."""
    rows = StandingRow.objects.filter(stage__tournament__in=list(tournaments), rank=1)
    ordered = rows.select_related("stage", *ENTRY_NAMES).order_by("stage__number")
    return {row.stage.tournament_id: row.entry for row in ordered}


def won_by_lot(tournaments: Collection[Tournament]) -> set[int]:
    """Return keys of tournaments in whose last standings only the lot separates the first two. One query."""
    if not tournaments:
        return set()
    rows = StandingRow.objects.filter(stage__tournament__in=tournaments, rank__lte=2)
    columns = rows.order_by("stage__number", "rank").values_list("stage__tournament", "rank", "decided_by")
    parted = {tournament: rank == 2 and decided_by == "lot" for tournament, rank, decided_by in columns}
    return {tournament for tournament, is_lot in parted.items() if is_lot}


def last_ranks(entries: Collection[int]) -> dict[int, int]:
    """Return ranks in the last stage with standings by key of the entry. One query."""
    rows = StandingRow.objects.filter(entry__in=entries).order_by("stage__number")
    return dict(rows.values_list("entry", "rank"))


def last_places(entries: Iterable[Entry]) -> dict[int, tuple[int, int]]:
    """Return rank and stage number in the last stage with standings, by key of the entry. One query."""
    rows = StandingRow.objects.filter(entry__in=list(entries)).order_by("stage__number")
    return {entry: (rank, stage) for entry, rank, stage in rows.values_list("entry", "rank", "stage__number")}


def fixture_detail(public_id: str, viewer: Viewer) -> Fixture:
    """Return a fixture of ``fixtures_listed`` with scores and rulings. Raises NotFound."""
    scores = FixtureScore.objects.select_related("entry").order_by("entry_id")
    rulings = Adjudication.objects.select_related("actor").order_by("number")
    rows = fixtures_listed(viewer).prefetch_related(
        Prefetch("totals", scores), Prefetch("adjudications", rulings)
    )
    fixture = rows.filter(public_id=public_id).first()
    if fixture is None:
        raise NotFound(f"There is no fixture {public_id!r}.", "fixture_not_found")
    return fixture


class BoardKey(NamedTuple):
    """Cache key of a board: columns that change with its scores and results."""

    scores: tuple[int, int | None]
    """Number and greatest key of the rows, which are replaced, never changed."""
    results: tuple[int, int | None, datetime | None]
    """Finished tables, reruns, and the latest end."""


def board_key(board_set: BoardSet, number: int) -> BoardKey:
    scores = FixtureScore.objects.filter(fixture__board_set=board_set)
    counted = scores.aggregate(count=Count("pk"), last=Max("pk"))
    tables = tables_on_board(board_set, number).filter(state=Table.State.FINISHED)
    ended = tables.aggregate(count=Count("pk"), reruns=Sum("reruns"), last=Max("finished_at"))
    return BoardKey((counted["count"], counted["last"]), (ended["count"], ended["reruns"], ended["last"]))


class FixtureBoardScore(NamedTuple):
    entry: str
    fixture: str
    value: Fraction


def board_scores_of(board_set: BoardSet, number: int) -> list[FixtureBoardScore]:
    """Return all scores on a closed board, best first, then by fixture. One query."""
    rows = FixtureScore.objects.filter(fixture__board_set=board_set).order_by("fixture__number", "pk")
    columns = rows.values_list("entry__public_id", "fixture__public_id", "board_values")
    scores = [
        FixtureBoardScore(entry, fixture, value)
        for entry, fixture, text in columns
        if (value := value_on(text, number)) is not None
    ]
    return sorted(scores, key=lambda score: -score.value)


def closed_totals(
    sets: Collection[int], only: Collection[int] | None = None
) -> dict[tuple[int, int], Fraction]:
    """Return exact totals by fixture and entry, of closed sets. One query, or none without sets."""
    if not sets:
        return {}
    rows = FixtureScore.objects.filter(
        fixture__board_set__state=BoardSet.State.CLOSED, fixture__board_set__in=sets
    ).order_by("fixture", "pk")
    if only is not None:
        rows = rows.filter(fixture__in=only)
    return {
        (fixture, entry): Fraction(numerator, denominator)
        for fixture, entry, numerator, denominator in rows.values_list(
            "fixture", "entry", "numerator", "denominator"
        )
    }


def standings_as_of(
    stage: Stage, round_number: int | None = None, moment: datetime | None = None
) -> list[StandingRow]:
    """Return earlier standings: after closed round ``round_number``, or with the rounds closed by ``moment``.

    Unsaved rows, best first. With ``moment``, later rulings are ignored; otherwise rounds are scored as
    today. Replayed tables have their last result. Raises Invalid ``round_not_closed`` with
    ``extra["closed_rounds"]``.
    """
    field = field_of(stage)
    if round_number is not None and moment is None:
        by_key = {entry.pk: entry for entry in field.entries}
        return [
            StandingRow(stage=stage, entry=by_key[entry], rank=rank, values=values, decided_by=decided_by)
            for entry, rank, decided_by, values in standings_after_round(stage, round_number)
        ]
    if round_number is not None and round_number not in closed_round_numbers(stage):
        raise round_unknown_error(stage, round_number)
    opened = [played for played in opened_rounds_of(stage, until=round_number) if played.is_closed]
    if moment is not None:
        opened = [played for played in opened if played.closed_at is not None and played.closed_at <= moment]
        opened = _scored_by_rulings_until(stage, opened, moment)
    return unsaved_standing_rows(stage, field, compute_standings(stage, field, closed_fixtures(opened)))


def _scored_by_rulings_until(stage: Stage, opened: list[OpenedRound], moment: datetime) -> list[OpenedRound]:
    """Return the rounds scored by the rulings made until ``moment``. Queries only if there are later ones."""
    fixture_keys = {pk for played in opened for pk in played.fixture_ids}
    later = Adjudication.objects.filter(
        fixture__tournament=stage.tournament, fixture__board_set__round__stage=stage, created_at__gt=moment
    )
    changed = {pk for pk in later.values_list("fixture_id", flat=True) if pk in fixture_keys}
    if not changed:
        return opened
    forfeit = forfeit_of(stage.tournament)
    fixtures = Fixture.objects.filter(pk__in=changed).select_related("board_set")
    fixtures_by_key = {fixture.pk: fixture for fixture in fixtures.prefetch_related(*FOR_SCORES)}

    def outcome(pk: int, now: FixtureOutcome) -> FixtureOutcome:
        if pk not in fixtures_by_key:
            return now
        known = [ruling for ruling in fixtures_by_key[pk].adjudications.all() if ruling.created_at <= moment]
        return outcome_by(fixtures_by_key[pk], forfeit, known, now)

    return [
        played._replace(fixtures=tuple(map(outcome, played.fixture_ids, played.fixtures)))
        for played in opened
    ]


class StageDisplay(NamedTuple):
    """The format's display of a stage, and its rounds by number from 1."""

    display: StageLayout
    rounds: tuple[OpenedRound, ...]
    replayed: Mapping[tuple[int, int], tuple[tuple[int, int], ...]]
    """Earlier fixtures of each replayed match, by its last fixture; rounds and numbers from 1."""
    seeds: tuple[str, ...] = ()
    """Public ids of the field by seed, best first."""


def stage_display_with_rounds(stage: Stage) -> StageDisplay:
    """Return ``stage_display`` with the rounds, of which only closed ones have totals. Six queries."""
    opened = opened_rounds_of(stage)
    field = field_of(stage)
    return StageDisplay(
        _display_of(stage, field, opened), opened, _replayed(stage, field, opened), field.names
    )


def _replayed(
    stage: Stage, field: StageField, opened: Sequence[OpenedRound]
) -> Mapping[tuple[int, int], tuple[tuple[int, int], ...]]:
    """Return ``StageDisplay.replayed``; empty unless the stage is a knockout that has begun."""
    if not opened or not is_knockout(stage):
        return {}
    rounds = tuple(played.fixtures for played in opened)
    return format_named(stage.format).replayed(stage_so_far(stage, field, rounds))


def replay_of(fixture: Fixture) -> str:
    """Return the public id of the last fixture that replays this one, or "" (also for a bye)."""
    played = fixture.board_set.round
    if not is_knockout(played.stage):
        return ""
    opened = opened_rounds_of(played.stage)
    this = (played.number, fixture.number)
    for (number, position), earlier in _replayed(played.stage, field_of(played.stage), opened).items():
        if this in earlier and not opened[number - 1].fixtures[position - 1].is_bye:
            return Fixture.objects.get(pk=opened[number - 1].fixture_ids[position - 1]).public_id
    return ""


def stage_display(stage: Stage) -> StageLayout:
    """Return the format's display of a stage (table, groups, bracket, heats, movement), entries by public id.

    Winners come from closed rounds only. Empty before the field is fixed. Passes are numbered consecutively.
    """
    return _display_of(stage, field_of(stage), opened_rounds_of(stage))


def _display_of(stage: Stage, field: StageField, opened: Sequence[OpenedRound]) -> StageLayout:
    played_in = format_named(stage.format)
    rounds = tuple(played.fixtures for played in opened)
    nothing = StageLayout("table", ())
    if not field.entries:
        return nothing
    try:
        length = pass_length(stage, len(field.entries)) or len(rounds) or 1
        passes = [rounds[start : start + length] for start in range(0, len(rounds), length)] or [rounds]
        displays = [played_in.display(stage_so_far(stage, field, played)) for played in passes]
    except FormatError:
        return nothing  # the format does not allow this field; the stage's note explains it
    if len(displays) == 1:
        return displays[0]
    return StageLayout(
        displays[0].kind,
        tuple(
            section._replace(
                title=Caption("pass", number, of=section.title),
                columns=tuple(
                    column._replace(
                        slots=tuple(
                            slot._replace(
                                round=None if slot.round is None else slot.round + (number - 1) * length
                            )
                            for slot in column.slots
                        )
                    )
                    for column in section.columns
                ),
            )
            for number, display in enumerate(displays, 1)
            for section in display.sections
        ),
    )
