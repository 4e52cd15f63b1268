"""Fixtures and tables as lists show them: found by an index, told in a constant number of queries."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from arena.accounts.selectors import Viewer
from arena.api.selectors import ENTRY_NAMED, published_seeds
from arena.api.serializers.entries import entry_named
from arena.common.errors import NotFound
from arena.competition.models import Tournament
from arena.competition.selectors import tournaments_visible_to
from arena.matches.models import Adjudication, BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.matches.selectors import board_results
from arena.standings.models import BoardScore


def fixtures_listed(viewer: Viewer, tournament: Tournament | None = None) -> QuerySet[Fixture]:
    """Fixtures of visible tournaments, or of one found visible already, with sides and tables.

    Three queries a page.
    """
    sides = FixtureEntry.objects.select_related(*ENTRY_NAMED).order_by("fixture_id", "position")
    tables = Table.objects.order_by("fixture_id", "rotation", "first_board")
    rows = Fixture.objects.select_related("board_set__round__stage", "tournament").prefetch_related(
        Prefetch("sides", sides), Prefetch("tables", tables)
    )
    if tournament is not None:
        return rows.filter(tournament=tournament)
    return rows.filter(_in_sight(viewer))


def _in_sight(viewer: Viewer) -> Exists:
    """Asked row by row, as the list is walked in its order: a database that begins with the tournaments
    would have to sort all they have."""
    return Exists(tournaments_visible_to(viewer).filter(pk=OuterRef("tournament_id")))


def tables_listed(viewer: Viewer) -> QuerySet[Table]:
    """Tables of visible tournaments with who sits where. Two queries a page."""
    seats = TableSeat.objects.select_related("version__bot", "entry__player").order_by("table_id", "seat")
    return (
        Table.objects.select_related("fixture__board_set__round__stage", "tournament")
        .prefetch_related(Prefetch("seats", seats))
        .filter(_in_sight(viewer))
    )


def fixture_shown(public_id: str, viewer: Viewer) -> Fixture:
    """One fixture with scores and rulings, as it is now.

    Raises:
        NotFound: none, or not for this viewer.
    """
    fixture = (
        fixtures_listed(viewer)
        .prefetch_related(
            Prefetch("scores", BoardScore.objects.select_related("entry").order_by("board", "entry_id")),
            Prefetch("adjudications", Adjudication.objects.select_related("actor").order_by("number")),
        )
        .filter(public_id=public_id)
        .first()
    )
    if fixture is None:
        raise NotFound(f"There is no fixture {public_id!r}.", "fixture_missing")
    return fixture


def table_shown(public_id: str, viewer: Viewer) -> Table:
    """One table with its results, as it is now.

    Raises:
        NotFound: none, or not for this viewer.
    """
    table = tables_listed(viewer).prefetch_related("results").filter(public_id=public_id).first()
    if table is None:
        raise NotFound(f"There is no table {public_id!r}.", "table_missing")
    return table


def board_told(board_set: BoardSet, number: int, viewer: Viewer) -> dict[str, Any]:
    """How one board went for everybody: board scores best first, and every seat as played.

    Three queries, however many played it.

    Raises:
        NotFound: no such board.
        Sealed: the board set is still open.
    """
    results = board_results(board_set, number, viewer)
    seats = {
        (table, seat): (entry, bot)
        for table, seat, entry, bot in TableSeat.objects.filter(
            table__in=results.order_by().values("table")
        ).values_list("table_id", "seat", "entry__public_id", "version__bot__name")
    }
    scores = sorted(
        BoardScore.objects.filter(fixture__board_set=board_set, board=number).select_related(
            "fixture", *ENTRY_NAMED
        ),
        key=lambda score: (-score.value, score.fixture.number, score.pk),
    )
    values = [score.value for score in scores]
    seeds = published_seeds(board_set)
    return {
        "board_set": board_set.public_id,
        "number": number,
        "kind": board_set.kind,
        "seed": seeds[str(number)] if seeds else None,
        "scores": [
            {
                **entry_named(score.entry),
                "fixture": score.fixture.public_id,
                "value": str(score.value),
                "place": 1 + values.index(score.value),
            }
            for score in scores
        ],
        "results": [
            {
                "table": row.table.public_id,
                "fixture": row.table.fixture.public_id,
                "rotation": row.table.rotation,
                "seat": row.seat,
                "entry": seats[row.table_id, row.seat][0],
                "bot": seats[row.table_id, row.seat][1],
                "stones": row.stones,
                "verdict": row.verdict,
            }
            for row in results
        ],
    }
