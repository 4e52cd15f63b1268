"""Options of Kakeya and their values. Source: RULES.md 6 and 6.1."""

import dataclasses

import pytest

from engine import Board, RulesetError
from engine.cards import KAKEYA_PACK
from engine.errors import NotationError
from engine.game import Ruleset
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN


def test_presets():
    plain = PLAIN.as_dict()
    assert {name: ruleset.as_dict().items() - plain.items() for name, ruleset in KAKEYA.presets.items()} == {
        "kakeya4": set(),
        "kakeya4.league": {("hand_cap", 60)},
        "kakeya4.nakayoshi": {("schedule", "nakayoshi")},
    }
    assert plain == {
        "stones": 5,
        "hand_cap": None,
        "schedule": "standard",
        "debt": True,
        "lead_protocol": "simultaneous",
        "trump_fixed": None,
        "trump_change": "any",
        "priority": "alternate",
    }


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("stones", value) for value in (0, -1, 1.0, "5", None, True, 1001)),
        *(("hand_cap", value) for value in (0, -1, 2.0, "60", False, 100_001)),
        *(("schedule", value) for value in ("asahi", None, 1, ["standard"])),
        *(("debt", value) for value in (0, 1, None, "true")),
        *(("lead_protocol", value) for value in ("", None, "IKU")),
        *(("trump_fixed", value) for value in ("s", "X", "", 1, {})),
        *(("trump_change", value) for value in (None, "both")),
        *(("priority", value) for value in (None, "higher")),
    ],
)
def test_an_impossible_value_is_refused_by_name(option, value):
    with pytest.raises(RulesetError) as refused:
        PLAIN.replace(**{option: value})
    assert repr(option) in str(refused.value)
    assert repr(value) in str(refused.value)


def test_a_ruleset_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAIN.stones = 6


def test_the_ruleset_of_another_game_is_refused():
    with pytest.raises(RulesetError, match="'bridge' is not one of kakeya"):
        KAKEYA.start(Ruleset(preset="bridge"), Board("deal", 1, "x"))


def test_a_deck_given_must_be_a_deck():
    with pytest.raises(NotationError, match="'AC' is missing"):
        KAKEYA.start(PLAIN, Board("deal", 1, "x", (KAKEYA_PACK.cards[:51],)))


def test_decks_given_come_first_and_the_seed_gives_the_rest():
    ruleset = PLAIN.replace(hand_cap=2, stones=50)
    deck = KAKEYA_PACK.cards
    state = KAKEYA.start(ruleset, Board("game", 1, "demo", (deck,)))
    while state.to_act:
        state = state.apply(state.to_act[0], state.legal(state.to_act[0])[0])
    first, second = (e.record["deck"] for e in state.happened_since(None) if e.kind == "deal")
    assert first == list(deck)
    assert second == list(state.deal.setting.deck(2)) != list(deck)
