"""Hidden cards of an observation: which, how many at each location, and validation of hands."""

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
    """Context in which an observation of this game and preset is parsed; it is untrusted, hence Any.

    Raise ``ObservationError`` if the observation has another game or preset, or a field cannot be read.
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


def location_name(location: Seat) -> str:
    return f"seat {location}" if location else "the box"


class HiddenCards:
    """The cards that an observation does not show, and the number of them at each location. Immutable."""

    __slots__ = ("cards", "mask", "own", "own_mask", "pack", "seat", "sizes")

    def __init__(
        self, pack: Pack, seat: Seat, own: tuple[Card, ...], visible: int, sizes: Mapping[Seat, int]
    ) -> None:
        """Store the hidden cards.

        ``own`` are the cards of ``seat``, ``visible`` all cards that it sees, its own included; ``sizes`` has
        the number of cards at each other location. Raise ``ObservationError`` if the numbers do not agree.
        """
        self.pack = pack
        self.seat = seat
        self.own = own
        self.own_mask = pack.mask(own)
        self.mask = pack.mask(pack.cards) & ~visible
        self.cards = pack.listed(self.mask)
        self.sizes = dict(sizes)
        """Number of hidden cards by seat; key 0 is the box."""
        if len(self.cards) != sum(self.sizes.values()) or min(self.sizes.values(), default=0) < 0:
            raise ObservationError(
                f"the observation leaves {len(self.cards)} cards unseen, but {sum(self.sizes.values())} lie "
                "in hands and box"
            )

    def masks(self, hands: Hands) -> dict[Seat, int]:
        """Return the hidden cards by location. Raise ``ObservationError`` if one is missing or repeated."""
        bit, masks, left = self.pack.bit, {}, self.mask
        for location, size in self.sizes.items():
            cards = hands.get(location)
            if cards is None:
                raise ObservationError(
                    f"no cards are given for {location_name(location)}: {size} are hidden there"
                )
            if len(cards) != size:
                raise ObservationError(f"{location_name(location)} has {size} hidden cards, not {len(cards)}")
            mask = 0
            for card in cards:
                mask |= bit.get(card, 0)
            if mask & ~left or mask.bit_count() != size:
                raise self._misplaced(location, cards, left)
            left ^= mask
            masks[location] = mask
        for location in hands:
            if location not in masks and (hands[location] or location != self.seat):
                self._check_own(location, hands)
        return masks

    def _check_own(self, location: Seat, hands: Hands) -> None:
        if location != self.seat:
            if not hands[location]:
                return
            raise ObservationError(f"no hidden cards lie with {quoted(location)}; places: {[*self.sizes]}")
        if sorted(hands[location]) != sorted(self.own):
            raise ObservationError(f"seat {location} holds other cards by its own observation: leave it out")

    def _misplaced(self, location: Seat, cards: Any, left: int) -> ObservationError:
        given: list[Any] = []
        for card in cards:
            bit = self.pack.bit.get(card, 0)
            if not bit:
                reason = "is not a card of this pack"
            elif not bit & self.mask:
                reason = "has been seen"
            elif card in given or not bit & left:
                reason = "is given twice"
            else:
                given.append(card)
                continue
            return ObservationError(
                f"{quoted(card)} {reason}: it cannot be hidden at {location_name(location)}"
            )
        raise AssertionError("a misplaced card has a reason")


def void_refusal(card: Card, seat: Seat, suit: str) -> ObservationError:
    """Return the error for a hand that contains a suit which its seat did not follow."""
    return ObservationError(
        f"{card!r} cannot be in the hand of seat {seat}, which did not follow {SUIT_NAMES[suit]}"
    )


def check_observed(state: State, observation: Observation) -> None:
    """Raise ``ObservationError`` for a known field in which the state's observation differs."""
    for name, value in state.observe(observation["seat"]).items():
        if name not in observation or observation[name] != value:
            raise ObservationError(
                f"the observation contradicts itself: {name!r} is {quoted(observation.get(name))}, which "
                "does not follow from the rest; give the one that came with the request, unchanged"
            )
