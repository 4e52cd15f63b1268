"""Boards for environments: rules by name, boards at random, rewards, and a position as text."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bots.rl.errors import RlError
from bots.rl.layouts import Layout, layout, preset_of
from engine import Board, BoardKind, EngineError, Rules, State, preset_named
from engine.refusals import quoted

KINDS: tuple[BoardKind, ...] = ("deal", "game")
RENDER_MODES = ("ansi", "human")
BOARD_NUMBERS = 840
"""Board numbers are drawn up to this: a multiple of every cycle of dealers, leaders and trumps."""


class Setting(NamedTuple):
    """The rules and the layout that an environment was made with."""

    name: str
    rules: Rules
    layout: Layout

    @classmethod
    def of(cls, name: str, kind: str, options: Mapping[str, Any] | None) -> Setting:
        """Raise ``LayoutError`` for an unknown name, ``RlError`` for an unknown kind or option."""
        game, _ = preset_named(preset_of(name))
        if kind not in KINDS:
            raise RlError(f"there are no boards of kind {quoted(kind)}: give kind='deal' or kind='game'")
        try:
            ruleset = game.ruleset(preset_of(name), options)
        except EngineError as error:
            raise RlError(str(error)) from None
        return cls(name, Rules(game, ruleset, kind), layout(name))

    @property
    def seats(self) -> range:
        return range(1, self.rules.game.seats(self.rules.ruleset) + 1)

    def random_board(self, rng: np.random.Generator) -> Board:
        return Board(self.rules.kind, 1 + int(rng.integers(BOARD_NUMBERS)), rng.bytes(16).hex())

    def start(self, board: object) -> State:
        """Return the first state of a board, or raise ``RlError`` if these rules have no such board."""
        if not isinstance(board, Board):
            raise RlError(f"reset option 'board' is {quoted(str(board))}: give an engine.Board")
        try:
            return self.rules.game.start(self.rules.ruleset, board)
        except EngineError as error:
            raise RlError(f"reset option 'board': {error}") from None

    def action_of(self, state: State, seat: int, action: object) -> str:
        """Return the legal action with this index. Raise ``RlError`` for any other value."""
        actions, remedy = self.layout.actions, "choose an index whose mask is 1"
        try:
            number = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise RlError(f"action {quoted(str(action))} is no whole number: {remedy}") from None
        if not 0 <= number < len(actions):
            raise RlError(f"action {number} is not one of 0 to {len(actions) - 1}: {remedy}")
        text = actions[number]
        if text not in state.legal(seat):
            raise RlError(f"action {number} ({text}) of seat {seat} is masked ({state.situation}): {remedy}")
        return text


def stones_won(before: State | None, after: State) -> dict[int, int]:
    """Return the stones that each seat won or lost in the deals that ended in between; empty if none did."""
    won: dict[int, int] = {}
    for event in after.happened_since(before):
        if event.kind == "deal_end":
            for seat, stones in event.public["stones"].items():
                won[int(seat)] = won.get(int(seat), 0) + stones
    return won


def require_render_mode(render_mode: str | None) -> None:
    if render_mode not in (None, *RENDER_MODES):
        raise RlError(f"there is no render_mode {quoted(str(render_mode))}: give 'ansi', 'human' or None")


def rendered(state: State, seats: range, render_mode: str) -> str | None:
    """Return the text of a position (``ansi``), or print it (``human``)."""
    text = position_text(state, seats)
    if render_mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None


def position_text(state: State, seats: range) -> str:
    """Return a position as text, all hands included: one line for each seat, then what all seats see."""
    views = {seat: state.observe(seat) for seat in seats}
    lines = [state.situation]
    for seat, view in views.items():
        lines.append(f"{'>' if seat in state.to_act else ' '} seat {seat}  {' '.join(view['hand'])}".rstrip())
    first, *further = views.values()
    for field, value in first.items():
        if field not in _SAID_ELSEWHERE and value and all(view[field] == value for view in further):
            lines.append(f"  {field}: {_plain(value)}")
    return "\n".join(lines) + "\n"


_SAID_ELSEWHERE = {"game", "preset", "rules_version", "seats", "phase", "deal", "to_act", "hand", "legal"}


def _plain(value: object) -> str:
    """Return JSON values as text without quotes; inner lists and objects are in brackets."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inner(each)}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(_inner(each) for each in value)
    return str(value)


def _inner(value: object) -> str:
    return f"[{_plain(value)}]" if isinstance(value, dict | list) else str(value)
