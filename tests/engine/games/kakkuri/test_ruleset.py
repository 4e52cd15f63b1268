"""Presets and options.

Source: docs/rules/kakkuri.md#presets, #options.
"""

import pytest

from engine import Board, RulesetError
from engine.games.kakkuri import GAME
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from tests.engine.games.kakkuri.games import LEAGUE, PLAIN
from tests.refusals import refusal


def test_the_presets_of_the_rules():
    assert list(GAME.presets) == ["kakkuri", "kakkuri.league"]
    assert PLAIN.as_dict() == {
        "seats": 7,
        "stones": 20,
        "hands": 50,
        "bankruptcy": "debt",
        "fuwaru": True,
        "deal_pass": False,
        "first_dealer": "random",
        "court_order": "JQK",
        "wild_mode": "named",
        "wild_in_sansoku": False,
        "pass_penalty": False,
        "turn_forced": False,
        "dropped_pay": False,
        "box_empty": "free_lead",
    }
    assert LEAGUE.as_dict() == PLAIN.as_dict() | {"fuwaru": False}


def test_every_option_is_a_word_a_switch_or_a_number():
    assert set(PLAIN.as_dict()) == {*CHOICES, *SWITCHES, "seats", "stones", "hands"}
    for name, choices in CHOICES.items():
        assert getattr(PLAIN, name) == choices[0]


@pytest.mark.parametrize(
    ("option", "value", "fix"),
    [
        *(("seats", value, "from 2 to 8") for value in (1, 9, 7.0, "7", True, None)),
        *(("stones", value, "from 1 to 1000") for value in (0, 1001, True)),
        *(("hands", value, "from 1 to 100000") for value in (0, 100_001, None)),
        *((name, "other", "give one of") for name in CHOICES),
        *((name, None, "give one of") for name in CHOICES),
        *((name, value, "true or false") for name in SWITCHES for value in (1, "true", None)),
    ],
)
def test_an_impossible_value_is_refused_with_the_possible_ones(option, value, fix):
    with pytest.raises(RulesetError, match=f"'{option}' .*{fix}"):
        PLAIN.replace(**{option: value})


@pytest.mark.parametrize(
    "option", ["wild_in_triples", "sansoku_distinct", "utazu_beats_3c", "multi_turn", "lone", "min_players"]
)
def test_options_that_are_left_out_are_unknown(option):
    with pytest.raises(RulesetError, match=f"'{option}'.*: bankruptcy, "):
        GAME.ruleset("kakkuri", {option: True})


def test_reshuffling_the_box_is_left_out():
    with pytest.raises(RulesetError, match="free_lead, dead"):
        GAME.ruleset("kakkuri.league", {"box_empty": "reshuffle"})


@pytest.mark.parametrize("seats", range(2, 9))
def test_everybody_plays_alone(seats):
    ruleset = PLAIN.replace(seats=seats)
    assert GAME.seats(ruleset) == seats
    assert GAME.sides(ruleset) == tuple((seat,) for seat in range(1, seats + 1))
    assert GAME.starting_stones(ruleset) == 20


def test_a_ruleset_of_another_game_is_refused():
    class Other:
        preset = "bridge"

    for ask in (GAME.seats, GAME.sides, GAME.starting_stones, lambda r: GAME.start(r, Board("deal", 1, "x"))):
        assert "'bridge'" in str(refusal(RulesetError, ask, Other()))


@pytest.mark.parametrize("board", [Board("deal", 0, "x"), Board("match", 1, "x"), Board("game", -3, "x")])
def test_a_board_that_cannot_be_is_refused(board):
    assert "kakkuri" in str(refusal(RulesetError, GAME.start, PLAIN, board))
