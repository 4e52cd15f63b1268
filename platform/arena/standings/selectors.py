"""Reading standings and scores. All of it rests on closed rounds, so nothing here is ever sealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from django.db.models import QuerySet

from arena.common.errors import Invalid
from arena.competition.models import Round, Stage, Tournament
from arena.matches.models import Adjudication, Fixture, Table
from arena.standings.models import BoardScore, StandingRow
from arena.standings.rows import standing_rows
from arena.standings.scores import FOR_SCORES, forfeit_of, scores_of
from arena.standings.stages import (
    Opened,
    closed_of,
    field_of,
    opened_of,
    pass_length,
    so_far,
    table_of,
)
from league import crosstable as league_crosstable
from league.crosstable import Crosstable
from league.errors import FormatError
from league.formats import format_named
from league.scoring import FixtureOutcome, Scores, fixture_totals
from league.stage import Display, Format

ROWS_AT_ONCE = 5000
"""Board scores fetched at a time."""
NO_MORE: tuple[None, tuple[()]] = (None, ())
"""What follows the last round."""


def standings_of(tournament: Tournament, stage: Stage | None = None) -> QuerySet[StandingRow]:
    """The rows of a stage (the last one that has any, unless named), best first."""
    rows = StandingRow.objects.select_related(
        "stage", "entry__player", "entry__version__bot__owner", "entry__partner_version__bot"
    )
    if stage is None:
        numbers = StandingRow.objects.filter(stage__tournament=tournament).order_by("-stage__number")
        last = numbers.values_list("stage_id", flat=True).first()
        return rows.filter(stage_id=last or 0).order_by("rank")
    return rows.filter(stage=stage, stage__tournament=tournament).order_by("rank")


def standings_as_of(
    stage: Stage, round_number: int | None = None, at: datetime | None = None
) -> list[StandingRow]:
    """The table as it stood: after closed round ``round_number``, or of the rounds closed by ``at``.

    Unsaved rows of the same shape as the stored ones, best first; with neither bound the same as stored.
    A ruling made later than ``at`` does not count there; after ``round_number`` the rounds stand as they
    are scored today. What was played again stands as it was played last.

    Raises:
        Invalid: ``round_unknown``: the stage has closed no such round (``extra["closed_rounds"]``).
    """
    field = field_of(stage)
    opened = [one for one in opened_of(stage) if one.is_closed]
    if round_number is not None:
        known = [one.number for one in opened]
        if round_number not in known:
            raise Invalid(
                f"Round {round_number} of stage {stage.number} is not closed; closed rounds: "
                f"{', '.join(map(str, known)) or 'none'}.",
                "round_unknown",
                field="round",
                closed_rounds=known,
            )
        opened = [one for one in opened if one.number <= round_number]
    if at is not None:
        opened = [one for one in opened if one.closed_at is not None and one.closed_at <= at]
        opened = _ruled_by(stage, opened, at)
    return standing_rows(stage, field, table_of(stage, field, closed_of(opened)))


def _ruled_by(stage: Stage, opened: list[Opened], at: datetime) -> list[Opened]:
    """The same rounds, scored by the rulings made until then. Queries only if any came later."""
    wanted = {pk for one in opened for pk in one.fixture_ids}
    later = Adjudication.objects.filter(
        fixture__tournament=stage.tournament, fixture__board_set__round__stage=stage, at__gt=at
    )
    changed = {pk for pk in later.values_list("fixture_id", flat=True) if pk in wanted}
    if not changed:
        return opened
    forfeit = forfeit_of(stage.tournament)
    then: dict[int, tuple[bool, Scores]] = {}
    fixtures = Fixture.objects.filter(pk__in=changed).select_related("board_set")
    for fixture in fixtures.prefetch_related(*FOR_SCORES):
        known = [ruling for ruling in fixture.adjudications.all() if ruling.at <= at]
        last = max(known, key=lambda ruling: ruling.number, default=None)
        is_played = all(table.state == Table.State.FINISHED for table in fixture.tables.all())
        is_void = (
            not is_played
            if last is None or last.kind == Adjudication.Kind.LIFT
            else last.kind == Adjudication.Kind.VOID
        )
        then[fixture.pk] = (is_void, {} if is_void else scores_of(fixture, forfeit, known))

    def outcome(pk: int, now: FixtureOutcome) -> FixtureOutcome:
        if pk not in then:
            return now
        is_void, scores = then[pk]
        return now._replace(is_void=is_void, totals=fixture_totals(scores) if scores else None)

    return [one._replace(fixtures=tuple(map(outcome, one.fixture_ids, one.fixtures))) for one in opened]


def crosstable(stage: Stage) -> Crosstable:
    """Everybody against everybody in the closed rounds of a stage, by public id, in standings' order.

    A fixed number of queries.
    """
    order = stage.standings.order_by("rank").values_list("entry__public_id", flat=True)
    opened = [one for one in opened_of(stage) if one.is_closed]
    return league_crosstable.crosstable(tuple(order), _scored(stage, opened))


def _scored(stage: Stage, opened: Iterable[Opened]) -> Iterator[tuple[FixtureOutcome, Scores]]:
    """The fixtures with their board scores; one query, read a round at a time."""
    rows = (
        BoardScore.objects.filter(
            fixture__board_set__round__stage=stage, fixture__board_set__round__state=Round.State.CLOSED
        )
        .order_by("fixture__board_set__round__number")
        .values_list(
            "fixture__board_set__round__number",
            "fixture_id",
            "board",
            "entry__public_id",
            "numerator",
            "denominator",
        )
    )
    by_round = groupby(rows.iterator(ROWS_AT_ONCE), key=itemgetter(0))
    number, group = next(by_round, NO_MORE)
    for one in opened:
        scores: dict[int, Scores] = defaultdict(lambda: defaultdict(dict))
        while number is not None and number < one.number:
            number, group = next(by_round, NO_MORE)
        if number == one.number:
            for _, fixture, board, entry, numerator, denominator in group:
                scores[fixture][board][entry] = Fraction(numerator, denominator)
        for pk, outcome in zip(one.fixture_ids, one.fixtures, strict=True):
            yield outcome, scores.get(pk, {})


def is_knockout(stage: Stage) -> bool:
    """Whether in its format it counts first how far an entry gets. No query."""
    return type(format_named(stage.format)).progress is not Format.progress


def stage_display(stage: Stage) -> Display:
    """What the format shows of a stage (table, groups, bracket, heats, movement), entries by public id.

    Pairings are public; winners come from closed rounds alone. Empty before the field is fixed. Of a stage
    played in several passes every pass is shown, and rounds are numbered through.
    """
    field = field_of(stage)
    played_in = format_named(stage.format)
    rounds = tuple(one.fixtures for one in opened_of(stage))
    nothing = Display("table", ())
    if not field.entries:
        return nothing
    try:
        length = pass_length(stage, len(field.entries)) or len(rounds) or 1
        passes = [rounds[at : at + length] for at in range(0, len(rounds), length)] or [rounds]
        shown = [played_in.display(so_far(stage, field, played)) for played in passes]
    except FormatError:
        return nothing  # a field that cannot be played so: the stage's note says why
    if len(shown) == 1:
        return shown[0]
    return Display(
        shown[0].kind,
        tuple(
            section._replace(
                title=f"Pass {number}" + (f", {section.title}" if section.title else ""),
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
            for number, display in enumerate(shown, 1)
            for section in display.sections
        ),
    )
