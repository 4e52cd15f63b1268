"""The rule-based player does what a sensible human would, one position each. Spades trump, AC is Rensho."""

import json

import pytest

from tests.bots.asking import answer_to, house_bot, line_for, play_board, position

LOW_DIAMONDS = [f"{rank}D" for rank in "23456789T"]
LOW_CLUBS = [f"{rank}C" for rank in "23456789T"]


def played(hands, plays=()):
    state = position(hands, plays)
    return answer_to(house_bot("kakeya_rules"), line_for(state, state.to_act[0]))


def declared(hands):
    state = position({})
    observation = {**state.observe(1), "phase": "lead", "hand": hands, "legal": ["PREFER", "DEFER"]}
    line = json.dumps(
        {
            "type": "request",
            "id": "0" * 16,
            "phase": "lead",
            "legal": ["PREFER", "DEFER"],
            "observation": observation,
            "clock": {"bank_ms": 500, "increment_ms": 20},
        }
    )
    return answer_to(house_bot("kakeya_rules"), line)


def test_gives_its_partner_s_sure_trick_a_picture_without_overtaking():
    hands = {4: ["KH"], 1: ["2H"], 2: ["3H", "AH", "JH", "TH"], 3: ["9H"]}
    assert played(hands, ["9H", "KH", "2H"]) == "JH"


def test_gives_a_picture_to_a_partner_whose_rensho_cannot_be_beaten():
    hands = {3: ["5C"], 4: ["AC"], 1: ["6C"], 2: ["JC", "2C", "3C"]}
    assert played(hands, ["5C", "AC", "6C"]) == "JC"


def test_does_not_spend_a_trump_on_a_trick_its_partner_surely_wins():
    void = {2: ["2S", "KS", *LOW_DIAMONDS, "4C", "5C"], 3: ["9H"], 4: ["AH"], 1: ["2H"]}
    assert played(void, ["9H", "AH", "2H"])[1] != "S"


def test_discards_no_picture_on_a_trick_the_opponents_surely_win():
    hands = {3: ["AH"], 4: ["3H"], 1: ["4H"], 2: ["QD", "KC", "JC", *LOW_DIAMONDS, "3C"]}
    assert played(hands, ["AH", "3H", "4H"])[0] not in "AKQJ"


def test_cuts_pictures_with_its_cheapest_trump_in_fourth_hand():
    hands = {3: ["KH"], 4: ["2H"], 1: ["QH"], 2: ["3S", "9S", "AS", "AC", *LOW_DIAMONDS]}
    assert played(hands, ["KH", "2H", "QH"]) == "3S"


def test_takes_as_cheaply_as_it_can_in_fourth_hand():
    hands = {3: ["JH"], 4: ["2H"], 1: ["4H"], 2: ["3H", "QH", "AH"]}
    assert played(hands, ["JH", "2H", "4H"]) == "QH"


@pytest.mark.parametrize("treasure", ["AC", "AS"])
def test_keeps_rensho_and_the_ace_of_trumps_when_no_picture_is_in_reach(treasure):
    hands = {3: ["5H"], 4: ["2H"], 1: ["4H"], 2: [treasure, *LOW_DIAMONDS, "2C", "3C", "4C"]}
    assert played(hands, ["5H", "2H", "4H"]) != treasure


def test_plays_rensho_for_enough_pictures():
    hands = {3: ["KH"], 4: ["QH"], 1: ["AH"], 2: ["AC", *LOW_DIAMONDS, "2C", "3C", "4C"]}
    assert played(hands, ["KH", "QH", "AH"]) == "AC"


def test_stays_low_in_second_hand_when_it_cannot_win():
    hands = {3: ["AH"], 4: ["KH", "4H", "TH", *LOW_CLUBS, "JC"]}
    assert played(hands, ["AH"]) == "4H"


def test_wins_pictures_in_third_hand_as_cheaply_as_is_safe():
    hands = {3: ["2H"], 4: ["JH"], 1: ["QH", "AH", "3H"], 2: ["KH"]}
    assert played(hands, ["2H", "JH"]) == "AH"


def test_third_hand_takes_with_its_own_lower_equal():
    hands = {3: ["2H"], 4: ["JH"], 1: ["AH", "KH", "3H"]}
    assert played(hands, ["2H", "JH"]) in ("KH", "AH")


def test_leads_no_unprotected_picture():
    hands = {3: ["KH", "JD", "5H", "6H", "7D", "8D", "9D", "TC", "9C", "8C", "7C", "6C", "5C"]}
    assert played(hands)[0] not in "AKQJ"


def test_leads_a_short_suit_to_cut_later():
    hands = {3: ["4H", "2S", "3S", "4S", *LOW_DIAMONDS]}
    assert played(hands) == "4H"


def test_draws_trumps_when_it_holds_most_of_them():
    trumps = [f"{rank}S" for rank in "2346789TJQ"]
    assert played({3: [*trumps, "6H", "7H", "8H"]})[1] == "S"


def test_asks_to_lead_with_a_strong_hand_only():
    strong = ["AC", "AS", "KS", "QS", "TS", "AH", "AD", "2D", "3D", "4D", "5H", "6H", "7H"]
    weak = ["2S", "3H", "4H", "5H", "6H", "7H", "2D", "3D", "4D", "5D", "2C", "3C", "4C"]
    assert declared(strong) == "PREFER"
    assert declared(weak) == "DEFER"


def test_never_changes_trumps():
    bots = {seat: house_bot("kakeya_rules") for seat in (1, 2, 3, 4)}
    said, _ = play_board(bots, preset="kakeya4.league", kind="game")
    assert {answer for line, answer in said if json.loads(line)["phase"] == "trump"} == {"KEEP"}


def test_never_overtakes_a_partner_nobody_can_beat_while_it_has_another_card():
    bots = {seat: house_bot("kakeya_rules") for seat in (1, 2, 3, 4)}
    checked = 0
    for number in range(1, 25):
        for line, answer in play_board(bots, number=number, seed=f"overtaking-{number}")[0]:
            observation = json.loads(line)["observation"]
            trick = observation["trick"]
            if len(trick) < 3:
                continue
            powers = [power(card, observation, trick[0][1][1]) for _, card in trick]
            winner, _ = trick[powers.index(max(powers))]
            spare = [
                card
                for card in observation["legal"]
                if power(card, observation, trick[0][1][1]) < max(powers)
            ]
            if winner == observation["partner"] and spare:
                assert answer in spare
                checked += 1
    assert checked > 50


def power(card, observation, led):
    """Strength in a trick, written a second time on purpose: Rensho, trumps, the suit led, nothing."""
    rank = "23456789TJQKA".index(card[0]) + 1
    if card == observation["rensho"]:
        return 1000
    return rank + 100 * (card[1] == observation["trump"]) if card[1] in (observation["trump"], led) else 0
