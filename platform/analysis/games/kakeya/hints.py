"""Hints for Kakeya and Etori: mean values of cards and lead declarations over possible deals."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.estimates import Estimate, estimate_of
from analysis.games.kakeya.averages import ALWAYS_FROM
from analysis.work import Work
from engine import Action, Observation, State, Worlds
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import LEAD, PLAY
from engine.kernel import Limits, playouts, playouts_by_card, position_of, solve_moves

_DEALS = {"open": 64, "rules": 512}
_LEAST_OPEN = 16
"""Solved deals below which the cards are compared by playouts."""
_NODES = 8_000_000
"""Maximum nodes of all solved deals of a hint, about 4 s of CPU."""
_PLAYOUTS = 8
"""Playouts per possible deal and action."""


def hint(worlds: Worlds, observation: Observation, work: Work) -> Estimate | None:
    """Return the estimate of a card or a lead declaration; None for a proposal of trumps.

    Tricks 1 to 3 take too long to solve: all seats play on by rules of thumb.
    """
    if observation["phase"] == LEAD:
        return estimate_of("rules", _values_of_declarations(worlds, observation, work))
    if observation["phase"] != PLAY:
        return None
    if len(observation["tricks"]) + 1 >= ALWAYS_FROM:
        solved = _values_of_solved(worlds, observation, work)
        if len(next(iter(solved.values()))) >= _LEAST_OPEN:
            return estimate_of("open", solved)
    return estimate_of("rules", _values_of_played(worlds, observation, work))


def _values_of_solved(worlds: Worlds, observation: Observation, work: Work) -> dict[Action, list[float]]:
    """Return the values of each card in up to 64 deals, as many as the limit of nodes allows."""
    values: dict[Action, list[float]] = {action: [] for action in observation["legal"]}
    nodes = _NODES
    for state in _states(worlds, work, "open"):
        position = position_of(state)
        answers = solve_moves(position, limits=Limits(nodes=max(nodes, 1), cancel=work.cancel))
        work.check()
        nodes -= sum(answer.nodes for _, answer in answers)
        if any(answer.state != "exact" for _, answer in answers):
            break
        sign = 1 - 2 * (position.turn % 2)
        for card, answer in answers:
            values[KAKEYA_PACK.cards[card]].append(sign * answer.low)
    return values


def _values_of_played(worlds: Worlds, observation: Observation, work: Work) -> dict[Action, list[float]]:
    values: dict[Action, list[float]] = {action: [] for action in observation["legal"]}
    seed = work.rng("playouts").getrandbits(64)
    for state in _states(worlds, work, "rules"):
        position = position_of(state)
        sign = 1 - 2 * (position.turn % 2)
        for card, result in playouts_by_card([position], _PLAYOUTS, seed, "rules").items():
            values[KAKEYA_PACK.cards[card]].append(sign * result.total / _PLAYOUTS)
    return values


def _values_of_declarations(
    worlds: Worlds, observation: Observation, work: Work
) -> dict[Action, list[float]]:
    """Return the values of both answers if the partner gives the other one, so that the answer decides."""
    seat = observation["seat"]
    sign = 1 if min(observation["active"]) in (seat, observation["partner"]) else -1
    values: dict[Action, list[float]] = {action: [] for action in observation["legal"]}
    seed = work.rng("playouts").getrandbits(64)
    for dealt in _states(worlds, work, "rules"):
        for answer, own in values.items():
            state = dealt.apply(seat, answer)
            while state.to_act and state.observe(state.to_act[0])["phase"] == LEAD:
                partner = state.to_act[0]
                state = state.apply(partner, next(each for each in state.legal(partner) if each != answer))
            result = playouts(position_of(state), _PLAYOUTS, seed, policy="rules")
            own.append(sign * result.total / _PLAYOUTS)
    return values


def _states(worlds: Worlds, work: Work, method: str) -> Iterator[State]:
    rng = work.rng(method)
    for _ in range(_DEALS[method]):
        work.check()
        yield worlds.state(worlds.draw(rng))
