"""Problems: positions in which exactly one card is best, with all hands open and on average.

Their proofs depend only on position, limits and the version of the method.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict

from analysis.deal_position import DealPosition
from analysis.games.kakeya.averages import values_by_card
from analysis.games.kakeya.plays import Play
from analysis.position_errors import PositionError
from analysis.position_text import format_position_text, parse_position_text
from analysis.shapes import Limits
from analysis.work import AnalysisError, Work
from engine import Seat
from engine.cards import KAKEYA_PACK, Card
from engine.games.kakeya import GAME
from engine.games.kakeya.state import KakeyaState
from engine.kernel import Cancel, places_of, position_of, solve_moves

PROBLEM_FORMAT = "rensho-problem/1"
METHOD = "rensho-problems/1"
"""Version of the method; increased by every change that changes proofs."""
LIMITS: Limits = {"nodes": 2_000_000, "deals": 64}
MAX_DEALS = 10_000
MAX_BYTES = 20_000
"""Maximum size of a proof; real ones have about 2,000 bytes."""
MIN_ERRORS = 3
"""Standard errors by which the best card beats every other card on average."""


class Advantage(TypedDict):
    """Mean advantage of the best card over another one, in stones of its side, and its standard error."""

    mean: float
    error: float


class Problem(TypedDict):
    """The proof of a problem, ``rensho-problem/1``. Source: docs/analysis.md#problems."""

    format: str
    solver: str
    limits: Limits
    position: str
    """Canonical position text (docs/position-text.md)."""
    seat: Seat
    values: dict[str, list[Card]]
    """Legal cards by double-dummy value, in stones to the side of the seat, the best first."""
    best: Card
    averages: dict[Card, Advantage]
    """By each other legal card; ``limits`` has the number of possible deals."""
    source: NotRequired[dict[str, str]]
    """Table, position and record from which it comes."""
    sha256: str
    """Hash of the other fields: of their ASCII JSON with sorted keys and no spaces."""


class Finding(NamedTuple):
    """A problem, or the reason why the position has none."""

    problem: Problem | None
    reason: str = ""


def problem_of(
    position: DealPosition,
    limits: Limits | None = None,
    *,
    source: Mapping[str, str] | None = None,
    cancel: Cancel | None = None,
) -> Finding:
    """Return the problem of a position in which a card is to be played, or the reason why it has none.

    Raise ``PositionError`` if the position is impossible or over, ``Cancelled``.
    """
    state = position.state()
    if not state.to_act:
        raise PositionError("over")
    text = format_position_text(position)
    limits = LIMITS if limits is None else limits
    work = Work(hashlib.sha256(f"{METHOD}\n{text}".encode()).hexdigest(), limits, cancel)
    work.check()
    seat = state.to_act[0]
    sign = -1 if places_of(state.deal).index(seat) % 2 else 1
    values = _exact_values(state, sign, work)
    if values is None:
        return Finding(None, "not solved within the limit of nodes")
    top = max(values.values())
    best, *equals = (card for card, value in values.items() if value == top)
    if equals or len(values) == 1:
        return Finding(None, "not exactly one card is best with all hands open")
    # The best card was not selected by this sample, so a second one is not necessary.
    play = Play(state, seat, best, sign)
    sample = values_by_card(GAME, play, limits["deals"], work, ("problem",))
    if sample is None:
        return Finding(None, "a possible deal was not solved within the limit of nodes")
    averages = {card: _advantage(sample[best], sample[card]) for card in values if card != best}
    if card := next((card for card, each in averages.items() if not _is_significant(each)), None):
        return Finding(None, f"on average, {best} is not significantly better than {card}")
    groups: dict[str, list[Card]] = {}
    for card in sorted(values, key=lambda card: (-values[card], KAKEYA_PACK.cards.index(card))):
        groups.setdefault(str(values[card]), []).append(card)
    content: dict[str, Any] = {
        "format": PROBLEM_FORMAT,
        "solver": METHOD,
        "limits": limits,
        "position": text,
        "seat": seat,
        "values": groups,
        "best": best,
        "averages": averages,
    }
    if source:
        content["source"] = dict(source)
    return Finding({**content, "sha256": _digest(content)})  # type: ignore[arg-type]


def problem_bytes(problem: Problem) -> bytes:
    """Return the file of a problem, for people too."""
    return json.dumps(problem, indent=1, ensure_ascii=True).encode("ascii") + b"\n"


def is_problem(data: bytes) -> bool:
    """Return whether a file looks like the proof of a problem."""
    return PROBLEM_FORMAT.encode() in data[:200] and data.lstrip()[:1] == b"{"


def parse_problem(data: bytes) -> tuple[Problem, DealPosition]:
    """Return a proof, whose hash and position are valid, and its position; its values are not yet checked.

    Raise ``AnalysisError``, whose message names the culprit.
    """
    if len(data) > MAX_BYTES:
        raise AnalysisError(f"{len(data)} bytes: a problem has at most {MAX_BYTES}")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise AnalysisError("not JSON: download the file of the problem again") from None
    if not isinstance(content, dict) or content.get("format") != PROBLEM_FORMAT:
        raise AnalysisError(f"no {PROBLEM_FORMAT}: download the file of the problem again")
    if content.get("solver") != METHOD:
        raise AnalysisError(
            f"solver {str(content.get('solver'))[:40]!r}: this version checks proofs of {METHOD}"
        )
    if content.get("sha256") != _digest({name: content[name] for name in content if name != "sha256"}):
        raise AnalysisError("the hash does not match the content: the file was changed")
    _check_limits(content.get("limits"))
    try:
        position = parse_position_text(str(content.get("position")))
    except PositionError as error:
        raise AnalysisError(f"position: {error}") from None
    return content, position  # type: ignore[return-value]


def problem_errors(problem: Problem, position: DealPosition, cancel: Cancel | None = None) -> Iterator[str]:
    """Compute a parsed proof again; yield each field that differs, with the correct value."""
    source = problem.get("source")
    correct, reason = problem_of(position, problem["limits"], source=source, cancel=cancel)
    if correct is None:
        yield reason
        return
    for name, value in correct.items():
        if problem.get(name) != value and name != "sha256":
            yield f"{name} is {json.dumps(problem.get(name))[:200]}, but should be {json.dumps(value)[:200]}"


def _exact_values(state: KakeyaState, sign: int, work: Work) -> dict[Card, int] | None:
    answers = solve_moves(position_of(state), limits=work.solver_limits)
    if any(answer.state != "exact" for _, answer in answers):
        work.check()
        return None
    return {KAKEYA_PACK.cards[card]: sign * answer.low for card, answer in answers}


def _advantage(best: list[int], other: list[int]) -> Advantage:
    differences = [high - low for high, low in zip(best, other, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((each - mean) ** 2 for each in differences) / (count - 1)
    return {"mean": round(mean, 3), "error": round(math.sqrt(variance / count), 3)}


def _is_significant(advantage: Advantage) -> bool:
    return advantage["mean"] > MIN_ERRORS * advantage["error"]


def _check_limits(limits: object) -> None:
    nodes, deals = (limits.get("nodes"), limits.get("deals")) if isinstance(limits, dict) else (None, None)
    if not isinstance(nodes, int) or not 1 <= nodes <= (LIMITS["nodes"] or 0):
        raise AnalysisError(f"limits: nodes are not a number from 1 to {LIMITS['nodes']}")
    if not isinstance(deals, int) or not 2 <= deals <= MAX_DEALS:
        raise AnalysisError(f"limits: deals are not a number from 2 to {MAX_DEALS}")


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
