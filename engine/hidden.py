"""Cards that one observation leaves hidden: which they are, how many lie where, and checks of hands.

Shared by the games' ``worlds`` modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from engine.cards import SUIT_NAMES, Card, Pack
from engine.errors import EngineError, ObservationError
from engine.game import Hands, Observation, Seat, State
from engine.refusals import quoted


@contextmanager
def reading(observation: Any, game: str, preset: str) -> Iterator[None]:
    """A block that reads an observation of this game and preset; Any, since it comes from outside.

    Raises:
        ObservationError: it is one of another, or the block stumbles over a field.
    """
    try:
        if (observation["game"], observation["preset"]) != (game, preset):
            name, of = quoted(observation["preset"]), quoted(observation["game"])
            raise ObservationError(
                f"this observation is of {name} of {of}, not of {preset} of {game}: "
                "give the rules and the observation of one request"
            )
        if observation["seat"] not in observation["to_act"]:
            raise ObservationError(
                f"seat {quoted(observation['seat'])} is not asked here: give the observation of a request"
            )
        yield
    except EngineError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration) as fault:
        reason = f"{type(fault).__name__} {quoted(str(fault))}"
        raise ObservationError(
            f"not an observation of {game}: {reason}; give the one that came with the request, unchanged"
        ) from None


def place_name(place: Seat) -> str:
    """A place of cards in words: a seat, or the box."""
    return f"seat {place}" if place else "the box"


class HiddenCards:
    """The cards an observation does not show, and how many of them lie at each place. A value."""

    __slots__ = ("cards", "mask", "own", "own_mask", "pack", "seat", "sizes")

    def __init__(
        self, pack: Pack, seat: Seat, own: tuple[Card, ...], seen: int, sizes: Mapping[Seat, int]
    ) -> None:
        """Take what ``seat`` holds, all it sees as a mask, its own cards included, and the other places.

        Raises:
            ObservationError: the numbers do not agree.
        """
        self.pack = pack
        self.seat = seat
        self.own = own
        self.own_mask = pack.mask(own)
        self.mask = pack.mask(pack.cards) & ~seen
        self.cards = pack.listed(self.mask)
        """In canonical order."""
        self.sizes = dict(sizes)
        """By place whose cards are hidden: a seat, 0 for the box."""
        if len(self.cards) != sum(self.sizes.values()) or min(self.sizes.values(), default=0) < 0:
            raise ObservationError(
                f"the observation leaves {len(self.cards)} cards unseen, but {sum(self.sizes.values())} lie "
                "in hands and box"
            )

    def masks(self, hands: Hands) -> dict[Seat, int]:
        """The hidden cards by place as masks, after checking that each hidden card is given once.

        Raises:
            ObservationError: it is not so; the message names a card or a place.
        """
        bit, found, left = self.pack.bit, {}, self.mask
        for place, size in self.sizes.items():
            cards = hands.get(place)
            if cards is None:
                raise ObservationError(f"no cards are given for {place_name(place)}: {size} are hidden there")
            if len(cards) != size:
                raise ObservationError(f"{place_name(place)} has {size} hidden cards, not {len(cards)}")
            mask = 0
            for card in cards:
                mask |= bit.get(card, 0)
            if mask & ~left or mask.bit_count() != size:
                raise self._misplaced(place, cards, left)
            left ^= mask
            found[place] = mask
        for place in hands:
            if place not in found and (hands[place] or place != self.seat):
                self._check_own(place, hands)
        return found

    def _check_own(self, place: Seat, hands: Hands) -> None:
        if place != self.seat:
            if not hands[place]:
                return
            raise ObservationError(f"no hidden cards lie with {quoted(place)}; places: {[*self.sizes]}")
        if sorted(hands[place]) != sorted(self.own):
            raise ObservationError(f"seat {place} holds other cards by its own observation: leave it out")

    def _misplaced(self, place: Seat, cards: Any, left: int) -> ObservationError:
        given: list[Any] = []
        for card in cards:
            bit = self.pack.bit.get(card, 0)
            if not bit:
                reason = "is no card of this pack"
            elif not bit & self.mask:
                reason = "has been seen"
            elif card in given or not bit & left:
                reason = "is given twice"
            else:
                given.append(card)
                continue
            return ObservationError(f"{quoted(card)} {reason}: it cannot be hidden at {place_name(place)}")
        raise AssertionError("a misplaced card has a reason")


def void_refusal(card: Card, seat: Seat, suit: str) -> ObservationError:
    """The error of a hand with a card of a suit that its seat did not follow."""
    return ObservationError(
        f"{card!r} cannot be in the hand of seat {seat}, which did not follow {SUIT_NAMES[suit]}"
    )


def check_observed(state: State, observation: Observation) -> None:
    """Nothing, if the state shows its seat just this observation; fields it does not know are left aside.

    Raises:
        ObservationError: it does not; the message names a field.
    """
    for name, value in state.observe(observation["seat"]).items():
        if name not in observation or observation[name] != value:
            raise ObservationError(
                f"the observation contradicts itself: {name!r} is {quoted(observation.get(name))}, which "
                "does not follow from the rest; give the one that came with the request, unchanged"
            )
