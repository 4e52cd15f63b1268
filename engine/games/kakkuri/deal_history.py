"""Events of a deal since its start card, read from the history and cached as it grows."""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import Card
from engine.game import Action, Past, Seat
from engine.games.kakkuri.events import act_event, deal_event, turned_event
from engine.games.kakkuri.melds import MeldTable
from engine.games.kakkuri.notation import PASS, WORDS


class DealHistory(NamedTuple):
    """Cards turned up, melds and passes of a deal, each in order, with their JSON without brackets."""

    turned: tuple[Card, ...] = ()
    """Cards of the box, the start card first."""
    plays: tuple[tuple[Seat, Action], ...] = ()
    passes: tuple[tuple[Seat, int], ...] = ()
    """Seat, and the value to follow at that time."""
    follow: int = 0
    """Current value to follow."""
    turned_text: str = ""
    plays_text: str = ""
    passes_text: str = ""


class HistoryReader:
    """Reads the history of one deal at any moment; caches the last result."""

    __slots__ = ("_known", "_melds", "_past", "_start")

    def __init__(self, melds: MeldTable, start: DealHistory) -> None:
        self._melds = melds
        self._past: Past = None
        self._known = self._start = start

    def until(self, past: Past) -> DealHistory:
        """Return the history up to this cell, a step per event since the previous call or the deal."""
        newest, cells = past, []
        while past is not None and past is not self._past and past[1] is not deal_event:
            cells.append(past)
            past = past[0]
        history = self._known if past is self._past else self._start
        for cell in reversed(cells):
            if cell[1] is act_event:
                _, _, _, seat, action = cell
                history = self._acted(history, seat, action)
            elif cell[1] is turned_event:
                card = cell[2]
                history = history._replace(
                    turned=(*history.turned, card),
                    follow=self._melds.values[card],
                    turned_text=_more(history.turned_text, f'"{card}"'),
                )
        self._past, self._known = newest, history
        return history

    def _acted(self, history: DealHistory, seat: Seat, action: Action) -> DealHistory:
        if action not in WORDS:
            # Nothing in a meld needs escaping.
            return history._replace(
                plays=(*history.plays, (seat, action)),
                follow=self._melds.by_text[action].value,
                plays_text=_more(history.plays_text, f'[{seat},"{action}"]'),
            )
        if action == PASS:
            return history._replace(
                passes=(*history.passes, (seat, history.follow)),
                passes_text=_more(history.passes_text, f"[{seat},{history.follow}]"),
            )
        return history


def _more(listed: str, item: str) -> str:
    return f"{listed},{item}" if listed else item
