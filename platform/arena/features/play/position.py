"""Where a casual table stands, as one seat may see it: computed by the rules from its deals and actions.

Nothing else of a table's cards leaves this module: pages show ``SeatPosition`` and have no other source.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from arena.common.process_cache import Key, process_cache
from arena.competition.casual import CasualDeals
from arena.features.play.models import CasualTable
from engine import Game, Ruleset, game_named
from engine.game import Action, Board, BoardKind, Seat, State, partner_of

ACT, DEAL_END = "act", "deal_end"
HISTORY_BYTES = 256 << 10
"""Estimate of a course in memory. Cached, each action costs one step and no replay."""


class TableRules(NamedTuple):
    """What a table is played by."""

    game: Game
    ruleset: Ruleset
    boards: tuple[Board, ...]
    """With their seeds: not for anybody's eyes before the end."""


class StepState(NamedTuple):
    """A table after a whole step: nobody owes part of a simultaneous answer."""

    length: int
    """Actions so far."""
    board_index: int
    """Of the board, from 0."""
    state: State
    before: State | None
    """The state before the last step; None before the first."""
    after: State | None
    """The state of the same board after it; None before the first."""
    ended_board: State | None
    """The last state of the board before, if this is the beginning of one that follows it."""


class SeatPosition(NamedTuple):
    """What one seat may see of a position."""

    n: int
    """Actions taken; ``act`` takes this where ``is_mine``."""
    observation: dict[str, Any]
    """``State.observe`` of the seat, and nothing else."""
    legal: tuple[str, ...]
    """What the person may choose; empty unless ``is_mine``."""
    is_mine: bool
    is_over: bool
    """The last deal is over."""
    board: int
    """Which of the boards it is, from 1."""
    boards: int
    stones_so_far: dict[int, int]
    """Of boards that are over, by seat."""
    last: tuple[tuple[int, str], ...]
    """Seat and action of the last step, as far as this seat may see them."""
    events: tuple[dict[str, Any], ...] = ()
    """Everything this seat may see of the last step: ``act``, ``trick``, ``deal_end``, ``deal``, ..."""
    ended: dict[str, Any] | None = None
    """If this is the beginning of another board: the last observation of the board before. If the last step
    ended a deal within a game: the observation before that step, as the state after it is the next deal's."""


class IllegalHistory(Exception):
    """Stored actions that the rules do not allow: a fault of ours."""


def deals_of(table: CasualTable) -> CasualDeals:
    """What the deals follow from; no query."""
    return CasualDeals(bytes(table.secret), table.deals_id, tuple(table.bundles))


def board_kind_of(deals: str) -> BoardKind:
    """The kind of boards that such a choice of deals means."""
    return "game" if deals == CasualTable.Deals.GAME else "deal"


def partner_seat_of(table: CasualTable) -> Seat | None:
    """The seat of the person's partner; None where everybody plays alone. No query."""
    game = game_named(table.game)
    return partner_of(game.sides(game.ruleset(table.preset, table.ruleset)), table.seat)


def board_count(table: CasualTable) -> int:
    """How many boards are played."""
    return 1 if table.deals == CasualTable.Deals.GAME else int(table.deals)


def rules_of(table: CasualTable) -> TableRules:
    """Rules and deals of a table; no query."""
    game = game_named(table.game)
    kind, deals = board_kind_of(table.deals), deals_of(table)
    numbers = range(table.first_board, table.first_board + board_count(table))
    boards = tuple(Board(kind, number, deals.seed(number)) for number in numbers)
    return TableRules(game, game.ruleset(table.preset, table.ruleset), boards)


class PositionHistory:
    """The positions of one table, from its first on, extended as actions are added. Not safe for threads."""

    def __init__(self, rules: TableRules) -> None:
        self._rules = rules
        self.actions: list[tuple[Seat, Action]] = []
        self.steps: list[StepState] = []
        self.by_length: dict[int, StepState] = {}
        self.results: list[dict[Seat, int]] = []
        """Stones of each board that is over."""
        self._incomplete: list[tuple[Seat, Action]] = []
        """Answers to a simultaneous decision that is not complete."""
        self._begin(0, None, None)

    @property
    def end(self) -> StepState:
        """The last complete position."""
        return self.steps[-1]

    @property
    def is_over(self) -> bool:
        """Whether the last board is over."""
        return not self.end.state.to_act

    def add(self, seat: Seat, action: Action) -> None:
        """Take one more action; raises IllegalLine if it is not due."""
        due = self.end.state.to_act
        if len(self._incomplete) >= len(due) or due[len(self._incomplete)] != seat:
            raise IllegalHistory(f"action {len(self.actions)}: seat {seat} is not due, but {due}")
        self.actions.append((seat, action))
        self._incomplete.append((seat, action))
        if len(self._incomplete) < len(due):
            return
        before = state = self.end.state
        for each, chosen in self._incomplete:
            state = state.apply(each, chosen)
        self._incomplete.clear()
        index = self.end.board_index
        if not state.to_act:
            self._add_result(state)
            if index + 1 < len(self._rules.boards):
                self._begin(index + 1, before, state)
                return
        self._add_step(StepState(len(self.actions), index, state, before, state, None))

    def _begin(self, index: int, before: State | None, reached: State | None) -> None:
        """The beginning of a board; boards that are won before any play follow each other at once."""
        rules, ended = self._rules, reached
        state: State = rules.game.start(rules.ruleset, rules.boards[index])
        while not state.to_act:
            self._add_result(state)
            if index + 1 == len(rules.boards):
                break
            ended, index = state, index + 1
            state = rules.game.start(rules.ruleset, rules.boards[index])
        self._add_step(StepState(len(self.actions), index, state, before, reached, ended))

    def _add_result(self, state: State) -> None:
        outcome = state.outcome()
        assert outcome is not None, "nobody is to act, so the board is over"
        self.results.append(dict(outcome.stones))

    def _add_step(self, stop: StepState) -> None:
        self.steps.append(stop)
        self.by_length[stop.length] = stop


def position_history(table: CasualTable) -> PositionHistory:
    """All positions of a table, computed anew; not shared with anybody."""
    course = PositionHistory(rules_of(table))
    for seat, action in table.actions:
        course.add(seat, action)
    return course


def seat_position(table: CasualTable, n: int | None = None) -> SeatPosition:
    """What the person may see at present, or after the first ``n`` actions (at the end of a step; what lies
    between two steps counts as the one before).

    No query. Of a table at which something was declared at the same time by several seats nothing shows
    before all have, as positions between two steps do not exist.
    """
    lock, course = _cached_history(table)
    with lock:
        stop = course.end if n is None else _step_at(course, n)
        boards_over = course.results[: stop.board_index + (not stop.state.to_act)]
        is_present = stop.length == course.end.length
    return _seat_position(table, stop, boards_over, is_present=is_present)


def steps_after(table: CasualTable, after: int) -> list[int]:
    """The number of actions at the end of each step that follows ``after``, ascending; no query."""
    lock, course = _cached_history(table)
    with lock:
        lengths = []
        for stop in reversed(course.steps):
            if stop.length <= after:
                break
            lengths.append(stop.length)
    return lengths[::-1]


def seats_due_at(table: CasualTable, n: int) -> tuple[Seat, ...]:
    """The seats that owed an answer after ``n`` actions, ascending; none if no step ends there. No query."""
    lock, course = _cached_history(table)
    with lock:
        stop = course.by_length.get(n)
    return () if stop is None else tuple(stop.state.to_act)


def _cached_history(table: CasualTable) -> tuple[threading.Lock, PositionHistory]:
    """The course that this process keeps for a table, extended to its actions."""
    actions = [(seat, action) for seat, action in table.actions]
    key = Key("course", table.public_id)
    kept: tuple[threading.Lock, PositionHistory] | None = process_cache.get(key)
    if kept is not None:
        lock, course = kept
        with lock:
            known = len(course.actions)
            if course.actions == actions[:known]:
                for seat, action in actions[known:]:
                    course.add(seat, action)
                return kept
            if actions == course.actions[: len(actions)]:
                # An older copy of the row: the newer positions stay kept for others.
                return threading.Lock(), position_history(table)
    kept = threading.Lock(), position_history(table)
    process_cache.put(key, kept, HISTORY_BYTES)
    return kept


def _step_at(course: PositionHistory, n: int) -> StepState:
    stop = course.by_length.get(n)
    if stop is None:
        stop = next((stop for stop in reversed(course.steps) if stop.length <= n), course.steps[0])
    return stop


def _seat_position(
    table: CasualTable, stop: StepState, over: list[dict[Seat, int]], *, is_present: bool
) -> SeatPosition:
    seat, state = table.seat, stop.state
    is_waiting = table.pending is not None and table.pending[0] == stop.length
    is_mine = is_present and table.is_active and seat in state.to_act and not is_waiting
    stones: dict[int, int] = {}
    for result in over:
        for each, won in result.items():
            stones[each] = stones.get(each, 0) + won
    events: list[dict[str, Any]] = []
    if stop.before is not None and stop.after is not None:
        events += stop.after.events_since(stop.before, seat)
    if stop.ended_board is not None and stop.ended_board is not stop.after:
        events += stop.ended_board.events_since(None, seat)
    if state is not stop.after:
        events += state.events_since(None, seat)
    acts = tuple((int(event["seat"]), str(event["action"])) for event in events if event["e"] == ACT)
    return SeatPosition(
        n=stop.length,
        observation=state.observe(seat),
        legal=tuple(state.legal(seat)) if is_mine else (),
        is_mine=is_mine,
        is_over=not state.to_act,
        board=stop.board_index + 1,
        boards=board_count(table),
        stones_so_far=stones,
        last=acts,
        events=tuple(events),
        ended=_ended_observation(stop, seat, events),
    )


def _ended_observation(
    stop: StepState, seat: Seat, events: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    if stop.ended_board is not None:
        return stop.ended_board.observe(seat)
    if stop.before is None or not stop.state.to_act or all(event["e"] != DEAL_END for event in events):
        return None
    return stop.before.observe(seat)
