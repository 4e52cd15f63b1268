"""Whether public information alone fixes the result of a deal, whatever is played.

Source: docs/rules/kakeya.md#winner-of-a-deal, #payment; docs/rules/etori.md#simplified-etori, #meiji-etori.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from engine.cards import KAKEYA_PACK, Card
from engine.game import Observation, Seat
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.rotation import in_direction
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import ACES, PICTURES_IN_ALL, Taken, ace_category
from engine.games.kakeya.variants import VARIANTS


def is_decided(ruleset: KakeyaRuleset, observation: Observation) -> bool:
    """Return whether every possible rest of the deal pays the same stones.

    Only what all seats know counts: the pictures taken, and who was dealt the aces that were played. Each
    picture that is left may go to either side, and each other ace may have been dealt to either side. So True
    is certain; False may only mean that the proof needs more.
    """
    if observation["phase"] != PLAY:
        return False
    score = VARIANTS[ruleset.variant].score
    results = set()
    for taken in _possible(observation):
        scored = score(ruleset, taken)
        due = scored.due
        if scored.won is not None and ruleset.debt is False:
            due = min(due, _stones_of(observation, 1 - scored.won))
        results.add((scored.won if due else None, due))
        if len(results) > 1:
            return False
    return True


def _possible(observation: Observation) -> Iterator[Taken]:
    """Yield all ends of the deal that agree with the cards played, and perhaps others."""
    half = observation["seats"] // 2
    sides = [int(side) for side in observation["pictures"]]
    first, second = (len(observation["pictures"][str(side)]) for side in sides)
    dealt_by = _aces_played(observation)
    unknown = [ace for ace in ACES if ace not in dealt_by]
    known = [0, 0]
    for ace, seat in dealt_by.items():
        known[sides.index((seat - 1) % half + 1)] |= KAKEYA_PACK.bit[ace]
    trump, rensho = observation["trump"], observation["rensho"]
    left = PICTURES_IN_ALL - first - second
    for holders in product((0, 1), repeat=len(unknown)):
        dealt = list(known)
        for ace, side in zip(unknown, holders, strict=True):
            dealt[side] |= KAKEYA_PACK.bit[ace]
        for more in range(left + 1):
            pictures = (first + more, second + left - more)
            if _is_possible(pictures, dealt, trump, rensho):
                yield Taken(pictures, (dealt[0], dealt[1]), trump, rensho)


def _is_possible(pictures: tuple[int, int], dealt: list[int], trump: str, rensho: Card) -> bool:
    """Return False for all pictures without Rensho, which always wins a trick for its holder."""
    return all(
        count < PICTURES_IN_ALL or ace_category(mask, trump, rensho) == "R"
        for count, mask in zip(pictures, dealt, strict=True)
    )


def _aces_played(observation: Observation) -> Mapping[Card, Seat]:
    """Return the seats that played aces."""
    order = in_direction(tuple(observation["active"]), observation["direction"])
    played: dict[Card, Seat] = {}
    for trick in observation["tricks"]:
        start = order.index(trick["leader"])
        played |= dict(zip(trick["cards"], order[start:] + order[:start], strict=True))
    played |= {card: seat for seat, card in observation["trick"]}
    return {card: seat for card, seat in played.items() if card in ACES}


def _stones_of(observation: Observation, index: int) -> int:
    """Return the stones of the playing side with this index before the payment."""
    side = list(observation["pictures"])[index]
    return int(observation["stones"][side])
