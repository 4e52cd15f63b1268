"""Texts for a player at a table, in addition to the viewer's texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache

from viewer.catalogue import has_catalogue, translate_table


@dataclasses.dataclass(frozen=True, eq=False)
class SeatViewTexts:
    """All texts of one language; a singleton per language, compared by identity."""

    you: str
    places: Mapping[str, str]
    """Other seats by their place, as seen from the reader: ``partner``, ``left``."""
    places_in_sentence: Mapping[str, str]
    """The same, and ``you``, as part of a sentence."""
    your_turn: str
    waits: str
    """``name``: another seat is to act."""
    wait: str
    """Several other seats are to act, or none is known to be."""
    over: str
    rests: str
    """The reader's own pair rests."""

    # Actions
    follow: str
    follow_or: str
    """``suit``, ``card``: this card may always be played."""
    cannot_follow: str
    you_lead: str
    asks_lead: str
    lead_reveals: Mapping[str, str]
    """By the first answer, what the answers reveal and decide."""
    asks_trump: str
    """``suit``: the one that applies unless it is changed."""
    asks_deal: str
    asks_swap: str
    why_swap: str
    answers: Mapping[str, str]
    """By phase and action, ``lead PREFER``: the text of a button. ``{suit}`` is the trump suit."""
    suit_trumps: str
    """``suit``: the text of a button that proposes it."""
    must_turn: str
    may_play: str
    """``values``: legal plays, in words."""
    may_only_end: str
    drop_ask: str
    """Opens the button that drops out."""

    # Cards and tricks
    hand: str
    choices: str
    last_trick: str
    took: tuple[str, str, str]
    """``name``, ``count``: a trick without a picture, with one, with several. Begins a sentence."""
    took_short: tuple[str, str, str]
    """``name``, ``count``: a trick without a picture, with one, with several."""
    to_lead: str
    """``names``: seats that may lead to the first trick."""
    between_partners: str
    value_by: str
    """``value``, ``name``: a value that was played."""
    before_lead: str
    proposals: str
    nothing_yet: str
    no_card_yet: str
    """Of a seat that has played none."""
    turned_cards: str
    rules_short: str
    """Explains wild cards."""

    # Spoken
    plays: str
    does: str
    your_hand: str
    on_the_table: str
    table_empty: str
    legal: str
    nothing_legal: str
    of_seat: str
    between: str
    """Between things that are read out."""


ENGLISH = SeatViewTexts(
    you="you",
    places={
        "partner": "partner",
        "opponent": "opponent",
        "across": "across",
        "right": "right",
        "middle_right": "middle right",
        "far_right": "far right",
        "far_left": "far left",
        "middle_left": "middle left",
        "left": "left",
    },
    places_in_sentence={
        "you": "you",
        "partner": "your partner",
        "opponent": "your opponent",
        "across": "the opponent across",
        "right": "the right opponent",
        "middle_right": "the middle right opponent",
        "far_right": "the far right opponent",
        "far_left": "the far left opponent",
        "middle_left": "the middle left opponent",
        "left": "the left opponent",
    },
    your_turn="Your turn.",
    waits="{name} plays next.",
    wait="The others play next.",
    over="The deal is over.",
    rests="Your pair rests this deal.",
    follow="Follow {suit}.",
    follow_or="Follow {suit}, or play the {card}.",
    cannot_follow="You have no {suit}: play any card.",
    you_lead="You lead: play any card.",
    asks_lead="Who leads to the first trick?",
    lead_reveals={
        "PREFER": (
            "Everyone sees your answer and your partner's, after both are given. If only one of you would "
            "like to lead, that seat leads. Otherwise the seating decides."
        ),
        "IKU": "You decide alone, and everyone sees your answer.",
    },
    asks_trump="Which suit should be trumps? It is {suit} now.",
    asks_deal="Will you deal?",
    asks_swap="Swap hands with the dealer before anyone looks?",
    why_swap=(
        "No one has seen a card, so a swap does not change your chances. It is an old custom: swap if you "
        "feel that luck is with the dealer."
    ),
    answers={
        "lead PREFER": "I would like to lead",
        "lead DEFER": "My partner may lead",
        "lead IKU": "I lead",
        "lead KOI": "My partner leads",
        "trump KEEP": "Keep {suit}",
        "deal DEAL": "I deal",
        "deal GIVE": "Pass the deal on",
        "fuwaru SWAP": "Swap hands",
        "fuwaru KEEP": "Keep my hand",
        "turn PASS": "Pass",
        "turn TURN": "Turn up a card",
        "turn DROP": "Drop out, pay 1 stone",
        "turn SANSOKU": "Sansoku: pairs only",
    },
    suit_trumps="{suit}",
    must_turn="Everyone else passed. Turn up a card.",
    may_play="Play {values}.",
    may_only_end="None of your cards may follow.",
    drop_ask="Drop out…",
    hand="Your hand",
    choices="Your options",
    last_trick="Last trick",
    took=(
        "{name} took the trick: no pictures.",
        "{name} took the trick: 1 picture.",
        "{name} took the trick: {count} pictures.",
    ),
    took_short=("{name} took it", "{name} took 1 picture", "{name} took {count} pictures"),
    to_lead="to lead: {names}",
    between_partners="{first} & {second}",
    value_by="{value} by {name}",
    before_lead="Before the lead",
    proposals="Before the deal",
    nothing_yet="Nothing yet.",
    no_card_yet="no card yet",
    turned_cards="Turned up",
    rules_short="The 1 of pao and the 2 of oru are wild. Otherwise, suits do not matter.",
    plays="{name}: {card}.",
    does="{name}: {said}.",
    your_hand="Your hand: {cards}.",
    on_the_table="On the table: {cards}.",
    table_empty="The table is empty.",
    legal="Your options: {cards}.",
    nothing_legal="It is not your turn.",
    of_seat="{card} ({name})",
    between=", ",
)


@cache
def seat_view_texts(language: str) -> SeatViewTexts:
    return translate_table(ENGLISH, "sitting", language) if has_catalogue(language) else ENGLISH
