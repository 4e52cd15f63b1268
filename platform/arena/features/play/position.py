"""Positions of a table as its person may see them: the only module that reveals its cards."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from arena.common.process_cache import CacheKey, process_cache
from arena.tables.live.history import DEAL_END, PositionHistory, StepState, position_history
from arena.tables.live.models import LiveTable
from engine import game_named
from engine.game import Seat, partner_of

ACT = "act"
HISTORY_BYTES = 256 << 10
"""Estimated memory of a history. With the cache, each action costs one step instead of a replay."""


class SeatedTable(Protocol):
    """A table with the seat of one person, who plays in a browser."""

    @property
    def row(self) -> LiveTable: ...
    @property
    def pk(self) -> Any: ...
    @property
    def public_id(self) -> str: ...
    @property
    def page(self) -> str: ...
    @property
    def game(self) -> str: ...
    @property
    def preset(self) -> str: ...
    @property
    def ruleset(self) -> Any: ...
    @property
    def seat(self) -> Seat: ...
    @property
    def seats(self) -> Any: ...
    @property
    def state(self) -> str: ...
    @property
    def is_active(self) -> bool: ...
    @property
    def actions(self) -> Any: ...
    @property
    def length(self) -> int: ...
    @property
    def pending(self) -> Any:
        """Action of the person that is not applied yet: ``[n, action]``, and more; None without one."""

    @property
    def taken_back(self) -> Any: ...
    @property
    def substituted(self) -> Any: ...
    @property
    def board_count(self) -> int: ...
    @property
    def deals(self) -> str: ...
    @property
    def practice(self) -> bool: ...
    @property
    def may_finish_early(self) -> bool:
        """Whether the person may have the rest of a decided deal played."""

    @property
    def field(self) -> Any: ...
    @property
    def ended_at(self) -> datetime.datetime | None: ...
    @property
    def clock_s(self) -> int | None: ...
    @property
    def clock_left_ms(self) -> int | None: ...
    @property
    def deadline_at(self) -> datetime.datetime | None: ...


class SeatPosition(NamedTuple):
    """A position as one seat may see it."""

    n: int
    """Number of actions so far; the argument of ``act`` if ``is_mine``."""
    observation: dict[str, Any]
    legal: tuple[str, ...]
    """Legal actions of the person; empty unless ``is_mine``."""
    is_mine: bool
    is_over: bool
    board: int
    """Number of the board, from 1."""
    boards: int
    stones_so_far: dict[int, int]
    """Stones of finished boards by seat."""
    last: tuple[tuple[int, str], ...]
    """Seats and actions of the last step that this seat may see."""
    events: tuple[dict[str, Any], ...] = ()
    """All events of the last step that this seat may see: ``act``, ``trick``, ``deal_end``, ``deal``, ..."""
    ended: dict[str, Any] | None = None
    """At the start of a further board, the last observation of the previous one; after a deal within a game,
    the observation before the last step.
    """
    scores: tuple[int, ...] = ()
    """Stones that the person won in each finished deal, across boards."""


def is_decided(table: SeatedTable, position: SeatPosition) -> bool:
    """Return whether public information alone fixes the result of the deal. No query."""
    game = game_named(table.game)
    return game.is_decided(game.ruleset(table.preset, table.ruleset), position.observation)


def partner_seat_of(table: SeatedTable) -> Seat | None:
    """Return the seat of the person's partner; None without partnerships. No query."""
    game = game_named(table.game)
    return partner_of(game.sides(game.ruleset(table.preset, table.ruleset)), table.seat)


def seat_position(table: SeatedTable, n: int | None = None) -> SeatPosition:
    """Return what the person may see now, or after the first ``n`` actions. No query.

    An ``n`` within a step counts as the step before, so that simultaneous actions stay hidden.
    """
    lock, history = _cached_history(table)
    with lock:
        step = history.end if n is None else _step_at(history, n)
        boards_over = history.results[: step.board_index + (not step.state.to_act)]
        scores = [stones for length, stones in history.deal_ends if length <= step.length]
        is_present = step.length == history.end.length
    return _seat_position(table, step, boards_over, scores, is_present=is_present)


def steps_after(table: SeatedTable, after: int) -> list[int]:
    """Return the numbers of actions after each step later than ``after``, ascending. No query."""
    lock, history = _cached_history(table)
    with lock:
        lengths = []
        for step in reversed(history.steps):
            if step.length <= after:
                break
            lengths.append(step.length)
    return lengths[::-1]


def last_decision(table: SeatedTable) -> int | None:
    """Return the number of actions before the person's last decision of the current deal; None without one.

    A play without a choice is not a decision. No query.
    """
    lock, history = _cached_history(table)
    with lock:
        now, *earlier = reversed(history.steps)
        deal = _deal_number(now, table.seat)
        for step in earlier:
            if _deal_number(step, table.seat) != deal:
                return None
            if table.seat in step.state.to_act and len(step.state.legal(table.seat)) > 1:
                return step.length
    return None


def _deal_number(step: StepState, seat: Seat) -> tuple[int, int]:
    return step.board_index, int(step.state.observe(seat)["deal"])


def seats_due_at(table: SeatedTable, n: int) -> tuple[Seat, ...]:
    """Return the seats to act after ``n`` actions, ascending; empty if no step ends there. No query."""
    lock, history = _cached_history(table)
    with lock:
        step = history.by_length.get(n)
    return () if step is None else tuple(step.state.to_act)


def is_repeat(table: SeatedTable, n: int, action: str) -> bool:
    """Return whether the person has chosen this action at this position before. No query."""
    if table.pending is not None and table.pending[0] == n:
        return bool(table.pending[1] == action)
    due = seats_due_at(table, n)
    if table.seat not in due:
        return False
    index = n + due.index(table.seat)
    return (
        index < len(table.actions)
        and table.actions[index] == [table.seat, action]
        and all(number != index for number, _ in table.substituted)
    )


def _cached_history(table: SeatedTable) -> tuple[threading.Lock, PositionHistory]:
    """Return this process's cached history of a table with its lock, extended to the row's actions."""
    actions = [(seat, action) for seat, action in table.actions]
    # A take-back begins a new history; older copies of the row keep theirs.
    key = CacheKey("course", f"{table.public_id}/{len(table.taken_back)}")
    cached: tuple[threading.Lock, PositionHistory] | None = process_cache.get(key)
    if cached is not None:
        lock, history = cached
        with lock:
            known = len(history.actions)
            if history.actions == actions[:known]:
                for seat, action in actions[known:]:
                    history.add(seat, action)
                return cached
            if actions == history.actions[: len(actions)]:
                # The row is an older copy: keep the newer positions in the cache.
                return threading.Lock(), position_history(table.row)
    cached = threading.Lock(), position_history(table.row)
    process_cache.put(key, cached, HISTORY_BYTES)
    return cached


def _step_at(history: PositionHistory, n: int) -> StepState:
    step = history.by_length.get(n)
    if step is None:
        step = next((step for step in reversed(history.steps) if step.length <= n), history.steps[0])
    return step


def _seat_position(
    table: SeatedTable,
    step: StepState,
    results: list[dict[Seat, int]],
    scores: list[dict[str, int]],
    *,
    is_present: bool,
) -> SeatPosition:
    seat, state = table.seat, step.state
    is_waiting = table.pending is not None and table.pending[0] == step.length
    is_mine = is_present and table.is_active and seat in state.to_act and not is_waiting
    stones: dict[int, int] = {}
    for result in results:
        for each, won in result.items():
            stones[each] = stones.get(each, 0) + won
    events: list[dict[str, Any]] = []
    if step.before is not None and step.after is not None:
        events += step.after.events_since(step.before, seat)
    if step.ended_board is not None and step.ended_board is not step.after:
        events += step.ended_board.events_since(None, seat)
    if state is not step.after:
        events += state.events_since(None, seat)
    acts = tuple((int(event["seat"]), str(event["action"])) for event in events if event["e"] == ACT)
    return SeatPosition(
        n=step.length,
        observation=state.observe(seat),
        legal=tuple(state.legal(seat)) if is_mine else (),
        is_mine=is_mine,
        is_over=not state.to_act,
        board=step.board_index + 1,
        boards=table.board_count,
        stones_so_far=stones,
        last=acts,
        events=tuple(events),
        ended=_ended_observation(step, seat, events),
        scores=tuple(stones[str(seat)] for stones in scores),
    )


def _ended_observation(
    step: StepState, seat: Seat, events: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    if step.ended_board is not None:
        return step.ended_board.observe(seat)
    if step.before is None or not step.state.to_act or all(event["e"] != DEAL_END for event in events):
        return None
    return step.before.observe(seat)
