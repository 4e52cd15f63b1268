"""Double-dummy solver: the value of a position of Kakeya or Etori with all hands open and perfect play.

Exact for every position that ``check`` accepts; docs/solver.md describes tests and cost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from engine.games.kakeya.scoring import PICTURES_IN_ALL
from engine.kernel.limits import POLL_INTERVAL, Answer, LimitChecker, Limits
from engine.kernel.moves import legal_cards, play
from engine.kernel.position import PLAYERS, KernelError, Position, check, check_is_collection
from engine.kernel.solving_search import Search
from engine.kernel.solving_search import __file__ as search_file
from engine.refusals import quoted

Ask = Literal["stones", "winner", "pictures"]
"""Question to solve: the value from ``Position.values``, its sign, or the pictures of side 0."""

_ASKS = get_args(Ask)
_NO_LIMITS = Limits()
_POLL_INTERVAL = 16 if search_file.endswith(".py") else POLL_INTERVAL
"""Searched nodes between two checks of the limits; fewer uncompiled, because they are slow."""
_MAX_IDLE_BUCKETS = 1 << 16
_idle_searches: list[Search] = []


def solve(position: Position, ask: Ask = "stones", limits: Limits = _NO_LIMITS) -> Answer:
    """Return the value of a position to side 0. Raise ``KernelError`` if an argument is invalid."""
    return solve_many([position], ask, limits)[0]


def solve_many(
    positions: Iterable[Position], ask: Ask = "stones", limits: Limits = _NO_LIMITS
) -> tuple[Answer, ...]:
    """Return the values of positions to side 0, in order; cheaper than a call per position."""
    check_is_collection("positions", positions, Iterable, "positions")
    limit_checker, answers = LimitChecker(limits, _POLL_INTERVAL), []
    with _search() as search:
        for position in positions:
            question = _Question(position, ask)
            search.load(position)
            answers.append(question.answer(search, limit_checker, position.trick, position.turn))
    return tuple(answers)


def solve_moves(
    position: Position,
    ask: Ask = "stones",
    limits: Limits = _NO_LIMITS,
    cards: Iterable[int] | None = None,
) -> tuple[tuple[int, Answer], ...]:
    """Return each legal card, or each of ``cards``, with the value to side 0 after it, by ascending card.

    Raise ``KernelError`` if an argument is invalid or a card is not legal.
    """
    limit_checker, question = LimitChecker(limits, _POLL_INTERVAL), _Question(position, ask)
    chosen = None if cards is None else _legal(position, cards)
    with _search() as search:
        search.load(position)
        return _answers_by_card(search, limit_checker, question, position, {}, chosen)


def _legal(position: Position, cards: Iterable[int]) -> tuple[int, ...]:
    check_is_collection("cards", cards, Iterable, "cards by number")
    legal = legal_cards(position)
    chosen = tuple(sorted(set(cards)))
    for card in chosen:
        if card not in legal:
            raise KernelError(f"card {card!r} of cards is not legal in this position")
    return chosen


class SolvedPlay(NamedTuple):
    """A card of a played deal, and what the legal cards were worth."""

    player: int
    card: int
    """The card that was played."""
    answers: tuple[tuple[int, Answer], ...]
    """Each legal card with the value to side 0 after it, by ascending card, as ``solve_moves`` returns."""


def solve_play(
    position: Position, cards: Iterable[int], ask: Ask = "stones", limits: Limits = _NO_LIMITS
) -> tuple[SolvedPlay, ...]:
    """Return what the legal cards were worth whenever one of these cards was played, in order.

    The last card is solved first. Where an answer is not exact, by whatever limit, no earlier card is
    searched: those answers have the state ``stopped``. Raise ``KernelError`` if an argument is invalid or a
    card is not legal.
    """
    limit_checker = LimitChecker(limits, _POLL_INTERVAL)
    _Question(position, ask)  # Checks both, also without cards.
    positions, played = _followed(position, cards)
    solved: list[SolvedPlay] = []
    value: Answer | None = None
    is_stopped = False
    with _search() as search:
        search.load(position)
        for position, card in zip(reversed(positions), reversed(played), strict=True):
            question = _Question(position, ask)
            if is_stopped:
                answers = tuple((legal, question.nothing_proved()) for legal in legal_cards(position))
            else:
                search.move_to(position)
                known = {}
                if value is not None:
                    question.begin_above(value.low)
                    # After this card comes the position that was solved last.
                    known[search.same_run(position.turn, card)] = value
                answers = _answers_by_card(search, limit_checker, question, position, known)
                is_stopped = any(answer.state != "exact" for _, answer in answers)
                better = min if position.turn % 2 else max
                value = better(answer for _, answer in answers)._replace(nodes=0)
            solved.append(SolvedPlay(position.turn, card, answers))
    return tuple(reversed(solved))


class SolvedLine(NamedTuple):
    """Best play by all seats, up to the last card unless a limit was reached."""

    answer: Answer
    """Value of the position to side 0."""
    cards: tuple[int, ...]
    """The lowest of the best cards at each position, in order."""


def solve_line(position: Position, ask: Ask = "stones", limits: Limits = _NO_LIMITS) -> SolvedLine:
    """Return a line of best play; all positions share one search.

    Later positions have the value of the first, so that they need one test per card. Raise ``KernelError`` if
    an argument is invalid.
    """
    limit_checker, question = LimitChecker(limits, _POLL_INTERVAL), _Question(position, ask)
    cards: list[int] = []
    with _search() as search:
        search.load(position)
        answer = question.answer(search, limit_checker, position.trick, position.turn)
        while answer.state == "exact" and (legal := legal_cards(position)):
            search.move_to(position)
            card = question.first_worth(search, limit_checker, position, legal, answer.low)
            if card is None:
                break
            cards.append(card)
            position = play(position, card)
            question = _Question(position, ask)
    return SolvedLine(answer, tuple(cards))


def _followed(position: Position, cards: Iterable[int]) -> tuple[list[Position], list[int]]:
    """Return the positions in which these cards are played, and the cards."""
    check_is_collection("cards", cards, Iterable, "cards by number")
    positions, played = [], []
    for number, card in enumerate(cards):
        positions.append(position)
        played.append(card)
        try:
            position = play(position, card)
        except KernelError as error:
            raise KernelError(f"card {number} of cards: {error}") from None
    return positions, played


def _answers_by_card(
    search: Search,
    limit_checker: LimitChecker,
    question: _Question,
    position: Position,
    known: dict[int, Answer],
    chosen: tuple[int, ...] | None = None,
) -> tuple[tuple[int, Answer], ...]:
    """Return each legal or chosen card with its answer; ``known`` has answers for the highest card of some
    runs.
    """
    turn = (position.turn + 1) % PLAYERS
    cards = legal_cards(position) if chosen is None else chosen
    answers = dict(known)
    for card in reversed(cards):
        same = search.same_run(position.turn, card)
        if same not in answers:
            answers[same] = answers[card] = question.answer(
                search, limit_checker, (*position.trick, card), turn
            )
        elif card not in answers:
            answers[card] = answers[same]._replace(nodes=0)
    return tuple(sorted((card, answers[card]) for card in cards))


@contextmanager
def _search() -> Iterator[Search]:
    """Lend a search exclusively. It is reused afterwards unless its table has become large."""
    search = _idle_searches.pop() if _idle_searches else Search()
    yield search
    # An interrupted search does not get here and is not reused.
    if search.bucket_count < _MAX_IDLE_BUCKETS and not _idle_searches:
        _idle_searches.append(search)


class _Levels(NamedTuple):
    levels: tuple[int, ...]
    tests: tuple[tuple[int, int | None], ...]
    """By level: the minimum of pictures that side 0 needs, or 0 and the set of winning counts as bits."""
    step: int


@lru_cache(maxsize=4096)
def _levels_of(values: tuple[int, ...], captured: tuple[int, int], ask: Ask) -> _Levels:
    """Return the possible values of a position. Cached: deals share few sets of values."""
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
    # Test winning against losing first, then the adjacent levels.
    step = next((number for number, level in enumerate(levels) if level > 0), len(levels) - 1)
    if ask == "pictures":
        step = len(levels) // 2
    return _Levels(tuple(levels), tuple(tests), step)


class _Question:
    """A question about a position. It remembers the last level reached as the start of the next search."""

    def __init__(self, position: Position, ask: Ask) -> None:
        if ask not in _ASKS:
            raise KernelError(f"nothing to ask called {quoted(ask)}: ask stones, winner or pictures")
        check(position)
        self.levels, self.tests, self.step = _levels_of(position.values, position.captured, ask)

    def begin_above(self, value: int) -> None:
        """Test first whether more than this value is reached."""
        self.step = bisect_right(self.levels, value)

    def nothing_proved(self) -> Answer:
        return Answer(self.levels[0], self.levels[-1], "stopped", 0)

    def answer(self, search: Search, limit_checker: LimitChecker, trick: Sequence[int], turn: int) -> Answer:
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
        # The next card probably has the same value.
        self.step = step
        state: Literal["exact", "bound", "stopped"] = "exact"
        if low < high:
            state = "bound" if low > 0 or high < len(levels) - 1 else "stopped"
        return Answer(levels[low], levels[high], state, search.nodes)

    def first_worth(
        self,
        search: Search,
        limit_checker: LimitChecker,
        position: Position,
        cards: Sequence[int],
        value: int,
    ) -> int | None:
        """Return the first of the legal cards that keeps the value of the position; None if stopped."""
        turn, level = position.turn, self.levels.index(value)
        is_first = not turn % 2
        level += not is_first
        if len(cards) == 1 or not 0 < level < len(self.levels):
            return cards[0]
        failed = set()
        for card in cards:
            same = search.same_run(turn, card)
            if same in failed:
                continue
            search.start(limit_checker)
            is_reached = search.reaches((*position.trick, card), (turn + 1) % PLAYERS, *self.tests[level])
            if search.error is not None:
                raise search.error
            if search.stopped:
                return None
            if is_reached == is_first:
                return card
            failed.add(same)
        raise AssertionError("one card keeps the value")
