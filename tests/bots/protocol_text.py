"""docs/bot-protocol.md read as data: sections, tables, and what each type named in it means."""

from __future__ import annotations

import re

from bots.sdk import KAKKURI_PACK, PACK, SUITS
from engine import game_named
from engine.games.kakkuri.notation import MELDS
from tests.bots.protocol_transcript import DOCUMENT

TEXT = DOCUMENT.read_text()
GAMES = {"kakeya": "Kakeya", "kakkuri": "Kakkuri"}
"""Each game as the headings name it; one that is added describes itself in its own README."""
PRESETS = {preset: key for key in GAMES for preset in game_named(key).presets}


def section(heading):
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert found, f"no heading {heading!r}"
    return found[1]


def tables(heading):
    """The tables of a section, each a list of rows of cells, without its head."""
    found, rows = [], []
    for line in [*section(heading).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append(rows[2:])
            rows = []
    return found


def names(cell):
    """Everything in code marks."""
    return re.findall(r"`([^`]+)`", cell)


def fields(heading):
    """Type by field of the first table of a section."""
    return {names(row[0])[0]: row[1] for row in tables(heading)[0]}


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_seat(value):
    return is_whole(value) and 1 <= value <= 8


def is_value(value):
    return is_whole(value) and 1 <= value <= 12


def is_text(value):
    return isinstance(value, str)


def is_card(value):
    return value in PACK or value in KAKKURI_PACK


def is_meld(value):
    return value in MELDS


def is_action(value):
    return is_text(value) and (is_card(value) or is_meld(value) or value in SUITS or value.isupper())


def pair_of(is_second):
    return lambda value: len(value) == 2 and is_seat(value[0]) and is_second(value[1])


def is_trick(value):
    return (
        set(value) == {"leader", "cards", "winner"}
        and is_seat(value["leader"])
        and is_seat(value["winner"])
        and list_of(is_card)(value["cards"])
        and len(value["cards"]) == 4
    )


def list_of(is_item):
    return lambda value: isinstance(value, list) and all(map(is_item, value))


def by_seat(is_item):
    return lambda value: (
        isinstance(value, dict) and all(name in "12345678" and is_item(item) for name, item in value.items())
    )


def or_null(is_item):
    return lambda value: value is None or is_item(value)


TYPES = {
    "integer": is_whole,
    "text": is_text,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "seat": is_seat,
    "seat or null": or_null(is_seat),
    "value or null": or_null(is_value),
    "suit": lambda value: value in SUITS,
    "card": is_card,
    "action": is_action,
    "list of seats": list_of(is_seat),
    "list of cards": list_of(is_card),
    "list of actions": list_of(is_action),
    "list of tricks": list_of(is_trick),
    "list of [seat, card]": list_of(pair_of(is_card)),
    "list of [seat, meld]": list_of(pair_of(is_meld)),
    "list of [seat, value]": list_of(pair_of(is_value)),
    "object: seat to integer": by_seat(is_whole),
    "object: seat to action": by_seat(is_action),
    "object: seat to cards": by_seat(list_of(is_card)),
}


def check(message, described, required=None):
    """The message has exactly the described fields (or at least those required), each of its type."""
    assert message.keys() <= described.keys()
    assert set(described if required is None else required) <= message.keys()
    for name, value in message.items():
        assert TYPES[described[name]](value), f"{name} is {value!r}, described as {described[name]}"
