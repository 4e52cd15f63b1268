"""What presets, strengths and choices are called on the pages of play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.features.play.offers import Offer
from arena.web.base.documents.rulebook import page_of
from arena.web.base.wording import facts, game_name

STRENGTHS = {
    "random": (
        gettext_lazy("random"),
        gettext_lazy("plays any card that is allowed; to learn the rules with"),
    ),
    "greedy": (gettext_lazy("gentle"), gettext_lazy("takes what it can get now and thinks of nothing else")),
    "rules": (gettext_lazy("sound"), gettext_lazy("plays by rules of thumb, as a careful player does")),
    "search": (
        gettext_lazy("strong"),
        gettext_lazy("imagines the cards it cannot see, thousands of times, and plays what does best"),
    ),
    "public": (
        gettext_lazy("a public bot"),
        gettext_lazy("somebody's bot, as it is in tournaments at present"),
    ),
}
CLOCKS = {
    "0": gettext_lazy("no clock"),
    "60": gettext_lazy("60 seconds a play"),
    "15": gettext_lazy("15 seconds a play"),
}
VARIANTS = {
    "league": gettext_lazy("as in the league"),
    "nakayoshi": gettext_lazy("as in Nakayoshi"),
    "simple": gettext_lazy("modern"),
    "simple6": gettext_lazy("modern"),
    "meiji": gettext_lazy("of the Meiji period"),
}


class Family(NamedTuple):
    """A game with its presets, as they are chosen."""

    game: str
    """The key of its page of rules."""
    name: str
    choices: list[tuple[str, str]]
    """Preset and text."""


def house_name(kind: str) -> str:
    """A house bot as commands and documents name it.

    >>> house_name("greedy")
    'house:greedy'
    """
    return f"house:{kind}"


def house_names(strength: str, offers: Iterable[Offer]) -> str:
    """The house bots that play at a strength; with their games if these have different ones:
    ``house:ismcts (Kakeya, Etori), house:search (Kakkuri)``.
    """
    games: dict[str, list[str]] = {}
    for offer in offers:
        if strength in offer.kinds:
            name, known = family_of(offer.key), games.setdefault(offer.kinds[strength], [])
            known += [] if name in known else [name]
    if len(games) == 1:
        return house_name(*games)
    return facts(f"{house_name(kind)} ({facts(names)})" for kind, names in games.items())


def family_of(preset: str) -> str:
    """The name of the game that a preset is of.

    >>> family_of("kakeya6.league"), family_of("etori.meiji")
    ('Kakeya', 'Etori')
    """
    return game_name(page_of(preset))


def preset_text(preset: str, seats: int, *, is_open: bool = False) -> str:
    """A preset within its game: how many play, and what is special.

    ``is_open``: how many play is still to be chosen.
    """
    variant = preset.partition(".")[2]
    text = _("2 to 8 players") if is_open else ngettext("%(count)d player", "%(count)d players", seats)
    text = text if is_open else text % {"count": seats}
    if not variant:
        return text
    return _("%(players)s, %(rules)s") % {"players": text, "rules": VARIANTS.get(variant, variant)}


def families(offers: Iterable[Offer]) -> list[Family]:
    """What can be chosen, game by game."""
    found: dict[str, Family] = {}
    for offer in offers:
        game = page_of(offer.key)
        text = preset_text(offer.key, offer.seats, is_open=bool(offer.seat_counts))
        found.setdefault(game, Family(game, game_name(game), [])).choices.append((offer.key, text))
    return list(found.values())
