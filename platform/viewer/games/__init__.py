"""What is drawn of each game: a module named as the game's key. Each part of it is optional.

``SCENE`` makes the scene of a position, ``SAID`` a sentence of an event, ``DEAL_END`` the last observation
of a deal (``viewer.position_scene``); ``DEALS`` makes the deals of a view, as described by ``Deals``;
``SITTING`` draws a seat that plays (``viewer.sitting``); ``FAMILIES`` introduces its families of presets, by
key; ``DEALING`` lets readers check its deals.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Literal, NamedTuple, NotRequired, Protocol, TypedDict

from engine import Replay, ReplayedBoard
from engine.games import all_games, family_of
from viewer.cards import Deck
from viewer.shapes import ViewDeal
from viewer.walk import Clocks


class Deals(Protocol):
    """Makes the deals of a view."""

    def __call__(self, replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]:
        """The deals of one board of this game, in order."""


class Dealing(TypedDict):
    """How hands are made of the deck, for the script that derives deals in the reader's browser.

    Cards go round in packets. The pack has the suits ``S H D C`` in this order.
    """

    ranks: str
    """Of each suit, in the order of the pack."""
    rounds: int
    """How many packets a seat is dealt."""
    packet: NotRequired[int]
    """Its cards; without it, a hand is divided by the rounds."""
    first: Literal["dealer", "seat", "any"]
    """Who gets the first packet: the seat to the dealer's right, seat 1, or any seat."""


class Family(NamedTuple):
    """Presets that share a page of rules, as pages that list games introduce them."""

    name: str
    japanese_name: str = ""
    summary: str = ""
    """A sentence or two. It and ``variants`` are translated in the catalogue, with the context ``game``."""
    deck: Deck = "french"
    cards: tuple[str, ...] = ()
    """Drawn next to the name."""
    variants: Mapping[str, str] = {}
    """What the last part of the name of a preset means, such as ``meiji``."""


@functools.cache
def module_of(game: str) -> ModuleType | None:
    """What draws the game with this key; None if nothing does."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{game}")


def drawing_of(game: str, part: str) -> Any:
    """A part of what draws the game with this key; None if there is none."""
    return getattr(module_of(game), part, None)


def deals_of(game: str) -> Deals | None:
    """What makes the deals of the game with this key; None if nothing does."""
    made: Deals | None = drawing_of(game, "DEALS")
    return made


def dealing_of(game: str) -> Dealing | None:
    """How the game with this key deals; None if that is not known."""
    dealing: Dealing | None = drawing_of(game, "DEALING")
    return dealing


def families() -> dict[str, Family]:
    """Every family of presets by key, in the order of games and presets."""
    return {key: family for game in all_games() for key, family in families_of(game).items()}


def families_of(game: str) -> dict[str, Family]:
    """The families of the game with this key."""
    described: Mapping[str, Family] = drawing_of(game, "FAMILIES") or {}
    keys = dict.fromkeys(map(family_of, all_games()[game].presets))
    return {key: described.get(key, Family(key.capitalize())) for key in keys}


def deck_of_game(game: str) -> Deck:
    """The deck that the game with this key is played with."""
    return next(iter(families_of(game).values())).deck
