"""What a position of Kakeya or Etori is worth when all hands are seen and everybody plays best.

Exact for every position that ``check`` allows; docs/solver.md says how that was tested and what it costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from engine.games.kakeya.scoring import PICTURES_IN_ALL
from engine.kernel.limits import POLL_INTERVAL, Answer, LimitChecker, Limits
from engine.kernel.moves import legal_cards
from engine.kernel.position import PLAYERS, KernelError, Position, check, check_is_collection
from engine.kernel.solving_search import Search
from engine.kernel.solving_search import __file__ as search_file
from engine.refusals import quoted

Ask = Literal["stones", "winner", "pictures"]
"""What is asked: the value of ``Position.values``; its sign; how many pictures side 0 takes in all."""

_ASKS = get_args(Ask)
_NO_LIMITS = Limits()
_POLL_INTERVAL = 16 if search_file.endswith(".py") else POLL_INTERVAL
"""Searched nodes between two looks at the clock; uncompiled they are slow."""
_MAX_IDLE_BUCKETS = 1 << 16
_idle_searches: list[Search] = []


def solve(position: Position, ask: Ask = "stones", limits: Limits = _NO_LIMITS) -> Answer:
    """The value of a position to side 0.

    Raises:
        KernelError: no such position, nothing to ask, or a limit that allows nothing.
    """
    return solve_many([position], ask, limits)[0]


def solve_many(
    positions: Iterable[Position], ask: Ask = "stones", limits: Limits = _NO_LIMITS
) -> tuple[Answer, ...]:
    """The values of positions to side 0, in their order; cheaper than one call for each.

    Raises:
        KernelError: as ``solve``.
    """
    check_is_collection("positions", positions, Iterable, "positions")
    limit_checker, answers = LimitChecker(limits, _POLL_INTERVAL), []
    with _search() as search:
        for position in positions:
            question = _Question(position, ask)
            search.load(position)
            answers.append(question.answer(search, limit_checker, position.trick, position.turn))
    return tuple(answers)


def solve_moves(
    position: Position, ask: Ask = "stones", limits: Limits = _NO_LIMITS
) -> tuple[tuple[int, Answer], ...]:
    """What the position is worth to side 0 after each legal card, in ascending order of their numbers.

    Raises:
        KernelError: as ``solve``.
    """
    limit_checker, question = LimitChecker(limits, _POLL_INTERVAL), _Question(position, ask)
    turn = (position.turn + 1) % PLAYERS
    answers: dict[int, Answer] = {}
    with _search() as search:
        search.load(position)
        for card in reversed(legal_cards(position)):
            same = search.same_run(position.turn, card)
            if same in answers:
                answers[card] = answers[same]._replace(nodes=0)
            else:
                answers[card] = question.answer(search, limit_checker, (*position.trick, card), turn)
    return tuple(sorted(answers.items()))


@contextmanager
def _search() -> Iterator[Search]:
    """A search that nobody else uses; its memory is used again, unless it has become large."""
    search = _idle_searches.pop() if _idle_searches else Search()
    yield search
    # One that was interrupted is not used again.
    if search.bucket_count < _MAX_IDLE_BUCKETS and not _idle_searches:
        _idle_searches.append(search)


class _Levels(NamedTuple):
    """Values that a question may be answered with, and what side 0 has to take for each."""

    levels: tuple[int, ...]
    tests: tuple[tuple[int, int | None], ...]
    """By level: so many of the pictures left or more, or with a target which numbers of them, as bits."""
    step: int
    """The level that is asked for first."""


@lru_cache(maxsize=4096)
def _levels_of(values: tuple[int, ...], captured: tuple[int, int], ask: Ask) -> _Levels:
    """The values between which an answer is looked for; deals are worth the same few again and again."""
    first, second = captured
    span = range(first, PICTURES_IN_ALL + 1 - second)
    payoffs: Sequence[int] = span
    if ask != "pictures":
        payoffs = [values[taken] for taken in span]
    if ask == "winner":
        payoffs = [(value > 0) - (value < 0) for value in payoffs]
    levels = sorted(set(payoffs))
    rises = all(payoffs[i] <= payoffs[i + 1] for i in range(len(payoffs) - 1))
    tests: list[tuple[int, int | None]] = []
    for level in levels:
        reached = [taken for taken, value in enumerate(payoffs) if value >= level]
        tests.append((reached[0], None) if rises else (0, sum(1 << taken for taken in reached)))
    # The line between winning and losing first, then the next step from there.
    step = next((number for number, level in enumerate(levels) if level > 0), len(levels) - 1)
    if ask == "pictures":
        step = len(levels) // 2
    return _Levels(tuple(levels), tuple(tests), step)


class _Question:
    """What is asked of a position; it remembers where on its ladder the last answer was."""

    def __init__(self, position: Position, ask: Ask) -> None:
        if ask not in _ASKS:
            raise KernelError(f"nothing to ask called {quoted(ask)}: ask stones, winner or pictures")
        check(position)
        self.levels, self.tests, self.step = _levels_of(position.values, position.captured, ask)

    def answer(self, search: Search, limit_checker: LimitChecker, trick: Sequence[int], turn: int) -> Answer:
        """The answer for the loaded position after these cards of its trick."""
        levels, tests = self.levels, self.tests
        low, high, step = 0, len(levels) - 1, self.step
        search.start(limit_checker)
        while low < high:
            step = min(max(step, low + 1), high)
            is_reached = search.reaches(trick, turn, *tests[step])
            if search.error is not None:
                raise search.error
            if search.stopped:
                break
            if is_reached:
                low = step
                step += 1
            else:
                high = step - 1
                step -= 1
        # The next card is likely to be worth as much.
        self.step = step
        state: Literal["exact", "bound", "stopped"] = "exact"
        if low < high:
            state = "bound" if low > 0 or high < len(levels) - 1 else "stopped"
        return Answer(levels[low], levels[high], state, search.nodes)
