"""Search of Kakkuri: try the actions of a seat in many deals that it cannot distinguish from the real one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from math import sqrt
from operator import or_
from typing import NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Action, Seat
from engine.games.kakkuri.melds import HIGHEST, WILDS
from engine.kernel.batches import PlayoutSlices, check_playouts_of_each
from engine.kernel.limits import Limits
from engine.kernel.position import KernelError, check_is_collection
from engine.kernel.shedding import SLICE_SIZE, check_shedding_worlds, deal_of
from engine.kernel.shedding_position import SheddingPosition, SheddingRules
from engine.kernel.shedding_walk import DealWalk
from engine.refusals import quoted

WILD_MASK = KAKKURI_PACK.mask(WILDS)


class SheddingTried(NamedTuple):
    """Results of an action in ``n`` deals, in stones of the seat to act."""

    n: int
    total: int
    margin: int
    """Sum of the differences from the policy's own action in the same deals."""
    squares: int
    """Sum of squares of these differences."""

    def lead(self, errors: float) -> float:
        """Return the mean margin minus ``errors`` standard errors."""
        mean = self.margin / self.n
        return mean - errors * sqrt(max(self.squares / self.n - mean * mean, 0.0) / self.n)


def shedding_search(
    positions: Sequence[SheddingPosition],
    n: int,
    seed: int,
    passes: Iterable[tuple[Seat, int]] = (),
    limits: Limits | None = None,
) -> dict[Action, SheddingTried]:
    """Try the actions of the seat to act in ``n`` deals similar to the positions, by sequential halving.

    Each round keeps the better half of the actions, down to two, and always the policy's own action, first in
    the result (Karnin et al. 2013). ``engine.kernel.shedding_walk`` makes equally many deals from each
    position. Of actions that differ only in suits, the first is tried and returned. ``passes`` are seats and
    values, as in observations. ``limits`` (seconds or cancel) may end the search earlier; the rounds are
    planned for ``n``. Raise ``KernelError`` if an argument is invalid, the seats have not looked yet, or the
    positions differ in legal actions.
    """
    slices = PlayoutSlices(limits)
    held_back = _checked(positions, passes)
    check_playouts_of_each(n, 1, seed)
    deal = deal_of(positions[0])
    walk = DealWalk(deal)
    legal, own = deal.legal(), deal.policy_index()
    alive = _distinct_actions(legal, own)
    results = dict.fromkeys(alive, SheddingTried(0, 0, 0, 0))
    rounds = max(len(alive) - 1, 1).bit_length()
    tried = 0
    for number in range(1, rounds + 1):
        actions = sum(1 << index for index in alive)
        # With fewer deals than rounds, all actions still get the first deal.
        start, until = tried, max(n * number // rounds, 1)
        for k, position in enumerate(positions, 1):
            walk.load(position, held_back)
            if number == 1 and deal.legal() != legal:
                raise KernelError(f"position {k - 1} differs from position 0 in legal actions")
            end = start + (until - start) * k // len(positions)
            for begin, length in slices.of(tried, end - tried, max(SLICE_SIZE // len(alive), 1)):
                walk.run(own, actions, begin, length, seed)
                tried = begin + length
            if slices.is_over:
                break
        for index in alive:
            results[index] = SheddingTried(tried, *walk.result_of(index))
        if slices.is_over:
            break
        ranked = sorted((index for index in alive if index != own), key=lambda index: -results[index].margin)
        alive = [own, *ranked[: max((len(ranked) + 1) // 2, 1)]]
    return {legal[index]: results[index] for index in results}


def shedding_margins(
    positions: Sequence[SheddingPosition],
    action: Action,
    other: Action,
    n: int,
    seed: int,
    passes: Iterable[tuple[Seat, int]] = (),
    limits: Limits | None = None,
) -> list[SheddingTried]:
    """Return the results of ``action`` in ``n`` deals similar to each position, by position.

    Margins are relative to ``other``, played in the same deals. Deals similar to one position depend on each
    other, so estimate errors from the positions. ``limits`` (seconds or cancel) may end the list early, also
    before its first item. For the rest see ``shedding_search``; both actions must be legal.
    """
    slices = PlayoutSlices(limits)
    held_back = _checked(positions, passes)
    check_playouts_of_each(n, len(positions), seed)
    deal = deal_of(positions[0])
    walk = DealWalk(deal)
    legal = deal.legal()
    tried, own = _index_of(action, legal), _index_of(other, legal)
    results = []
    for number, position in enumerate(positions):
        walk.load(position, held_back)
        if deal.legal() != legal:
            raise KernelError(f"position {number} differs from position 0 in legal actions")
        walk.clear()
        for begin, length in slices.of(number * n, n, max(SLICE_SIZE // 2, 1)):
            walk.run(own, 1 << tried | 1 << own, begin, length, seed)
        if slices.is_over:
            break
        results.append(SheddingTried(n, *walk.result_of(tried)))
    return results


def shedding_kind(action: Action) -> object:
    """Return what the action does, equal for actions that differ only in suits."""
    cards, _, value = action.partition("@")
    if not value:
        return action
    mask = KAKKURI_PACK.mask(cards.split("+"))
    return value, mask.bit_count(), (mask & WILD_MASK).bit_count()


def _checked(
    positions: Sequence[SheddingPosition], passes: Iterable[tuple[Seat, int]]
) -> list[tuple[Seat, int]]:
    """Check the arguments. Return the seats that passed, each with the mask of cards that fitted."""
    check_shedding_worlds(positions)
    first = positions[0]
    if first.is_swapping:
        raise KernelError("nobody has looked at a card yet: any answer is as good")
    fitting = _fitting_cards(first.rules)
    return [
        (seat, fitting[value])
        for seat, value in _checked_passes(passes, len(first.hands) - 1)
        if seat != first.seat and first.active >> seat & 1
    ]


def _index_of(action: Action, legal: Sequence[Action]) -> int:
    if action not in legal:
        raise KernelError(f"{quoted(action)} is not legal here; legal is {', '.join(legal)}")
    return legal.index(action)


def _checked_passes(passes: Iterable[tuple[Seat, int]], seats: int) -> list[tuple[Seat, int]]:
    check_is_collection("passes", passes, Iterable, "pairs of seat and value")
    checked = []
    for pair in passes:
        if not isinstance(pair, tuple | list) or [*map(type, pair)] != [int, int]:
            raise KernelError(f"passes cannot have {quoted(pair)}: give pairs of seat and value")
        seat, value = pair
        if not 1 <= seat <= seats or not 1 <= value <= HIGHEST:
            raise KernelError(
                f"passes cannot have {quoted(pair)}: seats are 1 to {seats}, values 1 to {HIGHEST}"
            )
        checked.append((seat, value))
    return checked


@cache
def _fitting_cards(rules: SheddingRules) -> tuple[int, ...]:
    """Return, by value to follow, single cards that fit, without wilds, which seats often keep."""
    singles = [
        meld
        for meld in rules.melds.by_text.values()
        if meld.cards.bit_count() == 1 and not meld.cards & WILD_MASK
    ]
    return tuple(
        reduce(or_, [meld.cards for meld in singles if meld.follows >> follow & 1], 0)
        for follow in range(HIGHEST + 1)
    )


def _distinct_actions(legal: Sequence[Action], own: int) -> list[int]:
    """Return the indices of actions that differ in more than suits, the policy's own first."""
    kinds: dict[object, int] = {shedding_kind(legal[own]): own}
    for index, action in enumerate(legal):
        kinds.setdefault(shedding_kind(action), index)
    return list(kinds.values())
