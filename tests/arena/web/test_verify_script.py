"""The fairness panel's script against the known answers of the documentation, the engine, and forged deals.

Source: docs/fair-deals.md#test-vectors; docs/rules/common.md#seeded-dealing.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.cards import KAKEYA_PACK, KAKKURI_PACK
from engine.shuffle import shuffled, stream_label
from tests.arena.web.verify_script import answers_to
from tests.strategies import SHORT_PRESETS
from tests.viewer.records import recorded
from viewer.build import view_of

SECRET = bytes(range(32)).hex()
ALPHA, BRAVO = (
    "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
    "f144a6907dc4284d1f9fe6a7d9b9ff53c02c1d07ba68f24d413d7ff7f757a782",
)
DIGEST = "d188faf3a71d2d13530f1bc64da297723998ec1d29f72596f3127b7f5ce7b0e5"
SEEDS = {
    (1, 1, 1): "0327f240a9d06adcadfd2e4f5d2bebf7f3baa41ff739b1204db4eac7e5aecfe9",
    (1, 1, 2): "098cb7f15ddc8de52f7487fbc5893b4f5100ab0ef78659af3f200211eb186256",
    (2, 3, 16): "bf8959434a6ce01c3c69c04f64e08981a0bc3e37a10992980542c2530c7a5d7f",
    (0, 0, 1): "c387c353fb7e208a9489d1f45c01244dac6454229ab5e8dfef0e76712ce47bf2",
}
RANKS = {"kakeya": "23456789TJQKA", "kakkuri": "A23456789JQK"}
PACKS = {"kakeya": KAKEYA_PACK, "kakkuri": KAKKURI_PACK}
DECKS = [("kakeya", "demo", 1), ("kakkuri", "demo", 1), ("kakeya", "seed 7", 3), ("kakkuri", "x", 12)]


def views() -> list[tuple[str, Any, str]]:
    """A board of each preset as its view, with what it is and its seed."""
    found = []
    for game, ruleset in SHORT_PRESETS:
        preset = game.presets[ruleset.preset].as_dict()
        options = {name: value for name, value in ruleset.as_dict().items() if value != preset[name]}
        for kind in ("deal", "game"):
            record = recorded(ruleset.preset, kind, (3,), options=options).record
            found.append((f"{ruleset.preset} {kind}", view_of(record), "seed 3"))
    return found


@pytest.fixture(scope="module")
def played() -> list[tuple[str, Any, str]]:
    return views()


@pytest.fixture(scope="module")
def answers(played: list[tuple[str, Any, str]]) -> dict[str, Any]:
    """What the script says to everything asked here; one start of node for all."""
    return answers_to(
        secret=SECRET,
        bundles=[ALPHA, BRAVO, ALPHA],
        tournament="k4summer",
        digest=DIGEST,
        boards=list(SEEDS),
        decks=[(game, RANKS[game], seed, deal) for game, seed, deal in DECKS],
        views=[
            *((view, seed) for _, view, seed in played),
            *((view, "another seed") for _, view, _ in played),
            *((forged(view), seed) for _, view, seed in played),
        ],
    )


def forged(view: Any) -> Any:
    """The view with two cards exchanged between two hands of its last deal."""
    changed = copy.deepcopy(view)
    first, second, *_ = changed["boards"][0]["deals"][-1]["hands"].values()
    first[0], second[0] = second[0], first[0]
    return changed


def test_commitment_field_digest_and_seeds_are_those_of_the_documentation(answers: dict[str, Any]) -> None:
    assert answers["commitment"] == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert answers["digest"] == DIGEST
    assert answers["seeds"] == list(SEEDS.values())


def test_decks_are_those_of_the_engine(answers: dict[str, Any]) -> None:
    for (game, seed, deal), deck in zip(DECKS, answers["decks"], strict=True):
        assert deck == list(shuffled(PACKS[game].cards, stream_label(game, seed, deal, "deal")))
    assert answers["decks"][0][:4] == ["7D", "TD", "6D", "7H"]
    assert answers["decks"][1][-4:] == ["QC", "9D", "JH", "AD"]


def test_hands_of_every_preset_are_found_to_be_dealt(
    answers: dict[str, Any], played: list[tuple[str, Any, str]]
) -> None:
    count = len(played)
    names = [name for name, _, _ in played]
    assert dict(zip(names, answers["views"][:count], strict=True)) == dict.fromkeys(names, True)


def test_another_seed_and_exchanged_cards_are_found(
    answers: dict[str, Any], played: list[tuple[str, Any, str]]
) -> None:
    count = len(played)
    names = [name for name, _, _ in played]
    for start in (count, 2 * count):
        found = answers["views"][start : start + count]
        assert dict(zip(names, found, strict=True)) == dict.fromkeys(names, False)
