"""Names of games, strengths and clocks on the pages of play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext_lazy

from arena.common.game_titles import game_name, preset_title
from arena.features.play.offers import Offer
from arena.web.base.wording import join_facts
from engine.games import family_of

STRENGTHS = {
    "random": (
        gettext_lazy("random"),
        gettext_lazy("plays any legal card; good for learning the rules"),
    ),
    "greedy": (gettext_lazy("gentle"), gettext_lazy("takes what it can now and does not plan ahead")),
    "rules": (gettext_lazy("sound"), gettext_lazy("plays by rules of thumb, as a careful player does")),
    "search": (
        gettext_lazy("strong"),
        gettext_lazy("simulates the hidden cards thousands of times and plays what scores best"),
    ),
    "public": (
        gettext_lazy("a public bot"),
        gettext_lazy("another player's bot, in its active version"),
    ),
}
DEALS = {"1": gettext_lazy("one deal"), "4": gettext_lazy("four deals"), "game": gettext_lazy("a whole game")}
CLOCKS = {
    "0": gettext_lazy("no clock"),
    "60": gettext_lazy("60 seconds per decision"),
    "15": gettext_lazy("15 seconds per decision"),
}


class Family(NamedTuple):
    """A game with its presets as choices."""

    game: str
    """Key of its page of rules."""
    name: str
    choices: list[tuple[str, str]]


def house_name(kind: str) -> str:
    return f"house:{kind}"


def house_names(strength: str, offers: Iterable[Offer]) -> str:
    """Return the house bots of a strength; with games if they differ by game."""
    games: dict[str, list[str]] = {}
    for offer in offers:
        if strength in offer.kinds:
            name, known = family_name(offer.key), games.setdefault(offer.kinds[strength], [])
            known += [] if name in known else [name]
    if len(games) == 1:
        return house_name(*games)
    return join_facts(f"{house_name(kind)} ({join_facts(names)})" for kind, names in games.items())


def family_name(preset: str) -> str:
    """Return the name of a preset's game, such as ``Etori``."""
    return game_name(family_of(preset))


def families_offered(offers: Iterable[Offer]) -> list[Family]:
    by_key: dict[str, Family] = {}
    for offer in offers:
        game = family_of(offer.key)
        choice = (offer.key, preset_title(offer.key))
        by_key.setdefault(game, Family(game, game_name(game), [])).choices.append(choice)
    return list(by_key.values())
