"""The list of boards to watch: tournaments that are running, and the largest swings of the latest rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from arena.common.game_titles import game_name
from arena.competition.games import game_keys
from arena.features.analysis.watching import latest_swings, running_tournaments
from arena.standings.swings import Swing
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.drawing.sides import sides_heading
from arena.web.tournaments.overview import TournamentItem, tournament_items


class SwingLine(NamedTuple):
    swing: Swing
    heading: str
    value: str
    is_staged: bool
    is_here: bool
    """Whether the page plays it."""


class Lobby(NamedTuple):
    game: str
    """Key of the chosen game; empty for all."""
    games: Sequence[tuple[str, str]]
    """Keys and names."""
    running: Sequence[TournamentItem]
    swings: Sequence[SwingLine]

    @property
    def query(self) -> str:
        return f"?{urlencode({'game': self.game})}" if self.game else ""


def build_lobby(game: str, fixture: str = "", board: int = 0) -> Lobby:
    """Return the list, of one game or all. At most ten queries."""
    running = running_tournaments(game)
    items = tournament_items(running) if running else {}
    return Lobby(
        game,
        [(key, game_name(key)) for key in game_keys()],
        [items[tournament.pk] for tournament in running],
        [_line(swing, fixture, board) for swing in latest_swings(game)],
    )


def _line(swing: Swing, fixture: str, board: int) -> SwingLine:
    sides = [[entry_label(entry) for entry in side] for side in (swing.winners, swing.others)]
    heading = _("%(names)s, board %(number)d") % {"names": sides_heading(sides), "number": swing.board}
    value = format_exact(swing.value, signed=True)
    is_here = (swing.fixture, swing.board) == (fixture, board)
    return SwingLine(swing, heading, value, swing.stage > 1, is_here)
