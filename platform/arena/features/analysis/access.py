"""Access rule of analyses: the tournament is public, the board set is closed, the fixture is settled.

Every call checks it before it reads the rest of a request. It applies to staff too: there is nothing to see.
Tables against bots: their person, or the holder of a link, after the end.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from arena.common.errors import NotFound, Sealed
from arena.common.hash_field import HexOf
from arena.competition.models import Tournament
from arena.competition.selectors import PUBLIC_STATES, Viewer
from arena.features.play.models import CasualTable
from arena.matches.board_tables import fixture_visible
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.selectors import board_set_get, table_get

PLAYED_AGAIN = (Fixture.State.PLANNED, Fixture.State.OPEN)
"""States of a fixture in a closed board set while one of its tables is played again."""


_PUBLIC: Mapping[str, tuple[str, ...]] = {
    "visibility": (Tournament.Visibility.PUBLIC,),
    "state": tuple(PUBLIC_STATES),
}


def _rule(fixture: str) -> dict[str, tuple[str, ...]]:
    """Return the rule: allowed values by lookup, of a fixture or of rows with this lookup of a fixture."""
    return {
        f"{fixture}state": (Fixture.State.SETTLED,),
        f"{fixture}board_set__state": (BoardSet.State.CLOSED,),
        **{f"tournament__{lookup}": values for lookup, values in _PUBLIC.items()},
    }


_FIXTURE = _rule("")
_TABLE = {"state": (Table.State.FINISHED,), **_rule("fixture__")}


def _condition(rule: Mapping[str, tuple[str, ...]], prefix: str = "") -> Q:
    return Q(**{f"{prefix}{lookup}__in": values for lookup, values in rule.items()})


def _follows(row: Model, rule: Mapping[str, tuple[str, ...]]) -> bool:
    return all(
        operator.attrgetter(lookup.replace("__", "."))(row) in values for lookup, values in rule.items()
    )


def open_tables() -> QuerySet[Table]:
    """Return the finished tables whose analysis is public."""
    return Table.objects.filter(_condition(_TABLE))


def open_fixtures(prefix: str = "") -> Q:
    """Return the condition that the analysis of a fixture, at this lookup prefix, is public."""
    return _condition(_FIXTURE, prefix)


def opened_fixture(public_id: str, user: Viewer) -> Fixture:
    """Return a fixture whose analysis the viewer may see.

    Raises NotFound (``fixture_not_found``, ``notes_not_found``), or Sealed while its boards are in play.
    """
    fixture = fixture_visible(public_id, user)
    if fixture.board_set.is_sealed or fixture.state in PLAYED_AGAIN:
        raise Sealed("This board")
    if not _follows(fixture, _FIXTURE):
        raise NotFound("Only settled fixtures of public tournaments are shown here.", "notes_not_found")
    return fixture


def open_analyses(prefix: str = "") -> Q:
    """Return the condition that a ``TableAnalysis``, at this lookup prefix, is of an open table's record."""
    is_current = Q(**{f"{prefix}table__record_sha256": HexOf(f"{prefix}record_sha256")})
    return is_current & _condition(_TABLE, f"{prefix}table__")


def open_board_sets(lookup: str) -> Q:
    """Return the condition that no table of the board set at this lookup is played again."""
    return ~Q(Exists(Fixture.objects.filter(board_set=OuterRef(lookup), state__in=PLAYED_AGAIN)))


def analysed_table(public_id: str, user: Viewer) -> Table:
    """Return a table whose analysis the viewer may see.

    Raises NotFound (``table_not_found``, ``notes_not_found``), or Sealed while its boards are in play.
    """
    table = table_get(public_id, user)
    require_open(table)
    return table


def require_open(table: Table) -> None:
    """Raise Sealed while the boards are in play, else NotFound unless the rule allows the analysis."""
    fixture = table.fixture
    if fixture.board_set.is_sealed or fixture.state in PLAYED_AGAIN:
        raise Sealed("The analysis of this table")
    if not is_open(table):
        raise NotFound("Notes exist only for settled fixtures of public tournaments.", "notes_not_found")


def is_open(table: Table) -> bool:
    """Return whether the rule allows the analysis of a finished table."""
    return _follows(table, _TABLE)


def solvable_board(public_id: str, number: int, user: Viewer) -> BoardSet:
    """Return a board set whose deals the viewer may have solved.

    Raises NotFound (``board_set_not_found``, ``board_not_found``, ``notes_not_found``), or Sealed while one
    of its tables is in play.
    """
    board_set = board_set_get(public_id, user)
    played_again = board_set.fixtures.filter(state__in=PLAYED_AGAIN)
    if board_set.is_sealed or played_again.exists():
        raise Sealed("This board")
    if not _follows(board_set.round.stage.tournament, _PUBLIC):
        raise NotFound("Only boards of public tournaments are analysed.", "notes_not_found")
    if not 1 <= number <= board_set.boards:
        raise NotFound(f"This board set has boards 1 to {board_set.boards}.", "board_not_found")
    return board_set


def solvable_table(table: CasualTable) -> CasualTable:
    """Return a table against bots that its person, or the holder of its link, asks about.

    Raises Sealed before its end.
    """
    if not table.is_over:
        raise Sealed("This deal")
    return table
