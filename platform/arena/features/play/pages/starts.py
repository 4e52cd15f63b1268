"""The games on the page that opens a table: a picture, the person's last choice, and a start button each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from arena.common.game_titles import game_name, preset_title
from arena.features.play.offers import Offer
from arena.features.play.pages.forms import ChooseForm
from arena.features.play.pages.last_choices import first_choice, last_choices
from arena.features.play.pages.titles import CLOCKS, DEALS, STRENGTHS
from arena.features.play.person import Person
from engine.games import family_of
from viewer import cards
from viewer.games import families
from viewer.markup import Html, joined

Versions = dict[str, list[tuple[str, str]]]
"""Public versions as choices, by game."""


class GameStart(NamedTuple):
    key: str
    name: str
    japanese_name: str
    summary: str
    deck: cards.Deck
    cards: tuple[str, ...]
    fields: dict[str, str]
    """Fields of the form that opens the table."""
    facts: list[str]
    change: str
    """Query that fills in the form with these fields."""
    is_last: bool
    """Whether the person's last table was of this game."""


def game_starts(person: Person, available: list[Offer], versions: Versions) -> list[GameStart]:
    """Return the available games, in the order of the rules. One query."""
    chosen = last_choices(person)
    return list(_starts(person, available, versions, chosen))


def start_symbols() -> Html:
    """Return the symbols of all cards in the pictures."""
    by_deck: dict[cards.Deck, list[str]] = {}
    for family in families().values():
        by_deck.setdefault(family.deck, []).extend(family.cards)
    return joined([cards.symbols(codes, deck) for deck, codes in by_deck.items()])


def _starts(
    person: Person, available: list[Offer], versions: Versions, chosen: dict[str, dict[str, str]]
) -> Iterator[GameStart]:
    presets: dict[str, list[str]] = {}
    for offer in available:
        presets.setdefault(family_of(offer.key), []).append(offer.key)
    last = next(iter(chosen), None)
    for key, family in families().items():
        if key not in presets:
            continue
        fields = first_choice(presets[key])
        if key in chosen and _is_valid(chosen[key], person, available, versions):
            fields = chosen[key]
        yield GameStart(
            key,
            game_name(key),
            family.japanese_name,
            family.summary,
            family.deck,
            family.cards,
            fields,
            _facts(fields, available),
            urlencode(fields),
            key == last,
        )


def _is_valid(fields: dict[str, str], person: Person, available: list[Offer], versions: Versions) -> bool:
    """Return whether a table can still be opened like this: its bots may be gone."""
    return ChooseForm(available, versions, fields, is_guest=person.user is None).is_valid()


def _facts(fields: dict[str, str], available: list[Offer]) -> list[str]:
    offer = next(offer for offer in available if offer.key == fields["preset"])
    seats = int(fields["seats"]) if offer.seat_counts else None
    title = preset_title(offer.key, seats).removeprefix(game_name(family_of(offer.key)))
    facts = [title.lstrip("、, "), _opponents(fields["opponents"])]
    if offer.partner_seats:
        facts.append(_("partner: %(strength)s") % {"strength": STRENGTHS[fields["partner"]][0]})
    facts.append(str(DEALS[fields["deals"]]))
    if fields["clock_s"] != "0":
        facts.append(str(CLOCKS[fields["clock_s"]]))
    if fields.get("practice"):
        facts.append(_("practice"))
    return facts


def _opponents(strength: str) -> str:
    return _("opponents: %(strength)s") % {"strength": STRENGTHS[strength][0]}
