"""Cards and crests as SVG: symbols drawn once a page, and elements that use them.

A page that shows cards has ``symbols`` once and ``card`` for each; ``viewer.css`` gives size and colours.
The French deck's four-colour variant is ``data-deck="four"`` on the page's root element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal

from engine.cards import KAKEYA_PACK, KAKKURI_PACK, SUITS
from viewer import glyphs
from viewer.markup import Attributes, Html, element, joined
from viewer.words import ENGLISH, Words

Deck = Literal["french", "komatsu"]
Kept = tuple[tuple[str, str | bool | None], ...]
"""Attributes as part of the key under which a drawing is kept."""

SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
TEXT_STYLE = "\N{VARIATION SELECTOR-15}"
"""After a suit sign: in the line's own colour, where phones would draw a little picture."""
WILD_CARDS = ("AC", "2D")
COURT_ORDER = "JQK"
SIDE_LETTERS = "ABCD"
CRESTS = 2 * len(SIDE_LETTERS)
"""As many can be told apart."""
DRAWINGS = 1024
"""Cards, backs and crests that are kept as drawn: the same few are on every mat."""
TWO_DIGITS = 10
"""From this value on the court cards of Kakkuri."""

_FRENCH_PARTS = (
    '<defs><rect id="c-face" class="card-rim" x=".6" y=".6" width="26.8" height="38.8" rx="2.6"/></defs>'
    '<symbol id="c-back" viewBox="0 0 28 40">'
    '<rect class="card-back" x=".6" y=".6" width="26.8" height="38.8" rx="2.6"/>'
    '<path class="card-back-line" d="M4.5 5h19v30h-19ZM8.5 9h11v22h-11ZM12.5 13h3v14h-3Z"/></symbol>'
)
_KOMATSU_BACK = (
    '<symbol id="k-back" viewBox="0 0 22 40"><rect class="card-back" x=".8" y=".8" width="20.4" height="38.4"'
    ' rx="2.6"/><path class="card-back-line" d="M4 4.5h14v31H4ZM7.5 8.5h7v23h-7Z"/></symbol>'
)


def komatsu_value(code: str, court: str = COURT_ORDER) -> int:
    """The value of a card of Kakkuri, 1 to 12. The order of the court is an option of the game.

    >>> komatsu_value("QS"), komatsu_value("QS", "QJK")
    (11, 10)
    """
    rank = code[0]
    return 1 if rank == "A" else 10 + court.index(rank) if rank in court else int(rank)


# Symbols


def symbols(cards: Iterable[str], deck: Deck = "french", court: str = COURT_ORDER) -> Html:
    """One hidden ``<svg>`` with the symbols of these cards and of a back; once a page and deck.

    Ids: ``c-KH`` of the French deck, ``k-KH`` of the komatsufuda. With these come the French ones in a
    ``<template>``, for readers who want those.
    """
    codes = sorted(set(cards))
    french = [_FRENCH_PARTS, *_french_parts(codes)]
    if deck == "french":
        return _sheet([*french, *(_french_symbol(code) for code in codes)])
    french += [_french_symbol(code, komatsu_value(code, court)) for code in codes]
    komatsu = [_KOMATSU_BACK, *_komatsu_parts(), *(_komatsu_symbol(code, court) for code in codes)]
    return joined([_sheet(komatsu), element("template", {"data-french": True}, _sheet(french))])


def komatsu_symbols(cards: Iterable[str], court: str = COURT_ORDER) -> Html:
    """The symbols of these komatsufuda alone, for a page that has those of French cards besides."""
    parts = [_KOMATSU_BACK, *_komatsu_parts(), *(_komatsu_symbol(code, court) for code in sorted(set(cards)))]
    return _sheet(parts)


def deck_symbols(deck: Deck = "french", court: str = COURT_ORDER) -> Html:
    """The symbols of every card of a deck."""
    return symbols(KAKEYA_PACK.cards if deck == "french" else KAKKURI_PACK.cards, deck, court)


@cache
def marks() -> Html:
    """The crests of the sides: symbols ``m-A`` to ``m-D``; filled, for sides 5 to 8, ``m-E`` to ``m-H``."""
    parts = [
        f'<symbol id="m-{side}" viewBox="0 0 16 16"><path class="crest-line" d="{path}"/></symbol>'
        for side, path in glyphs.CRESTS.items()
    ]
    parts += [
        f'<symbol id="m-{chr(ord(side) + 4)}" viewBox="0 0 16 16">'
        f'<path class="crest-full" d="{path}"/></symbol>'
        for side, path in glyphs.CREST_OUTLINES.items()
    ]
    return _sheet(parts)


def _sheet(parts: Iterable[str]) -> Html:
    return Html(f'<svg class="card-symbols" width="0" height="0" aria-hidden="true">{"".join(parts)}</svg>')


def _french_parts(codes: Iterable[str]) -> list[str]:
    ranks, suits = {code[0] for code in codes}, {code[1] for code in codes}
    parts = [
        f'<path id="r-{rank}" class="card-index" d="{path}"/>'
        for rank, path in glyphs.RANKS.items()
        if rank in ranks
    ]
    parts += [f'<path id="s-{suit}" d="{glyphs.SUITS[suit]}"/>' for suit in SUITS if suit in suits]
    kinds = {"f": "card-doll", "s": "card-doll-line", "w": "card-doll-inner"}
    for rank, paths in glyphs.FIGURES.items():
        if rank in ranks:
            drawn = "".join(f'<path class="{kinds[kind]}" d="{path}"/>' for kind, path in paths)
            parts.append(f'<g id="d-{rank}">{drawn}</g>')
    return [f"<defs>{''.join(parts)}</defs>"]


def _french_symbol(code: str, value: int = 0) -> str:
    """One card; with its ``value`` in Kakkuri, where that cannot be read from the index."""
    rank, suit = code[0], code[1]
    picture = ""
    if value >= TWO_DIGITS:
        picture = (
            '<use class="card-small" href="#v-1" transform="translate(16 24)scale(.42 .6)"/>'
            f'<use class="card-small" href="#v-{value - 10}" transform="translate(20.4 24)scale(.52 .6)"/>'
        )
    elif value and code in WILD_CARDS:
        picture = '<path class="card-wild-sign" d="M17 3.5h8.5l-5.4 7Z"/>'
    elif value:
        pass
    elif rank in glyphs.FIGURES:
        picture = f'<use href="#d-{rank}"/>'
    elif rank == "A":
        picture = f'<use href="#s-{suit}" transform="translate(20.8 25.5)scale(.78)"/>'
    return (
        f'<symbol id="c-{code}" viewBox="0 0 28 40"><use href="#c-face"/>'
        f'<use href="#r-{rank}" transform="translate(3 4.4)"/>'
        f'<use href="#s-{suit}" transform="translate(8 28)"/>{picture}</symbol>'
    )


def _komatsu_parts() -> list[str]:
    parts = [f'<path id="v-{digit}" class="card-value" d="{glyphs.RANKS[digit]}"/>' for digit in "123456789"]
    parts.append(
        '<path id="v-0" class="card-value" d="M5 0C2 0 .6 2.8.6 7S2 14 5 14s4.4-2.8 4.4-7S8 0 5 0Z"/>'
    )
    parts += [f'<path id="u-{suit}" class="card-sign" d="{glyphs.KOMATSU_SUITS[suit]}"/>' for suit in SUITS]
    return [f"<defs>{''.join(parts)}</defs>"]


def _komatsu_symbol(code: str, court: str) -> str:
    value, suit = komatsu_value(code, court), code[1]
    if value < TWO_DIGITS:
        number, bars = f'<use href="#v-{value}" transform="translate(6 4.6)"/>', ""
    else:
        number = (
            '<use href="#v-1" transform="translate(3.2 5)scale(.66 .82)"/>'
            f'<use href="#v-{value - 10}" transform="translate(10.8 5)scale(.78 .82)"/>'
        )
        lines = "".join(f"M4.2 {19.2 + 2.1 * at:.1f}h13.6" for at in range(value - 9))
        bars = f'<path class="card-bars" d="{lines}"/>'
    scale, at = (1, 28.2) if value < TWO_DIGITS else (0.9, 30)
    wild = code in WILD_CARDS
    horns = '<path class="card-horns" d="M2.6 2.6h6L3.8 8.4ZM19.4 2.6h-6l4.8 5.8Z"/>' if wild else ""
    size = f"scale({scale:g})" if scale != 1 else ""
    return (
        f'<symbol id="k-{code}" viewBox="0 0 22 40">'
        '<rect class="card-edge" x="1.3" y="1.3" width="19.4" height="37.4" rx="2.4"/>'
        f'{horns}{number}{bars}<use href="#u-{suit}" transform="translate(11 {at}){size}"/></symbol>'
    )


# Elements


def card(
    code: str,
    deck: Deck = "french",
    *,
    words: Words = ENGLISH,
    court: str = COURT_ORDER,
    attributes: Attributes | None = None,
) -> Html:
    """One drawn card with its spoken name. A ``class`` among ``attributes`` is added to the card's own."""
    return _card(code, deck, words, court, _as_key(attributes))


@lru_cache(DRAWINGS)
def _card(code: str, deck: Deck, words: Words, court: str, attributes: Kept) -> Html:
    is_wild = deck == "komatsu" and code in WILD_CARDS
    kind = f"card-face card-{code[1].lower()}"
    if deck == "komatsu":
        kind = "card-face card-komatsu" + (" card-wild" if is_wild else "")
    more = dict(attributes)
    if extra := more.pop("class", None):
        kind = f"{kind} {extra}"
    prefix = "c" if deck == "french" else "k"
    name = card_name(code, deck, words, court)
    return element(
        "svg",
        {"class": kind, "role": "img", "aria-label": name, "data-card": code, **more},
        Html(f'<use href="#{prefix}-{code}"/>'),
    )


def card_name(code: str, deck: Deck = "french", words: Words = ENGLISH, court: str = COURT_ORDER) -> str:
    """A card as it is spoken."""
    if deck == "french":
        return words.card_name(code)
    return words.komatsu_name(komatsu_value(code, court), code[1], code in WILD_CARDS)


def card_text(code: str, words: Words = ENGLISH, attributes: Attributes | None = None) -> Html:
    """A card of the French deck within a line of text: ``A♣``, with its name for those who listen."""
    return _card_text(code, words, _as_key(attributes))


@lru_cache(DRAWINGS)
def _card_text(code: str, words: Words, attributes: Kept) -> Html:
    rank, suit = code[0], code[1]
    sign = f"{'10' if rank == 'T' else rank}{SUIT_SIGNS[suit]}{TEXT_STYLE}"
    kind = f"card-text card-{suit.lower()}"
    return element(
        "span",
        {"class": kind, "role": "img", "aria-label": words.card_name(code), **dict(attributes)},
        sign,
    )


def suit_text(suit: str, words: Words = ENGLISH) -> Html:
    """The sign of a suit within a line of text."""
    kind = f"card-text card-{suit.lower()}"
    return element(
        "span", {"class": kind, "role": "img", "aria-label": words.suits[suit]}, SUIT_SIGNS[suit] + TEXT_STYLE
    )


def suit_sign(suit: str, words: Words = ENGLISH) -> Html:
    """The drawn sign of a suit, as large as the style sheet says."""
    return element(
        "svg",
        {
            "class": f"card-suit card-{suit.lower()}",
            "viewBox": "-7 -7 14 14",
            "role": "img",
            "aria-label": words.suits[suit],
        },
        Html(f'<path d="{glyphs.SUITS[suit]}"/>'),
    )


@lru_cache(DRAWINGS)
def backs(count: int, deck: Deck = "french", words: Words = ENGLISH, *, places: int | None = None) -> Html:
    """Cards lying face down: one image for all. ``places`` for more cards keep their room."""
    kind, prefix = ("", "c") if deck == "french" else (" card-komatsu", "k")
    single, empty = (
        Html(f'<svg class="card-face{kind}{gone}" aria-hidden="true"><use href="#{prefix}-back"/></svg>')
        for gone in ("", " gone")
    )
    said = {"role": "img", "aria-label": words.backs_name(count)} if count else {"aria-hidden": "true"}
    drawn = [single] * count + [empty] * ((places or count) - count)
    return element("span", {"class": "card-backs", **said}, joined(drawn))


def mark(side: int, attributes: Attributes | None = None) -> Html:
    """The crest of a side, counted from 0, in its colour. It stands beside a name: nobody hears it."""
    return _mark(side, _as_key(attributes))


@lru_cache(DRAWINGS)
def _mark(side: int, attributes: Kept) -> Html:
    letter = chr(ord("A") + side % CRESTS)
    return element(
        "svg",
        {"class": f"crest crest-{colour_of(side)}", "aria-hidden": "true", **dict(attributes)},
        Html(f'<use href="#m-{letter}"/>'),
    )


def colour_of(side: int) -> str:
    """The letter of a crest's colour, as classes have it.

    >>> colour_of(1), colour_of(5)
    ('b', 'b')
    """
    return SIDE_LETTERS[side % 4].lower()


def _as_key(attributes: Attributes | None) -> Kept:
    """What is written alike is alike, and nothing else: 1 and True are not."""
    return tuple(
        (name, value if value is None or isinstance(value, bool) else str(value))
        for name, value in (attributes or {}).items()
    )


def side_of(sides: Iterable[Iterable[int]]) -> Mapping[int, int]:
    """The index of each seat's side."""
    return {seat: index for index, seats in enumerate(sides) for seat in seats}
