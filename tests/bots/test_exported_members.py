"""What an entrant may import is stated, complete, and quick to import."""

import subprocess
import sys
from pathlib import Path

import pytest

import bots.sdk
from bots.sdk import bot, cards, errors, kakkuri_hand, messages
from bots.sdk.games import kakeya, kakkuri

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


@pytest.mark.parametrize("module", ["typing", "dataclasses", "inspect", "random", "engine", "asyncio"])
def test_importing_the_sdk_leaves_slow_modules_alone(module):
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import bots.sdk; print({module!r} in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "False\n", done.stderr
