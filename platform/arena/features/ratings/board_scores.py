"""Board scores as input of the fit: which board sets belong to which list, and which fixtures count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from django.db.models import QuerySet

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.games import preset_options
from arena.competition.models import Entry, Tournament
from arena.competition.rules import sides_of
from arena.features.ratings.models import ExcludedPair, RatingList
from arena.matches.models import Adjudication, BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.standings.board_values import value_parts
from arena.standings.models import FixtureScore
from arena.standings.scores import FOR_SCORES, forfeit_of, scores_of
from arena.standings.seasons import season_name
from arena.standings.stages import SCORED_STATES
from league.rating.fixtures import (
    CountedScores,
    PlayedFixture,
    SetScores,
    counted_scores,
    fixtures_between,
    partner_columns,
    set_scores,
    without_fixtures,
)
from league.rating.packing import unpack_sets

ROWS_PER_FETCH = 5000
"""Rows per database fetch."""


class EventListKey(NamedTuple):
    """Key of a list of events: columns of ``RatingList``."""

    game: str
    preset: str
    board_kind: str
    seats: int
    season: str


def event_list_key(board_set: BoardSet) -> EventListKey | None:
    """Return the key of the list to which a closed set belongs; None if the set is not rated.

    Sets of public events are rated if the rules equal a preset, except for the number of seats.
    """
    tournament = board_set.round.stage.tournament
    is_rated = (
        tournament.kind == Tournament.Kind.TOURNAMENT
        and tournament.visibility == Tournament.Visibility.PUBLIC
    )
    if not is_rated or board_set.closed_at is None or not has_preset_rules(tournament):
        return None
    return EventListKey(
        tournament.game,
        tournament.preset,
        tournament.board_kind,
        seats_of(tournament),
        season_name(board_set.closed_at),
    )


def seats_of(tournament: Tournament) -> int:
    return sum(len(side) for side in sides_of(tournament))


def has_preset_rules(tournament: Tournament) -> bool:
    """Return whether the rules equal the preset, except for the number of seats."""

    def but_seats(options: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in options.items() if name != "seats"}

    return but_seats(tournament.ruleset) == but_seats(preset_options(tournament.preset))


def closed_sets() -> QuerySet[BoardSet]:
    """Return closed sets in closing order, with round, stage and tournament fetched."""
    closed = BoardSet.objects.filter(state=BoardSet.State.CLOSED).order_by("closed_seq")
    return closed.select_related("round__stage__tournament")


MemberKind = Literal["versions", "entries"]


def set_scores_of(board_set: BoardSet, names: MemberKind = "versions") -> list[SetScores]:
    """Return the counting scores of a closed set: without byes, void fixtures and incomplete fixtures.

    Members are versions, or entries of the tournament. Six queries; seven more for rulings by persons.
    """
    counted = Fixture.objects.filter(board_set=board_set, state__in=SCORED_STATES).order_by("pk")
    fixtures: dict[int, tuple[str, str]] = {
        pk: (public_id, state) for pk, public_id, state in counted.values_list("pk", "public_id", "state")
    }
    sides = _sides(board_set)
    rulings = _rulings(board_set)
    as_played, left_out = _ruled_by_persons(board_set, rulings)
    ruled = set(rulings) | {pk for pk, (_, state) in fixtures.items() if state == Fixture.State.FORFEITED}
    ruled = (ruled - set(as_played)) | _forfeited_tables(board_set)
    scores: dict[int, dict[int, dict[int, Fraction]]] = defaultdict(lambda: defaultdict(dict))
    fraction = lru_cache(maxsize=None)(Fraction)
    rows = FixtureScore.objects.filter(fixture__board_set=board_set).order_by("fixture", "entry")
    columns = ("fixture_id", "entry_id", "board_values")
    for fixture, entry, text in rows.values_list(*columns).iterator(ROWS_PER_FETCH):
        for board, *value in value_parts(text):
            scores[fixture][board][entry] = fraction(*value)
    scores.update(as_played)
    played = []
    for fixture, (public_id, _) in fixtures.items():
        boards = scores[fixture]
        if fixture in left_out:
            continue
        if len(sides[fixture]) < 2 or len(boards) < board_set.boards:
            continue
        played.append(
            PlayedFixture(
                public_id,
                tuple(partner_columns(getattr(side, names)) for side in sides[fixture]),
                # All entries of a side have the same score.
                [[boards[board][side.entry] for side in sides[fixture]] for board in sorted(boards)],
                fixture in ruled,
            )
        )
    return set_scores(board_set.public_id, played)


VersionPair = tuple[str, str]
"""Public ids of two versions."""


def excluded_pairs(rating_list: RatingList) -> list[VersionPair]:
    """Return the pairs that a ruling excludes from a list. One query."""
    rows = ExcludedPair.objects.filter(list=rating_list, lifted_at=None).order_by("pk")
    return list(rows.values_list("first__public_id", "second__public_id"))


def set_scores_in_list(board_set: BoardSet, pairs: Iterable[VersionPair]) -> tuple[SetScores, ...]:
    """Return the counting scores of a closed set, without fixtures between excluded pairs."""
    sets = set_scores_of(board_set)
    left_out = [fixture for pair in pairs for fixture in fixtures_between(sets, *pair)]
    return tuple(without_fixtures(sets, left_out) if left_out else sets)


def unpack_cached(packed: bytes) -> tuple[SetScores, ...]:
    return process_cache.get_or_build(CacheKey("set scores", packed), lambda: unpack_sets(packed))


class _Side(NamedTuple):
    entry: int
    """Key of the first entry."""
    versions: tuple[str, ...]
    entries: tuple[str, ...]


def _sides(board_set: BoardSet) -> dict[int, list[_Side]]:
    of_event = Entry.objects.filter(tournament=board_set.round.stage.tournament_id).order_by()
    columns = ("pk", "public_id", "version__public_id", "partner_version__public_id")
    entries = {
        pk: (public_id, (version,) if partner is None else (version, partner))
        for pk, public_id, version, partner in of_event.values_list(*columns)
    }
    rows = FixtureEntry.objects.filter(fixture__board_set=board_set).order_by("fixture", "position")
    by_fixture: dict[int, dict[int, _Side]] = defaultdict(dict)
    for fixture, entry, side in rows.values_list("fixture_id", "entry_id", "side"):
        known = by_fixture[fixture].setdefault(side, _Side(entry, (), ()))
        public_id, versions = entries[entry]
        by_fixture[fixture][side] = _Side(known.entry, known.versions + versions, (*known.entries, public_id))
    return defaultdict(list, {fixture: list(by_side.values()) for fixture, by_side in by_fixture.items()})


class _Ruling(NamedTuple):
    kind: str
    by_person: bool


def _rulings(board_set: BoardSet) -> dict[int, _Ruling]:
    """Return the ruling in force by fixture key, without fixtures that count as played. One query."""
    rows = Adjudication.objects.filter(fixture__board_set=board_set).order_by("fixture", "number")
    last = {
        fixture: _Ruling(kind, actor is not None)
        for fixture, kind, actor in rows.values_list("fixture_id", "kind", "actor_id")
    }
    return {fixture: ruling for fixture, ruling in last.items() if ruling.kind != Adjudication.Kind.LIFT}


def _ruled_by_persons(
    board_set: BoardSet, rulings: Mapping[int, _Ruling]
) -> tuple[dict[int, dict[int, dict[int, Fraction]]], set[int]]:
    """Return the scores as played of fixtures ruled on by persons, and the fixtures that are not rated.

    Scores are by fixture, board and entry. No query if there are no such fixtures.
    """
    ruled = [fixture for fixture, ruling in rulings.items() if ruling.by_person]
    if not ruled:
        return {}, set()
    as_played: dict[int, dict[int, dict[int, Fraction]]] = {}
    left_out: set[int] = set()
    forfeit = forfeit_of(board_set.round.stage.tournament)
    rows = Fixture.objects.filter(pk__in=ruled).select_related("board_set").prefetch_related(*FOR_SCORES)
    for fixture in rows.order_by("pk"):
        tables = fixture.tables.all()
        is_whole = bool(tables) and all(table.state == Table.State.FINISHED for table in tables)
        counted = counted_scores(rulings[fixture.pk].kind, by_person=True, is_whole=is_whole)
        if counted is CountedScores.NOT:
            left_out.add(fixture.pk)
            continue
        keys = {side.entry.public_id: side.entry_id for side in fixture.sides.all()}
        as_played[fixture.pk] = {
            board: {keys[entry]: value for entry, value in by_entry.items()}
            for board, by_entry in scores_of(fixture, forfeit, rulings=()).items()
        }
    return as_played, left_out


def _forfeited_tables(board_set: BoardSet) -> set[int]:
    seats = TableSeat.objects.filter(table__fixture__board_set=board_set, forfeited=True).order_by("pk")
    return set(seats.values_list("table__fixture_id", flat=True))
