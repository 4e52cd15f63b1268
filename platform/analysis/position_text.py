"""Position text: hands, trump, Rensho and plays of a deal as text that people type and read.

Source: docs/position-text.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.deal_position import DealPosition
from analysis.position_errors import PositionError
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
_TOKEN = re.compile(r"[^\s,;:]+|:")
_COMMENT = re.compile(r"#[^\n]*")
_SUIT_SIGNS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f")
_CONSTANTS = {"true": True, "false": False, "none": None}

_EXAMPLES = {"preset": "kakeya4", "trump": "D", "lead": "1"}


class Word(str):
    """A word of a text and its position in it."""

    offset: int

    def __new__(cls, text: str, offset: int) -> Word:
        word = super().__new__(cls, text)
        word.offset = offset
        return word


class Entry(list[Word]):
    """The words of a key."""

    def __init__(self, key: Word) -> None:
        super().__init__()
        self.offset = key.offset


Entries = Mapping[str, Entry]


class _Problem(Exception):
    """A problem at a position of the text."""

    def __init__(self, code: str, culprit: Word | Entry | int, **values: object) -> None:
        super().__init__(code)
        self.error = PositionError(code, **values)
        self.offset = culprit if isinstance(culprit, int) else culprit.offset


def parse_position_text(text: str) -> DealPosition:
    """Return the position that the text describes; every play in it is legal.

    Raise ``PositionError``, whose message names the culprit and its line and column, and is printable.
    """
    try:
        return _parsed(text)
    except _Problem as problem:
        before = text[: problem.offset].replace("\r\n", "\n")
        line = before.count("\n") + 1
        raise problem.error.at(line, len(before) - before.rfind("\n")) from None


def _parsed(text: str) -> DealPosition:
    entries = _entries(text)
    ruleset = _ruleset(entries)
    trump = _suit(_single(entries, "trump"), "trump")
    rensho = VARIANTS[ruleset.variant].rensho(trump)
    if "rensho" in entries:
        given = _card(_single(entries, "rensho"), "card", key="rensho")
        if given != rensho:
            raise _Problem(
                "rensho",
                entries["rensho"][0],
                card=given,
                trump=trump,
                preset=ruleset.preset,
                expected=rensho,
            )
    position = DealPosition(
        ruleset,
        trump,
        _seat(_single(entries, "lead"), ruleset),
        _hands(entries, ruleset),
        tuple(
            _card(word, "play_card", number=number)
            for number, word in enumerate(entries.get("plays", ()), start=1)
        ),
        _stones(entries, ruleset),
    )
    try:
        position.states()
    except PositionError as error:
        raise _located(error, entries) from None
    return position


def _located(error: PositionError, entries: Entries) -> PositionError | _Problem:
    """Return the error with the entry or play that it is about; without one, the error."""
    number, seat = error.values.get("number"), error.values.get("second", error.values.get("seat"))
    culprit: Word | Entry | None = entries.get(str(seat))
    if isinstance(number, int):
        culprit = entries["plays"][number - 1]
    elif error.code in ("leader_hand", "stones_count", "stones_debt", "trump"):
        culprit = entries.get("lead" if error.code == "leader_hand" else error.code.partition("_")[0])
    return error if culprit is None else _Problem(error.code, culprit, **error.values)


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


def _tokens(text: str) -> list[Word]:
    """Return words and colons in plain characters. Raise ``PositionError``, ``_Problem``."""
    if len(text) > MAX_CHARS:
        raise PositionError("too_long", count=len(text), limit=MAX_CHARS)
    plain, sources = [], []
    for index, char in enumerate(text.replace("\r\n", " \n")):
        if printable_lines(char) != char and not (index == 0 and char == "\ufeff"):
            raise _Problem("control_character", index, character=quoted(char))
        for each in unicodedata.normalize("NFKC", char).translate(_SUIT_SIGNS).replace("\ufeff", ""):
            plain.append(each)
            sources.append(index)
    without_comments = _COMMENT.sub(lambda comment: " " * len(comment[0]), "".join(plain))
    return [Word(match[0], sources[match.start()]) for match in _TOKEN.finditer(without_comments)]


def _entries(text: str) -> Entries:
    """Return the words by key. Raise ``_Problem`` for unknown and repeated keys."""
    tokens = _tokens(text)
    entries: dict[str, Entry] = {}
    current: Entry | None = None
    for index, word in enumerate(tokens):
        if word == ":":
            continue
        if tokens[index + 1 : index + 2] == [":"]:
            key = word.lower()
            if key not in _KEYS and not _SEAT.match(key):
                raise _Problem("key_unknown", word, word=quoted(str(word)), keys=", ".join(_KEYS))
            if key in entries:
                raise _Problem("key_twice", word, key=key)
            current = entries[key] = Entry(word)
        elif current is None:
            raise _Problem("first_word", word, word=quoted(str(word)))
        else:
            current.append(word)
    return entries


def _single(entries: Entries, key: str) -> Word:
    if key not in entries:
        raise PositionError("key_missing", key=key, example=_EXAMPLES[key])
    entry = entries[key]
    if len(entry) != 1:
        raise _Problem("key_words", entry, key=key, count=len(entry))
    return entry[0]


def _ruleset(entries: Entries) -> KakeyaRuleset:
    word = _single(entries, "preset")
    name = word.lower()
    if name not in GAME.presets:
        games = [game.key for game in all_games().values() if name in game.presets]
        values = {"word": quoted(name), "presets": ", ".join(GAME.presets)}
        if games:
            raise _Problem("preset_game", word, game=games[0], **values)
        raise _Problem("preset", word, **values)
    options: dict[str, Any] = {}
    for word in entries.get("options", ()):
        option, separator, value = word.partition("=")
        if not separator or option in options:
            raise _Problem("option", word, word=quoted(str(word)))
        options[option] = _option_value(value)
    try:
        ruleset = GAME.ruleset(name, options)
    except EngineError as error:
        raise _Problem("ruleset", entries.get("options", word), reason=str(error)) from None
    assert isinstance(ruleset, KakeyaRuleset), "presets of this game have its rulesets"
    return ruleset


def _option_value(text: str) -> bool | int | str | None:
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    return int(text) if re.match(r"-?[0-9]{1,7}\Z", text) else text


def _whole(word: Word) -> int:
    if not re.match(r"[+-]?[0-9]{1,7}\Z", word) or abs(int(word)) > MAX_STONES:
        raise _Problem("number", word, word=quoted(str(word)), limit=f"{MAX_STONES:,}")
    return int(word)


def _stones(entries: Entries, ruleset: KakeyaRuleset) -> tuple[int, ...]:
    if "stones" in entries:
        return tuple(map(_whole, entries["stones"]))
    return (GAME.starting_stones(ruleset),) * len(GAME.sides(ruleset))


def _suit(word: Word, key: str) -> Suit:
    if word.upper() not in tuple(SUITS):
        raise _Problem("suit", word, key=key, word=quoted(str(word)))
    return word.upper()


def _seat(word: Word, ruleset: KakeyaRuleset) -> Seat:
    if not _SEAT.match(word) or int(word) > ruleset.seats:
        raise _Problem("seat", word, word=quoted(str(word)), preset=ruleset.preset, seats=ruleset.seats)
    return int(word)


def _card(word: Word, problem: str, **values: object) -> Card:
    """Return a card written rank then suit, or suit then rank. Raise ``_Problem`` with this code."""
    text = word.upper().replace("10", "T")
    for card in (text, text[::-1]):
        if card in KAKEYA_PACK.bit:
            return card
    raise _Problem(problem, word, word=quoted(str(word)), **values)


def _hands(entries: Entries, ruleset: KakeyaRuleset) -> dict[Seat, tuple[Card, ...]]:
    hands: dict[Seat, tuple[Card, ...]] = {}
    with_rest = []
    seats = {
        _seat(Word(key, entry.offset), ruleset): entry for key, entry in entries.items() if _SEAT.match(key)
    }
    for seat, entry in sorted(seats.items()):
        if [word.lower() for word in entry] == [REST]:
            with_rest.append(seat)
            hands[seat] = ()
        else:
            hands[seat] = _hand(seat, entry)
    if len(with_rest) > 1:
        raise _Problem("rest_twice", seats[with_rest[1]], first=with_rest[0], second=with_rest[1])
    for seat in with_rest:
        known = {card for hand in hands.values() for card in hand}
        hands[seat] = tuple(card for card in KAKEYA_PACK.cards if card not in known)
    return hands


def _hand(seat: Seat, entry: Entry) -> tuple[Card, ...]:
    suit, cards = "", set()
    for word in entry:
        for char in word.upper().replace("10", "T"):
            if char in SUITS:
                suit = char
            elif char not in RANKS and char != "-":
                raise _Problem("hand_word", word, seat=seat, word=quoted(char))
            elif not suit:
                raise _Problem("hand_suit", word, seat=seat, word=quoted(char))
            elif char != "-":
                if char + suit in cards:
                    raise _Problem("twice_in_hand", word, card=char + suit, seat=seat)
                cards.add(char + suit)
    return tuple(card for card in KAKEYA_PACK.cards if card in cards)
