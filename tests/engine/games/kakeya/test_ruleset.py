"""Options of Kakeya and their values.

Source: docs/rules/kakeya.md#presets, #options; docs/rules/etori.md#presets, #options.
"""

import dataclasses

import pytest

from engine import Board, RulesetError
from engine.cards import KAKEYA_PACK
from engine.errors import NotationError
from engine.game import Ruleset
from engine.games.kakeya.deal import masks_of
from engine.games.kakeya.ruleset import KakeyaRuleset
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN
from tests.refusals import refusal

KAKEYA4 = {
    "seats": 4,
    "stones": 5,
    "hand_cap": None,
    "schedule": "standard",
    "debt": True,
    "lead_protocol": "simultaneous",
    "trump_fixed": None,
    "six_dealers": None,
    "trump_right6": None,
    "rensho_free": False,
    "aces_timing": None,
    "early_stop": False,
    "direction": "right",
    "dealer_rotation": None,
    "meiji_trump": None,
    "meiji_score": None,
    "hands": None,
}
KAKEYA6 = KAKEYA4 | {"seats": 6, "six_dealers": "losers", "trump_right6": "others"}
ETORI_SIMPLE = KAKEYA4 | {
    "debt": False,
    "trump_fixed": "S",
    "aces_timing": "dealt",
    "early_stop": True,
    "direction": "left",
    "dealer_rotation": "losers",
}
ETORI_SIMPLE6 = ETORI_SIMPLE | {"seats": 6, "dealer_rotation": None}
ETORI_MEIJI = KAKEYA4 | {
    "stones": None,
    "schedule": None,
    "debt": None,
    "lead_protocol": None,
    "meiji_trump": "cycle_cdh",
    "meiji_score": "win1",
    "hands": 12,
}


def test_presets_spell_out_every_option_and_null_what_does_not_apply():
    assert {name: ruleset.as_dict() for name, ruleset in KAKEYA.presets.items()} == {
        "kakeya4": KAKEYA4,
        "kakeya4.league": KAKEYA4 | {"hand_cap": 60},
        "kakeya4.nakayoshi": KAKEYA4 | {"schedule": "nakayoshi"},
        "kakeya6": KAKEYA6,
        "kakeya6.league": KAKEYA6 | {"hand_cap": 60},
        "kakeya6.nakayoshi": KAKEYA6 | {"schedule": "nakayoshi"},
        "etori.simple": ETORI_SIMPLE,
        "etori.simple6": ETORI_SIMPLE6,
        "etori.meiji": ETORI_MEIJI,
    }


@pytest.mark.parametrize(
    ("preset", "option", "value"),
    [
        *(("kakeya4", "stones", value) for value in (0, -1, 1.0, "5", None, True, 1001)),
        *(("kakeya6", "hand_cap", value) for value in (0, -1, 2.0, "60", False, 100_001)),
        *(("kakeya4", "schedule", value) for value in ("asahi", None, 1, ["standard"])),
        *(("etori.simple", "debt", value) for value in (0, 1, None, "true")),
        *(("etori.simple6", "debt", value) for value in (0, None)),
        *(("etori.simple6", "hand_cap", value) for value in (0, "60", True)),
        *(("etori.simple6", "early_stop", value) for value in (None, 1)),
        *(("etori.simple6", "schedule", value) for value in (None, "clipped")),
        *(("etori.simple6", "direction", value) for value in (None, "clockwise")),
        *(("kakeya4", "lead_protocol", value) for value in ("", None, "IKU")),
        *(("kakeya4", "trump_fixed", value) for value in ("s", "X", "", 1, {})),
        *(("kakeya6", "six_dealers", value) for value in (None, "winners")),
        *(("kakeya6", "trump_right6", value) for value in (None, "dealers")),
        *(("kakeya4", "rensho_free", value) for value in (None, 1, "false")),
        *(("etori.simple", "aces_timing", value) for value in (None, "held")),
        *(("etori.meiji", "early_stop", value) for value in (None, 0)),
        *(("kakeya4", "direction", value) for value in (None, "clockwise")),
        *(("etori.simple", "dealer_rotation", value) for value in (None, "right")),
        *(("etori.meiji", "meiji_trump", value) for value in (None, "cycle")),
        *(("etori.meiji", "meiji_score", value) for value in (None, "win2")),
        *(("etori.meiji", "hands", value) for value in (None, 0, True, 100_001)),
    ],
)
def test_an_impossible_value_is_refused_by_name(preset, option, value):
    refused = refusal(RulesetError, KAKEYA.ruleset, preset, {option: value})
    assert f"option {option!r} of {preset} cannot be {value!r}: give " in str(refused)


@pytest.mark.parametrize(
    ("preset", "option", "value", "fix"),
    [
        ("kakeya4", "seats", 6, "kakeya6"),
        ("kakeya6", "seats", 4, "kakeya4"),
        ("etori.simple", "seats", 6, "etori.simple6"),
        ("etori.simple6", "seats", 4, "etori.simple"),
        ("kakeya4", "six_dealers", "losers", "kakeya6"),
        ("etori.simple", "trump_right6", "others", "kakeya6"),
        ("etori.simple6", "six_dealers", "losers", "kakeya6"),
        ("etori.simple6", "trump_right6", "others", "kakeya6"),
        (
            "etori.simple6",
            "dealer_rotation",
            "losers",
            "etori.simple",
        ),
        ("etori.simple6", "trump_fixed", "C", "kakeya6"),
        (
            "kakeya4",
            "aces_timing",
            "remaining",
            "etori.simple, etori.simple6",
        ),
        ("etori.meiji", "aces_timing", "dealt", "etori.simple"),
        ("kakeya6", "dealer_rotation", "left", "etori.simple"),
        ("kakeya4", "meiji_trump", "random", "etori.meiji.*'trump_fixed'"),
        ("kakeya4", "meiji_score", "win1", "etori.meiji.*'schedule'"),
        ("etori.simple", "hands", 12, "etori.meiji.*'hand_cap'"),
        (
            "etori.meiji",
            "hand_cap",
            60,
            "kakeya4, kakeya6, etori.simple, etori.simple6.*'hands'",
        ),
        ("etori.meiji", "stones", 5, "points from 0"),
        ("etori.meiji", "schedule", "standard", "meiji_score='kakeya'"),
        ("etori.meiji", "debt", True, "points"),
        ("etori.meiji", "lead_protocol", "decider", "the player next to the dealer leads"),
        ("etori.simple", "trump_fixed", None, "kakeya4"),
        ("etori.simple", "trump_fixed", "H", "kakeya4"),
    ],
)
def test_an_option_of_another_preset_is_refused_with_the_fix(preset, option, value, fix):
    with pytest.raises(RulesetError, match=f"'{option}' of {preset} .*{fix}"):
        KAKEYA.ruleset(preset, {option: value})


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("etori.simple", {"aces_timing": "remaining", "schedule": "nakayoshi"}),
        ("etori.simple", {"aces_timing": "remaining", "schedule": "asahi_tie_only"}),
        ("etori.simple6", {"aces_timing": "remaining", "schedule": "nakayoshi"}),
        ("etori.meiji", {"meiji_trump": "turn_last", "trump_fixed": "S"}),
        ("etori.meiji", {"meiji_trump": "random", "trump_fixed": "H"}),
        ("kakeya6", {"trump_right6": "losers", "trump_fixed": "C"}),
    ],
)
def test_contradictory_options_are_refused_and_either_alone_is_not(preset, options):
    refused = refusal(RulesetError, KAKEYA.ruleset, preset, options)
    for name, value in options.items():
        assert f"{name!r}={value!r}" in str(refused)
        assert f"give {name}=" in str(refused) or f"leave {name} out" in str(refused)
        KAKEYA.ruleset(preset, {name: value})


@pytest.mark.parametrize("option", ["priority", "trump_change", "lead_private"])
def test_options_nobody_attests_do_not_exist(option):
    with pytest.raises(RulesetError, match=f"'{option}' .*: aces_timing, "):
        PLAIN.replace(**{option: None})


def test_an_unknown_preset_is_refused():
    with pytest.raises(RulesetError, match=r"'kakeya5' .*: kakeya4, "):
        KakeyaRuleset(preset="kakeya5")


def test_a_ruleset_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAIN.stones = 6


def test_the_ruleset_of_another_game_is_refused():
    with pytest.raises(RulesetError, match="'bridge'"):
        KAKEYA.start(Ruleset(preset="bridge"), Board("deal", 1, "x"))


def test_a_deck_given_must_be_a_deck():
    with pytest.raises(NotationError, match="'AC'"):
        KAKEYA.start(PLAIN, Board("deal", 1, "x", (KAKEYA_PACK.cards[:51],)))


def test_decks_given_come_first_and_the_seed_gives_the_rest():
    ruleset = PLAIN.replace(hand_cap=2, stones=50)
    deck = KAKEYA_PACK.cards
    state = KAKEYA.start(ruleset, Board("game", 1, "demo", (deck,)))
    while state.to_act:
        state = state.apply(state.to_act[0], state.legal(state.to_act[0])[0])
    first, second = (e.record["deck"] for e in state.happened_since(None) if e.kind == "deal")
    assert first == list(deck)
    assert masks_of(tuple(second)) == state.deal.setting.deck(2) != masks_of(deck)


def test_seats_sides_and_stones_of_each_preset():
    found = {
        name: (KAKEYA.seats(r), len(KAKEYA.sides(r)), KAKEYA.starting_stones(r), KAKEYA.forfeit_stones(r))
        for name, r in KAKEYA.presets.items()
    }
    four, six = (4, 2, 5, 5), (6, 3, 5, 5)
    assert found == {
        **dict.fromkeys(("kakeya4", "kakeya4.league", "kakeya4.nakayoshi", "etori.simple"), four),
        **dict.fromkeys(("kakeya6", "kakeya6.league", "kakeya6.nakayoshi", "etori.simple6"), six),
        "etori.meiji": (4, 2, 0, 12),
    }
    for preset in ("kakeya6", "etori.simple6"):
        assert KAKEYA.sides(KAKEYA.presets[preset]) == ((1, 4), (2, 5), (3, 6))
    assert KAKEYA.forfeit_stones(PLAIN.replace(stones=9)) == 9


def test_decisions_are_bounded_where_deals_are():
    def bounds(preset, **options):
        ruleset = KAKEYA.ruleset(preset, options)
        return tuple(KAKEYA.decisions_bound(ruleset, kind) for kind in ("deal", "game"))

    assert bounds("kakeya4") == bounds("kakeya6") == bounds("etori.simple") == (14, None)
    assert bounds("kakeya4.league") == bounds("kakeya6.league") == (14, 60 * 14)
    assert bounds("kakeya4", lead_protocol="decider", trump_fixed="C", hand_cap=2) == (13, 26)
    assert bounds("kakeya4", lead_protocol="decider", hand_cap=2) == (13, 28)
    assert bounds("kakeya6", lead_protocol="iku_koi", hand_cap=2) == (14, 28)
    assert bounds("etori.simple", hand_cap=60) == bounds("etori.simple6", hand_cap=60) == (14, 60 * 14)
    assert bounds("etori.simple6") == (14, None)
    assert bounds("etori.simple6", hand_cap=2, lead_protocol="decider") == (13, 26)
    assert bounds("etori.meiji") == (13, 12 * 13)
    assert bounds("etori.meiji", hands=3, trump_fixed="S") == (13, 39)
