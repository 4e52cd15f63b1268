"""Loss of a play on average over the deals that its seat could not exclude.

Every possible deal has the same chance, and each is played on with all hands open. One sample selects the
best card; the loss of the played card against it is measured on another, since the best mean of a sample is
too high.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from analysis.games.kakeya.plays import Play
from analysis.work import Work
from engine import Game
from engine.cards import KAKEYA_PACK, Card
from engine.kernel import Answer, Position, position_of, solve_moves

ALWAYS_FROM = 4
"""Trick from which every decision with a choice gets an average; before it, only costly plays."""
_FEW_DEALS = {1: 16, 2: 16}
"""Maximum number of possible deals by trick; early tricks take seconds."""
_ERRORS = 2
"""Standard errors above which an average loss is significant."""


class Average(NamedTuple):
    """Average loss of the played card against the best card."""

    loss: float
    error: float
    deals: int
    best: tuple[Card, ...]
    """Best card, and cards with the same values in every deal of the first sample."""

    @property
    def is_significant(self) -> bool:
        """Whether the loss is above two standard errors."""
        return self.loss > _ERRORS * self.error


def average_of(game: Game, play: Play, work: Work, purpose: tuple[int, int, int]) -> Average | None:
    """Return the average loss of a play; None if a possible deal has no exact value within the limit.

    ``purpose`` has board, deal and step, which determine the draws.
    """
    trick = play.trick
    deals = min(work.limits["deals"], _FEW_DEALS.get(trick, work.limits["deals"]))
    by_card = values_by_card(game, play, deals, work, purpose)
    if by_card is None:
        return None
    totals = {card: sum(values) for card, values in by_card.items()}
    highest = max(totals.values())
    # Among equal cards the played one counts as best.
    best = play.card if totals[play.card] == highest else max(totals, key=totals.__getitem__)
    equivalent = tuple(card for card, values in by_card.items() if values == by_card[best])
    if play.card in equivalent:
        return Average(0.0, 0.0, deals, equivalent)
    losses = _losses(game, play, best, deals, work, purpose)
    if losses is None:
        return None
    mean = sum(losses) / deals
    variance = sum((loss - mean) ** 2 for loss in losses) / (deals - 1)
    return Average(mean, math.sqrt(variance / deals), deals, equivalent)


def values_by_card(
    game: Game, play: Play, deals: int, work: Work, purpose: tuple[int | str, ...]
) -> dict[Card, list[int]] | None:
    """Return the values of each legal card to the side of the play, by possible deal.

    None if a limit stopped it.
    """
    by_card: dict[Card, list[int]] = {card: [] for card in play.state.legal(play.seat)}
    for position in _possible(game, play, deals, work, (*purpose, "best")):
        solved = solve_moves(position, limits=work.solver_limits)
        if not _are_exact([answer for _, answer in solved], work):
            return None
        for card, answer in solved:
            by_card[KAKEYA_PACK.cards[card]].append(play.sign * answer.low)
    return by_card


def _losses(
    game: Game, play: Play, best: Card, deals: int, work: Work, purpose: tuple[int, int, int]
) -> list[int] | None:
    """Return what the played card loses against ``best``, by possible deal of another sample."""
    highest, played = (KAKEYA_PACK.cards.index(card) for card in (best, play.card))
    losses = []
    for position in _possible(game, play, deals, work, (*purpose, "loss")):
        answers = dict(solve_moves(position, limits=work.solver_limits, cards=(highest, played)))
        if not _are_exact(list(answers.values()), work):
            return None
        losses.append(play.sign * (answers[highest].low - answers[played].low))
    return losses


def _possible(
    game: Game, play: Play, deals: int, work: Work, purpose: tuple[int | str, ...]
) -> Iterator[Position]:
    state, rng = play.state, work.rng(*purpose)
    worlds = game.worlds(state.deal.setting.ruleset, state.observe(play.seat))
    for _ in range(deals):
        work.check()
        yield position_of(worlds.state(worlds.draw(rng)))


def _are_exact(answers: list[Answer] | tuple[Answer, ...], work: Work) -> bool:
    if all(answer.state == "exact" for answer in answers):
        return True
    work.check()
    return False
