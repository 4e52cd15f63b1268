"""What an entrant may import is stated, complete, and quick to import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bots.sdk
from bots.sdk import bot, cards, errors, kakkuri_hand, messages
from bots.sdk.games import kakeya, kakkuri
from bots.sdk.lines import decoded, encoded

ROOT = Path(__file__).parents[2]

EXPORTED = {
    *("Answer", "Bot", "Hello", "KAKKURI_PACK", "KakeyaView", "KakkuriHand"),
    *("KakkuriView", "Meld", "PACK", "PICTURES", "ProtocolError", "RANKS"),
    *("Request", "SUITS", "SdkError", "WILDS", "card_values", "is_picture"),
    *("next_values", "parse_meld", "rank_of", "sorted_cards", "suit_of", "view_of"),
    *("WorldError", "determinize", "state_from"),
}


def test_the_public_surface_is_what_is_stated():
    assert set(bots.sdk.__all__) == EXPORTED
    for name in bots.sdk.__all__:
        assert hasattr(bots.sdk, name)


def test_every_public_class_of_the_modules_is_exported():
    for module in (bot, cards, errors, kakeya, kakkuri, kakkuri_hand, messages):
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__ and name[0] != "_":
                assert value.__name__ in bots.sdk.__all__


def test_whoever_draws_no_hands_leaves_slow_modules_alone():
    slow = {"typing", "dataclasses", "random", "engine", "json", "re", "enum", "collections"}
    names = ", ".join(EXPORTED - {"determinize", "state_from"})
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from bots.sdk import {names}; "
        f"print({slow!r} & {{*sys.modules}})"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "set()\n", done.stderr


def test_a_bot_imports_the_game_it_names_and_no_other():
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from bots.sdk import Bot, KakeyaView; "
        "import bots.sdk; before = 'bots.sdk.kakkuri_hand' in sys.modules; "
        "print(before, bots.sdk.kakkuri_hand.WILDS[0])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "False 2D\n", done.stderr
    assert set(bots.sdk.__all__) <= set(dir(bots.sdk))
    with pytest.raises(ImportError, match="Nobody"):
        exec("from bots.sdk import Nobody")


def outcome(call, *arguments):
    """What it gives, or what it raises with which words."""
    try:
        return repr(call(*arguments))
    except (ValueError, TypeError, RecursionError) as error:
        return type(error).__name__, str(error)


LINES = (
    *(
        '{"a":[1,-2.5e3,"\\u00e9\\ud83d\\ude00",null,true]}\n',
        "  [1] \r\n",
        "[NaN,-Infinity]",
        "1" * 40,
        '"a',
    ),
    *("{}x", "", "[1,]", '{"a":1,"a":2}', "\ufeff{}", '"\t"', "[" * 100_000, "\xa0[]", "[]\xa0", '"\ud800"'),
)


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_lines_are_read_as_json_reads_them(line):
    raw = line.encode(errors="surrogatepass")
    for given in (line, raw, raw + b"\xff", line.encode("utf-16", errors="surrogatepass")):
        assert outcome(decoded, given) == outcome(json.loads, given)


def test_messages_are_written_as_json_writes_them():
    loop = {}
    loop["again"] = loop
    for message in ({"é": [1.5, float("nan"), None, True, (2,)], 3: {}}, {"a": {1}}, loop, {(1,): 2}):
        wanted = outcome(lambda: json.dumps(message, separators=(",", ":")).encode())  # noqa: B023
        assert outcome(encoded, message) == wanted
