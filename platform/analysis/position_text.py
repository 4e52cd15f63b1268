"""Position text: hands, trump, Rensho and plays of a deal as text that people type and read.

Source: docs/position-text.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.deal_position import DealPosition, PositionError
from engine import EngineError, Seat, all_games
from engine.cards import KAKEYA_PACK, SUITS, Card, Suit
from engine.games.kakeya import GAME
from engine.games.kakeya.notation import TRICK_SIZE
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.variants import VARIANTS
from engine.printable import printable_lines
from engine.refusals import quoted

MAX_CHARS = 4000
"""Maximum characters of a text. A whole deal with all plays has about 450."""
MAX_STONES = 1_000_000

RANKS = "AKQJT98765432"
REST = "rest"
"""In place of a hand: all cards that no other hand has."""
_KEYS = ("preset", "options", "trump", "rensho", "stones", "lead", "plays")
_SEAT = re.compile(r"[1-9]\Z")
_WORD = re.compile(r"[^\s,;:]+|:")
_COMMENT = re.compile(r"#[^\n]*")
_SUIT_SIGNS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f")
_CONSTANTS = {"true": True, "false": False, "none": None}

Entries = Mapping[str, Sequence[str]]


def parse_position_text(text: str) -> DealPosition:
    """Return the position that the text describes; every play in it is legal.

    Raise ``PositionError``, whose message names the culprit and is printable.
    """
    entries = _entries(_normalized(text))
    ruleset = _ruleset(entries)
    trump = _suit(_single(entries, "trump"), "trump")
    rensho = VARIANTS[ruleset.variant].rensho(trump)
    if "rensho" in entries:
        given = _card(_single(entries, "rensho"), "rensho")
        if given != rensho:
            raise PositionError(f"rensho {given}: with trump {trump} in {ruleset.preset}, it is {rensho}")
    position = DealPosition(
        ruleset,
        trump,
        _seat(_single(entries, "lead"), ruleset),
        _hands(entries, ruleset),
        tuple(_card(word, f"play {number}") for number, word in enumerate(entries.get("plays", ()), start=1)),
        _stones(entries, ruleset),
    )
    position.states()
    return position


def format_position_text(position: DealPosition) -> str:
    """Return the canonical text, which ``parse_position_text`` reads back; it ends with a line feed."""
    ruleset, trump = position.ruleset, position.trump
    lines = [f"preset: {ruleset.preset}"]
    preset = GAME.presets[ruleset.preset].as_dict()
    changed = {name: value for name, value in ruleset.as_dict().items() if value != preset[name]}
    if changed:
        values = [
            f"{name}={'none' if v is None else str(v).lower() if isinstance(v, bool) else v}"
            for name, v in sorted(changed.items())
        ]
        lines.append(f"options: {' '.join(values)}")
    lines += [f"trump: {trump}", f"rensho: {VARIANTS[ruleset.variant].rensho(trump)}"]
    if position.stones != _stones({}, ruleset):
        lines.append(f"stones: {' '.join(map(str, position.stones))}")
    lines.append(f"lead: {position.leader}")
    lines += [f"{seat}: {_hand_text(hand)}" for seat, hand in position.hands.items()]
    plays = position.plays
    tricks = [" ".join(plays[start : start + TRICK_SIZE]) for start in range(0, len(plays), TRICK_SIZE)]
    if tricks:
        lines.append("plays: " + "\n       ".join(tricks))
    return "\n".join(lines) + "\n"


def _hand_text(hand: Sequence[Card]) -> str:
    return " ".join(
        f"{suit} {''.join(rank for rank in RANKS if rank + suit in hand) or '-'}" for suit in SUITS
    )


def _normalized(text: str) -> str:
    """Return the text with plain letters, digits and signs. Raise ``PositionError`` if it is too long."""
    if len(text) > MAX_CHARS:
        raise PositionError(f"{len(text)} characters: a position text has at most {MAX_CHARS}")
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if printable_lines(text) != text:
        index = next(index for index, char in enumerate(text) if printable_lines(char) != char)
        raise PositionError(
            f"character {index + 1} is {quoted(text[index])}: remove control and invisible characters"
        )
    plain = unicodedata.normalize("NFKC", text).translate(_SUIT_SIGNS)
    return _COMMENT.sub("", plain)


def _entries(text: str) -> Entries:
    """Return the words by key. Raise ``PositionError`` for unknown and repeated keys."""
    tokens = _WORD.findall(text)
    entries: dict[str, list[str]] = {}
    current: list[str] | None = None
    for index, word in enumerate(tokens):
        if word == ":":
            continue
        if tokens[index + 1 : index + 2] == [":"]:
            key = word.lower()
            if key not in _KEYS and not _SEAT.match(key):
                raise PositionError(f"unknown key {quoted(word)}: the keys are {', '.join(_KEYS)} and seats")
            if key in entries:
                raise PositionError(f"key {key!r} comes twice: remove one")
            current = entries[key] = []
        elif current is None:
            raise PositionError(f"{quoted(word)} belongs to no key: begin with 'preset: kakeya4'")
        else:
            current.append(word)
    return entries


def _single(entries: Entries, key: str) -> str:
    tokens = entries.get(key, ())
    if len(tokens) != 1:
        state = f"has {len(tokens)} words" if key in entries else "is missing"
        raise PositionError(f"key {key!r} {state}: give one")
    return tokens[0]


def _ruleset(entries: Entries) -> KakeyaRuleset:
    name = _single(entries, "preset").lower()
    if name not in GAME.presets:
        games = [game.key for game in all_games().values() if name in game.presets]
        reason = f"of {games[0]}, which has no position text" if games else "unknown"
        raise PositionError(f"preset {quoted(name)} is {reason}: give one of {', '.join(GAME.presets)}")
    options: dict[str, Any] = {}
    for word in entries.get("options", ()):
        option, separator, value = word.partition("=")
        if not separator or option in options:
            raise PositionError(f"option {quoted(word)}: write each option once, as 'early_stop=true'")
        options[option] = _option_value(value)
    try:
        ruleset = GAME.ruleset(name, options)
    except EngineError as error:
        raise PositionError(str(error)) from None
    assert isinstance(ruleset, KakeyaRuleset), "presets of this game have its rulesets"
    return ruleset


def _option_value(text: str) -> bool | int | str | None:
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    return _whole(text) if re.match(r"-?[0-9]{1,7}\Z", text) else text


def _whole(text: str) -> int:
    if not re.match(r"[+-]?[0-9]{1,7}\Z", text) or abs(int(text)) > MAX_STONES:
        raise PositionError(f"{quoted(text)} is not a whole number up to {MAX_STONES:,}")
    return int(text)


def _stones(entries: Entries, ruleset: KakeyaRuleset) -> tuple[int, ...]:
    if "stones" in entries:
        return tuple(map(_whole, entries["stones"]))
    return (GAME.starting_stones(ruleset),) * len(GAME.sides(ruleset))


def _suit(word: str, key: str) -> Suit:
    if word.upper() not in tuple(SUITS):
        raise PositionError(f"{key} {quoted(word)} is not a suit: give one of {' '.join(SUITS)}")
    return word.upper()


def _seat(word: str, ruleset: KakeyaRuleset) -> Seat:
    if not _SEAT.match(word) or int(word) > ruleset.seats:
        raise PositionError(f"seat {quoted(word)}: {ruleset.preset} has seats 1 to {ruleset.seats}")
    return int(word)


def _card(word: str, name: str) -> Card:
    """Return a card written rank then suit, or suit then rank."""
    text = word.upper().replace("10", "T")
    for card in (text, text[::-1]):
        if card in KAKEYA_PACK.bit:
            return card
    raise PositionError(f"{name}: {quoted(word)} is not a card; write rank and suit, such as TD or AS")


def _hands(entries: Entries, ruleset: KakeyaRuleset) -> dict[Seat, tuple[Card, ...]]:
    hands: dict[Seat, tuple[Card, ...]] = {}
    with_rest = []
    for seat in sorted(_seat(key, ruleset) for key in entries if _SEAT.match(key)):
        tokens = entries[str(seat)]
        if [word.lower() for word in tokens] == [REST]:
            with_rest.append(seat)
            hands[seat] = ()
        else:
            hands[seat] = _hand(seat, "".join(tokens).upper().replace("10", "T"))
    if len(with_rest) > 1:
        raise PositionError(f"seats {with_rest[0]} and {with_rest[1]} both have the rest: give one hand")
    for seat in with_rest:
        known = {card for hand in hands.values() for card in hand}
        hands[seat] = tuple(card for card in KAKEYA_PACK.cards if card not in known)
    return hands


def _hand(seat: Seat, text: str) -> tuple[Card, ...]:
    suit, cards = "", set()
    for char in text:
        if char in SUITS:
            suit = char
        elif char not in RANKS and char != "-":
            raise PositionError(
                f"seat {seat}: {quoted(char)} is neither a suit ({' '.join(SUITS)}) nor a rank ({RANKS})"
            )
        elif not suit:
            raise PositionError(f"seat {seat}: {quoted(char)} has no suit: write the suit first, as S AQ83")
        elif char != "-":
            if char + suit in cards:
                raise PositionError(f"{char}{suit} is twice in the hand of seat {seat}")
            cards.add(char + suit)
    return tuple(card for card in KAKEYA_PACK.cards if card in cards)
