"""The fixtures of a round in the order of the standings, with places and counts of results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from arena.competition.models import Round, Stage
from arena.competition.selectors import name_filter
from arena.matches.board_tables import fixtures_in
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table
from arena.standings.models import StandingRow
from arena.standings.selectors import closed_totals
from arena.standings.stages import is_knockout


def fixtures_by_rank(played: Round, find: str = "") -> QuerySet[Fixture]:
    """Return the fixtures of a round, those with the entry ranked highest first.

    In brackets and groups they are in the order of the pairing. ``find`` limits them to bots and
    players whose name contains this text.
    """
    rows = fixtures_in(played)
    if find:
        of_name = FixtureEntry.objects.filter(name_filter(find, "entry__"), fixture__board_set__round=played)
        rows = rows.filter(pk__in=of_name.values("fixture"))
    if is_knockout(played.stage) or played.stage.format == "groups":
        return rows
    ranks = StandingRow.objects.filter(stage=played.stage, entry__sides__fixture=OuterRef("pk"))
    best = Subquery(ranks.order_by("rank").values("rank")[:1])
    return rows.annotate(best=best).order_by(F("best").asc(nulls_last=True), "number")


def top_fixtures(played: Round, most: int) -> dict[int, str]:
    """Return keys and public ids of the first fixtures: those in play first, then by ``fixtures_by_rank``."""
    playing = Exists(Table.objects.filter(fixture=OuterRef("pk"), state=Table.State.LEASED))
    rows = fixtures_by_rank(played)
    rows = rows.order_by(playing.desc(), *rows.query.order_by)
    return dict(rows.values_list("pk", "public_id")[:most])


class Standing(NamedTuple):
    rank: int
    score: Fraction | None


def standings_of(stage: Stage, entries: Collection[str], scoring: str) -> dict[str, Standing]:
    """Return rank and score of these entries now, by public id. One query."""
    rows = StandingRow.objects.filter(stage=stage, entry__public_id__in=entries).order_by()
    return {
        entry: Standing(rank, Fraction(values[scoring]) if values.get(scoring) is not None else None)
        for entry, rank, values in rows.values_list("entry__public_id", "rank", "values")
    }


class ResultCounts(NamedTuple):
    won: int
    """Fixtures in which the sides have different totals."""
    drawn: int


def result_counts(board_set: BoardSet) -> ResultCounts:
    """Count the fixtures of a closed board set by result. One query."""
    totals: dict[int, list[Fraction]] = defaultdict(list)
    for (fixture, _entry), total in closed_totals([board_set.pk]).items():
        totals[fixture].append(total)
    met = [set(of_fixture) for of_fixture in totals.values() if len(of_fixture) > 1]
    drawn = sum(len(values) == 1 for values in met)
    return ResultCounts(len(met) - drawn, drawn)
