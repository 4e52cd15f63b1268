"""Rendering of each game: a module named by the game's key, with optional parts.

``SCENE`` builds the scene of a position, ``SAID`` the text of an event, ``DEAL_END`` the last observation of
a deal (``viewer.position_scene``). ``DEALS`` is a ``DealsBuilder`` of a view, ``SEAT_VIEW`` renders a seat
that plays (``viewer.seat_view``), ``FAMILIES`` describes its presets, ``DEALING`` lets readers verify its
deals.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Literal, NamedTuple, NotRequired, Protocol, TypedDict

from engine import Replay, ReplayedBoard
from engine.games import all_games, family_of, seat_counts
from viewer.board_events import Clocks
from viewer.cards import Deck
from viewer.shapes import ViewDeal


class DealsBuilder(Protocol):
    """Builder of the deals of a view."""

    def __call__(self, replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]: ...


class DealingRule(TypedDict):
    """Rule by which hands are dealt in packets, for the script that derives deals in the browser."""

    ranks: str
    """Ranks of each suit, in the order of the pack."""
    rounds: int
    """Packets per seat."""
    packet: NotRequired[int]
    """Cards per packet; default: the hand divided by the rounds."""
    first: Literal["dealer", "seat", "any"]
    """Recipient of the first packet: the seat to the dealer's right, seat 1, or any seat."""


class Family(NamedTuple):
    """Presets that share a page of rules, with texts for lists of games."""

    name: str
    japanese_name: str = ""
    summary: str = ""
    """One or two sentences. The catalogue has it and ``variants`` with the context ``game``."""
    deck: Deck = "french"
    cards: tuple[str, ...] = ()
    """Cards drawn next to the name."""
    variants: Mapping[str, str] = {}
    """How the rules of a preset differ, in a few words for its title, by preset: ``Nakayoshi scoring``."""


class PresetFacts(NamedTuple):
    """Properties of a preset that its title shows."""

    family: str
    """Key of its family."""
    seats: tuple[int, ...]
    """Possible numbers of seats, ascending; several if the number is an option."""
    variant: str
    """How its rules differ from its family's, in English; empty if they do not."""


@functools.cache
def module_of(game: str) -> ModuleType | None:
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{game}")


def game_part(game: str, part: str) -> Any:
    return getattr(module_of(game), part, None)


def deals_of(game: str) -> DealsBuilder | None:
    builder: DealsBuilder | None = game_part(game, "DEALS")
    return builder


def dealing_of(game: str) -> DealingRule | None:
    dealing: DealingRule | None = game_part(game, "DEALING")
    return dealing


def families() -> dict[str, Family]:
    """Return every family of presets by key, in the order of games and presets."""
    return {key: family for game in all_games() for key, family in game_families(game).items()}


def game_families(game: str) -> dict[str, Family]:
    described: Mapping[str, Family] = game_part(game, "FAMILIES") or {}
    keys = dict.fromkeys(map(family_of, all_games()[game].presets))
    return {key: described.get(key, Family(key.capitalize())) for key in keys}


def preset_facts(preset: str) -> PresetFacts | None:
    """Return the facts of a preset; None if no installed game has it."""
    game = next((key for key, game in all_games().items() if preset in game.presets), None)
    if game is None:
        return None
    family = family_of(preset)
    variant = game_families(game)[family].variants.get(preset, preset.partition(".")[2])
    return PresetFacts(family, seat_counts(preset), variant)


def deck_of_game(game: str) -> Deck:
    return next(iter(game_families(game).values())).deck
