"""Positions of a live table, computed from its stored actions."""

from __future__ import annotations

from typing import NamedTuple

from arena.competition.casual import CasualDeals
from arena.tables.live.models import LiveTable
from engine import Game, Ruleset, game_named
from engine.game import Action, Board, Seat, State

DEAL_END = "deal_end"


class TableRules(NamedTuple):
    game: Game
    ruleset: Ruleset
    boards: tuple[Board, ...]
    """Contain the seeds: confidential until the end."""


class StepState(NamedTuple):
    """A table after a complete step: no seat still owes its part of a simultaneous decision."""

    length: int
    """Number of actions so far."""
    board_index: int
    state: State
    before: State | None
    """State before the last step; None at the start."""
    after: State | None
    """State of the same board after the last step; None at the start."""
    ended_board: State | None
    """Final state of the previous board, if the step ended it."""


class IllegalHistory(Exception):
    """Stored actions violate the rules: a platform fault."""


def deals_of(table: LiveTable) -> CasualDeals:
    return CasualDeals(bytes(table.secret), table.seed_id, tuple(table.bundles))


def rules_of(table: LiveTable) -> TableRules:
    game = game_named(table.game)
    deals = deals_of(table)
    numbers = range(table.first_board, table.first_board + table.board_count)
    boards = tuple(Board(table.board_kind, number, deals.seed(number)) for number in numbers)
    return TableRules(game, game.ruleset(table.preset, table.ruleset), boards)


class PositionHistory:
    """All positions of a table, extended with each action. Not thread-safe."""

    def __init__(self, rules: TableRules) -> None:
        self._rules = rules
        self.actions: list[tuple[Seat, Action]] = []
        self.steps: list[StepState] = []
        self.by_length: dict[int, StepState] = {}
        self.results: list[dict[Seat, int]] = []
        """Stones by seat of each finished board."""
        self.deal_ends: list[tuple[int, dict[str, int]]] = []
        """For each finished deal, the number of actions at its end and the stones won by seat."""
        self._incomplete: list[tuple[Seat, Action]] = []
        self._begin(0, None, None)

    @property
    def end(self) -> StepState:
        return self.steps[-1]

    @property
    def is_over(self) -> bool:
        return not self.end.state.to_act

    def add(self, seat: Seat, action: Action) -> None:
        """Apply one action; raise IllegalHistory if the seat is not due."""
        due = self.end.state.to_act
        if len(self._incomplete) >= len(due) or due[len(self._incomplete)] != seat:
            raise IllegalHistory(f"action {len(self.actions)}: seat {seat} is not due; due: {due}")
        self.actions.append((seat, action))
        self._incomplete.append((seat, action))
        if len(self._incomplete) < len(due):
            return
        before = state = self.end.state
        for each, chosen in self._incomplete:
            state = state.apply(each, chosen)
        self._incomplete.clear()
        self._add_deal_ends(state, before)
        index = self.end.board_index
        if not state.to_act:
            self._add_result(state)
            if index + 1 < len(self._rules.boards):
                self._begin(index + 1, before, state)
                return
        self._add_step(StepState(len(self.actions), index, state, before, state, None))

    def _begin(self, index: int, before: State | None, reached: State | None) -> None:
        """Start a board, skipping boards that are decided before any action."""
        rules, ended = self._rules, reached
        state: State = rules.game.start(rules.ruleset, rules.boards[index])
        while not state.to_act:
            self._add_result(state)
            self._add_deal_ends(state, None)
            if index + 1 == len(rules.boards):
                break
            ended, index = state, index + 1
            state = rules.game.start(rules.ruleset, rules.boards[index])
        self._add_step(StepState(len(self.actions), index, state, before, reached, ended))

    def _add_result(self, state: State) -> None:
        outcome = state.outcome()
        assert outcome is not None, "nobody is to act, so the board is over"
        self.results.append(dict(outcome.stones))

    def _add_deal_ends(self, state: State, before: State | None) -> None:
        ends = [event.public for event in state.happened_since(before) if event.kind == DEAL_END]
        self.deal_ends += [(len(self.actions), end["stones"]) for end in ends]

    def _add_step(self, step: StepState) -> None:
        self.steps.append(step)
        self.by_length[step.length] = step


def position_history(table: LiveTable) -> PositionHistory:
    """Compute all positions of a table."""
    history = PositionHistory(rules_of(table))
    for seat, action in table.actions:
        history.add(seat, action)
    return history
