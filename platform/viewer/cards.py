"""Cards and crests as SVG: symbols defined once per page (``symbols``), and elements that use them.

``viewer.css`` sets size and colours. ``data-deck="four"`` on the root element selects the four-colour
variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal

from engine.cards import KAKEYA_PACK, KAKKURI_PACK, SUITS
from viewer import glyphs
from viewer.markup import Attributes, Html, element, joined
from viewer.texts import ENGLISH, ViewerTexts

Deck = Literal["french", "komatsu"]
AttributeKey = tuple[tuple[str, str | bool | None], ...]
"""Attributes as part of a cache key."""

SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
TEXT_STYLE = "\N{VARIATION SELECTOR-15}"
"""Suffix of a suit sign that prevents phones from displaying an emoji."""
WILD_CARDS = ("AC", "2D")
COURT_ORDER = "JQK"
SIDE_LETTERS = "ABCD"
CRESTS = 2 * len(SIDE_LETTERS)
"""Maximum number of distinguishable crests."""
CACHE_SIZE = 1024
"""Maximum cached drawings of cards, backs and crests, which are the same on every mat."""
MIN_TWO_DIGIT_VALUE = 10
"""Minimum value of the court cards of Kakkuri."""

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
    """Return the value of a card of Kakkuri, 1 to 12. The order of the court is an option of the game.

    >>> komatsu_value("QS"), komatsu_value("QS", "QJK")
    (11, 10)
    """
    rank = code[0]
    return 1 if rank == "A" else 10 + court.index(rank) if rank in court else int(rank)


# Symbols


def symbols(cards: Iterable[str], deck: Deck = "french", court: str = COURT_ORDER) -> Html:
    """Return one hidden ``<svg>`` with the symbols of these cards and of a back; once per page and deck.

    Ids: ``c-KH`` for the French deck, ``k-KH`` for komatsufuda, which include the French cards in a
    ``<template>``, for readers who prefer those.
    """
    codes = sorted(set(cards))
    french = [_FRENCH_PARTS, *_french_parts(codes)]
    if deck == "french":
        return _sheet([*french, *(_french_symbol(code) for code in codes)])
    french += [_french_symbol(code, komatsu_value(code, court)) for code in codes]
    komatsu = [_KOMATSU_BACK, *_komatsu_parts(), *(_komatsu_symbol(code, court) for code in codes)]
    return joined([_sheet(komatsu), element("template", {"data-french": True}, _sheet(french))])


def komatsu_symbols(cards: Iterable[str], court: str = COURT_ORDER) -> Html:
    """Return the symbols of these komatsufuda only, for a page that already has French cards."""
    parts = [_KOMATSU_BACK, *_komatsu_parts(), *(_komatsu_symbol(code, court) for code in sorted(set(cards)))]
    return _sheet(parts)


def deck_symbols(deck: Deck = "french", court: str = COURT_ORDER) -> Html:
    return symbols(KAKEYA_PACK.cards if deck == "french" else KAKKURI_PACK.cards, deck, court)


@cache
def marks() -> Html:
    """Return the crests of the sides: symbols ``m-A`` to ``m-D``, and filled ``m-E`` to ``m-H``."""
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
    """Return one card, with its ``value`` in Kakkuri if the index does not show it."""
    rank, suit = code[0], code[1]
    picture = ""
    if value >= MIN_TWO_DIGIT_VALUE:
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
    if value < MIN_TWO_DIGIT_VALUE:
        number, bars = f'<use href="#v-{value}" transform="translate(6 4.6)"/>', ""
    else:
        number = (
            '<use href="#v-1" transform="translate(3.2 5)scale(.66 .82)"/>'
            f'<use href="#v-{value - 10}" transform="translate(10.8 5)scale(.78 .82)"/>'
        )
        lines = "".join(f"M4.2 {19.2 + 2.1 * index:.1f}h13.6" for index in range(value - 9))
        bars = f'<path class="card-bars" d="{lines}"/>'
    scale, index = (1, 28.2) if value < MIN_TWO_DIGIT_VALUE else (0.9, 30)
    wild = code in WILD_CARDS
    horns = '<path class="card-horns" d="M2.6 2.6h6L3.8 8.4ZM19.4 2.6h-6l4.8 5.8Z"/>' if wild else ""
    size = f"scale({scale:g})" if scale != 1 else ""
    return (
        f'<symbol id="k-{code}" viewBox="0 0 22 40">'
        '<rect class="card-edge" x="1.3" y="1.3" width="19.4" height="37.4" rx="2.4"/>'
        f'{horns}{number}{bars}<use href="#u-{suit}" transform="translate(11 {index}){size}"/></symbol>'
    )


# Elements


def card(
    code: str,
    deck: Deck = "french",
    *,
    texts: ViewerTexts = ENGLISH,
    court: str = COURT_ORDER,
    attributes: Attributes | None = None,
) -> Html:
    """Return a card with its accessible name. A ``class`` in ``attributes`` is added to the card's own."""
    return _card(code, deck, texts, court, _attribute_key(attributes))


@lru_cache(CACHE_SIZE)
def _card(code: str, deck: Deck, texts: ViewerTexts, court: str, attributes: AttributeKey) -> Html:
    is_wild = deck == "komatsu" and code in WILD_CARDS
    kind = f"card-face card-{code[1].lower()}"
    if deck == "komatsu":
        kind = "card-face card-komatsu" + (" card-wild" if is_wild else "")
    more = dict(attributes)
    if extra := more.pop("class", None):
        kind = f"{kind} {extra}"
    prefix = "c" if deck == "french" else "k"
    name = card_name(code, deck, texts, court)
    return element(
        "svg",
        {"class": kind, "role": "img", "aria-label": name, "data-card": code, **more},
        Html(f'<use href="#{prefix}-{code}"/>'),
    )


def card_name(
    code: str,
    deck: Deck = "french",
    texts: ViewerTexts = ENGLISH,
    court: str = COURT_ORDER,
) -> str:
    if deck == "french":
        return texts.card_name(code)
    return texts.komatsu_name(komatsu_value(code, court), code[1], code in WILD_CARDS)


def card_text(code: str, texts: ViewerTexts = ENGLISH, attributes: Attributes | None = None) -> Html:
    """Return a card of the French deck as inline text, ``A♣``, with its accessible name."""
    return _card_text(code, texts, _attribute_key(attributes))


@lru_cache(CACHE_SIZE)
def _card_text(code: str, texts: ViewerTexts, attributes: AttributeKey) -> Html:
    named = {"class": text_class(code), "role": "img", "aria-label": texts.card_name(code)}
    return element("span", {**named, **dict(attributes)}, plain_text(code))


def plain_text(code: str) -> str:
    """Return a card of the French deck as text of one line: ``10♣``."""
    return f"{'10' if code[0] == 'T' else code[0]}{SUIT_SIGNS[code[1]]}{TEXT_STYLE}"


def text_class(code: str) -> str:
    return f"card-text card-{code[1].lower()}"


def suit_text(suit: str, texts: ViewerTexts = ENGLISH) -> Html:
    kind = f"card-text card-{suit.lower()}"
    return element(
        "span", {"class": kind, "role": "img", "aria-label": texts.suits[suit]}, SUIT_SIGNS[suit] + TEXT_STYLE
    )


def suit_sign(suit: str, texts: ViewerTexts = ENGLISH) -> Html:
    return element(
        "svg",
        {
            "class": f"card-suit card-{suit.lower()}",
            "viewBox": "-7 -7 14 14",
            "role": "img",
            "aria-label": texts.suits[suit],
        },
        Html(f'<path d="{glyphs.SUITS[suit]}"/>'),
    )


@lru_cache(CACHE_SIZE)
def card_backs(
    count: int, deck: Deck = "french", texts: ViewerTexts = ENGLISH, *, places: int | None = None
) -> Html:
    """Return face-down cards as one image. ``places`` reserves space for more cards."""
    kind, prefix = ("", "c") if deck == "french" else (" card-komatsu", "k")
    single, empty = (
        Html(
            f'<svg class="card-face{kind}{kind_suffix}" aria-hidden="true"><use href="#{prefix}-back"/></svg>'
        )
        for kind_suffix in ("", " gone")
    )
    label = {"role": "img", "aria-label": texts.backs_name(count)} if count else {"aria-hidden": "true"}
    drawn = [single] * count + [empty] * ((places or count) - count)
    return element("span", {"class": "card-backs", **label}, joined(drawn))


def mark(side: int, attributes: Attributes | None = None) -> Html:
    return _crest(side, _attribute_key(attributes))


@lru_cache(CACHE_SIZE)
def _crest(side: int, attributes: AttributeKey) -> Html:
    letter = chr(ord("A") + side % CRESTS)
    return element(
        "svg",
        {"class": f"crest crest-{crest_colour(side)}", "aria-hidden": "true", **dict(attributes)},
        Html(f'<use href="#m-{letter}"/>'),
    )


def crest_colour(side: int) -> str:
    """Return the letter of a crest's colour, as in CSS classes.

    >>> crest_colour(1), crest_colour(5)
    ('b', 'b')
    """
    return SIDE_LETTERS[side % 4].lower()


def _attribute_key(attributes: Attributes | None) -> AttributeKey:
    """Return a cache key that distinguishes 1 from True."""
    return tuple(
        (name, value if value is None or isinstance(value, bool) else str(value))
        for name, value in (attributes or {}).items()
    )


def side_by_seat(sides: Iterable[Iterable[int]]) -> Mapping[int, int]:
    return {seat: index for index, seats in enumerate(sides) for seat in seats}
