"""Boards to watch: of each opened round the board with the largest swing, the latest round first."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from arena.competition.models import Tournament
from arena.competition.selectors import tournaments_in_states
from arena.features.analysis.access import open_analyses, open_fixtures
from arena.features.analysis.models import CostlyPlay
from arena.matches.models import Fixture, FixtureEntry, Table
from arena.standings.models import BoardFigures
from arena.standings.swings import Swing, swings_of

ORDER = ("-board_set__event_seq", "-swing", "board")
MAX_LISTED = 8
"""Opened rounds in the list of boards to watch."""
MAX_RUNNING = 5
"""Running tournaments in that list."""


class WatchedBoard(NamedTuple):
    fixture: str
    """Public id of the fixture with the largest board score, which two tables have played."""
    board: int
    closed_seq: int
    """Position of its round in the order in which rounds opened."""


def latest_board(game: str = "") -> WatchedBoard | None:
    """Return the board of the round that opened last, of one game or any. One query."""
    return _first(_boards(game))


def board_before(closed_seq: int, game: str = "") -> WatchedBoard | None:
    """Return the board of the next earlier round; None if there is none. One query."""
    return _first(_boards(game).filter(board_set__event_seq__lt=closed_seq))


def following_board(closed_seq: int, newest: int, game: str = "") -> WatchedBoard | None:
    """Return the board to watch after one of a round: of a round that opened after ``newest``, else of the
    next earlier round, else again of the latest. At most two queries.
    """
    latest = latest_board(game)
    if latest is None or latest.closed_seq > newest:
        return latest
    return board_before(closed_seq, game) or latest


def latest_swings(game: str = "") -> list[Swing]:
    """Return the board to watch of each of the last opened rounds, the latest first. At most ten queries."""
    boards = _boards(game)
    chosen: dict[int, int] = {}
    for _round in range(MAX_LISTED):
        earlier = boards.filter(board_set__event_seq__lt=min(chosen)) if chosen else boards
        row = earlier.order_by(*ORDER).values_list("board_set__event_seq", "pk").first()
        if row is None:
            break
        chosen[row[0] or 0] = row[1]
    rows = BoardFigures.objects.filter(pk__in=chosen.values())
    return swings_of(rows.order_by(*ORDER), MAX_LISTED) if chosen else []


def running_tournaments(game: str = "") -> list[Tournament]:
    """Return the public tournaments that are being played, of one game or any. One query."""
    rows = tournaments_in_states(None, [Tournament.State.RUNNING])
    return list((rows.filter(game=game) if game else rows)[:MAX_RUNNING])


def costliest_play(fixture: Fixture, number: int) -> CostlyPlay | None:
    """Return the costliest play on a board at the tables of a fixture; None without one. One query."""
    rows = CostlyPlay.objects.filter(
        open_analyses("analysis__"), analysis__table__fixture=fixture, board=number
    )
    return rows.select_related("analysis__table", "version__bot").order_by("-cost", "id").first()


def watchable_fixtures(fixtures: Collection[int]) -> set[int]:
    """Return those of the fixtures (by key) whose boards can be watched. One query, none without fixtures."""
    if not fixtures:
        return set()
    rows = Fixture.objects.filter(open_fixtures(), _has_two_replays("pk"), pk__in=fixtures)
    return set(rows.order_by().values_list("pk", flat=True))


def _has_two_replays(fixture: str) -> Q:
    """Return the condition that the fixture at this lookup has two sides, and replays of all tables."""
    third_side = FixtureEntry.objects.filter(fixture=OuterRef(fixture), side__gt=1)
    without_view = Table.objects.filter(fixture=OuterRef(fixture), view_sha256="")
    return Q(~Exists(third_side), ~Exists(without_view))


def _boards(game: str) -> QuerySet[BoardFigures]:
    """Return the boards of events that both tables of two sides have played and that have replays."""
    of_game = {"tournament__game": game} if game else {}
    return BoardFigures.objects.filter(
        open_fixtures("best_fixture__"),
        _has_two_replays("best_fixture"),
        # Not as a range, for which SQLite would read all boards with a swing by an index and sort them.
        ~Q(swing__lte=0),
        board_set__event_seq__isnull=False,
        **of_game,
    )


def _first(rows: QuerySet[BoardFigures]) -> WatchedBoard | None:
    columns = ("best_fixture__public_id", "board", "board_set__event_seq")
    row = rows.order_by(*ORDER).values_list(*columns).first()
    return None if row is None else WatchedBoard(*row)
