"""The rule-based player does what a sensible human would, one position each. Spades trump, AC is Rensho."""

import json

import pytest

from engine import Board
from tests.bots.asking import answer_to, deck_with, house_bot, line_for, play_board, position, rules_of

LOW_DIAMONDS = [f"{rank}D" for rank in "23456789T"]
LOW_CLUBS = [f"{rank}C" for rank in "23456789T"]


def played(hands, plays=()):
    state = position(hands, plays)
    return answer_to(house_bot("kakeya_rules"), line_for(state, state.to_act[0]))


def declared(hand):
    """What seat 3 says with this hand when it is asked about the lead."""
    game, ruleset = rules_of("kakeya4")
    state = game.start(ruleset, Board("deal", 1, "seed", (deck_with({3: hand}),)))
    return answer_to(house_bot("kakeya_rules"), line_for(state, 3))


NOTHING = [*LOW_DIAMONDS, "2C", "3C", "4C"]
POSITIONS = {
    "gives its partner's sure trick a picture without overtaking": (
        "9H KH 2H", ["3H", "AH", "JH", "TH"], ["JH"]),
    "gives a picture to a partner whose rensho cannot be beaten": ("5C AC 6C", ["JC", "2C", "3C"], ["JC"]),
    "cuts pictures with its cheapest trump in fourth hand": (
        "KH 2H QH", ["3S", "9S", "AS", "AC", *LOW_DIAMONDS], ["3S"]),
    "takes as cheaply as it can in fourth hand": ("JH 2H 4H", ["3H", "QH", "AH"], ["QH"]),
    "plays rensho for enough pictures": ("KH QH AH", ["AC", *NOTHING], ["AC"]),
    "spends no trump on a trick its partner surely wins": (
        "9H AH 2H", ["2S", "KS", *LOW_DIAMONDS, "4C", "5C"], [*LOW_DIAMONDS, "4C", "5C"]),
    "discards no picture on a trick the opponents surely win": (
        "AH 3H 4H", ["QD", "KC", "JC", *LOW_DIAMONDS, "3C"], [*LOW_DIAMONDS, "3C"]),
    "keeps rensho when no picture is in reach": ("5H 2H 4H", ["AC", *NOTHING], NOTHING),
    "keeps the ace of trumps when no picture is in reach": ("5H 2H 4H", ["AS", *NOTHING], NOTHING),
    "stays low in second hand when it cannot win": ("AH", ["KH", "4H", "TH", *LOW_CLUBS, "JC"], ["4H"]),
    "wins pictures in third hand as cheaply as is safe": ("2H JH", ["QH", "AH", "3H"], ["AH"]),
    "takes in third hand with its own lower equal": ("2H JH", ["AH", "KH", "3H"], ["KH", "AH"]),
    "leads a short suit to cut later": ("", ["4H", "2S", "3S", "4S", *LOW_DIAMONDS], ["4H"]),
    "leads no unprotected picture": (
        "", ["KH", "JD", "5H", "6H", "7D", "8D", "9D", "TC", "9C", "8C", "7C", "6C", "5C"],
        ["5H", "6H", "7D", "8D", "9D", "TC", "9C", "8C", "7C", "6C", "5C"]),
    "draws trumps when it holds most of them": (
        "", [*(f"{rank}S" for rank in "2346789TJQ"), "6H", "7H", "8H"],
        [f"{rank}S" for rank in "2346789TJQ"]),
}  # fmt: skip
"""The cards played so far, which seat 3 leads, the hand of the next seat, and what it may then play."""


@pytest.mark.parametrize(("plays", "hand", "sensible"), POSITIONS.values(), ids=POSITIONS)
def test_plays_sensibly(plays, hand, sensible):
    plays = plays.split()
    hands = {seat: [card] for seat, card in zip((3, 4, 1, 2), plays, strict=False)}
    assert played({**hands, (3, 4, 1, 2)[len(plays)]: hand}, plays) in sensible


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
