"""What Kakkuri's house bots do in known positions, and why. Seat 1 deals and is the first to act."""

import random

import pytest

from bots.house.kakkuri_rules.main import HandPlan, Opponents, worth_by_action
from bots.sdk import KAKKURI_PACK, KakkuriHand
from engine import Board
from tests.bots.asking import (
    answer_to,
    hello_for,
    house_bot,
    kakkuri_position,
    kakkuri_view,
    line_for,
    rules_of,
)

RUN = "4H 5D 6S 7C 8H 9D"
WEAK = "3H 3D 6S 8S JD JS"


def table_of(seats, hand):
    return {seat: hand if seat == 1 else "" for seat in range(1, seats + 1)}


def answer(name, state, options=None):
    seat = state.to_act[0]
    bot = house_bot(name)
    _, ruleset = rules_of("kakkuri.league", {"seats": state.observe(seat)["seats"], **(options or {})})
    bot.reply_to(hello_for("kakkuri.league", seat, ruleset.as_dict()))
    return answer_to(bot, line_for(state, seat))


FULL = "4H 4D 5S 5C 6H 6D"
WILD = "4H 4D 5S AC 6H 6D"
PASSES = "PASS PASS PASS"
POSITIONS = {
    "begins the run of most cards: all of a value": ("greedy 3", "4H 6S 7H 7D 7C 9S", "6D", {}, "7H+7D+7C@7"),
    "begins the run of most cards: from an ace": ("greedy 3", "AH 2S 3D 8H JS QS", "AD", {}, "AH@1"),
    "begins the run of most cards: a king": ("greedy 3", "5H 6D 9S JD KC KS", "KH", {}, "KS@12"),
    "begins the run of most cards: up to a wild": ("greedy 3", "4H 9S AC JD QS KS", "3S", {}, "4H@4"),
    "passes when nothing fits": ("greedy 3", "4H 9S JD QS KS KD", "6S", {}, "PASS"),
    "turns up a card when the turn comes back": ("greedy 3", "4H 9S JD QS KS KD", f"6S {PASSES}", {}, "TURN"),
    "spends a wild to play one card more": ("greedy 3", "4H AC 9S JD QS KS", "2S", {}, "AC@3 AC@2"),
    "does not declare": ("greedy 5", FULL, "3S", {}, "4H@4 4D@4"),
    "does not drop": ("greedy 7", WEAK, "4S", {}, "PASS"),
    "goes out when it can": ("rules 5", RUN, "3S", {}, "4H@4"),
    "goes on until it is out": ("rules 5", RUN, "3S 4H@4 5D@5 6S@6", {}, "7C@7"),
    # A run that needs a 3 to follow: a 5 played now would break it for one stone a seat instead of two.
    "keeps an unbroken hand for guri": ("rules 5", RUN, "4S", {}, "PASS"),
    "turns up a card rather than break it": ("rules 5", RUN, f"4S {PASSES} PASS PASS", {}, "TURN"),
    "plays what keeps its hand from going out": ("rules 5", "4H 5D 6S 7C 8H JD", "9S", {}, "JD@10"),
    "keeps its wild for the gap": ("rules 5", "4H AC 6S 9C QH KD", "3S", {}, "4H@4"),
    "keeps two wilds that make many ways out": ("rules 7", "4H AC 2D 9C QH KD", "3S", {}, "PASS"),
    "declares when pairs go out and singles do not": ("rules 5", FULL, "3S", {}, "SANSOKU"),
    # After a jack the wild is a queen, both kings follow, and then anything.
    "does not declare pairs that singles beat": ("rules 5", "AC AS 9S 9C KH KD", "JS", {}, "AC@11"),
    "does not declare with a wild": ("rules 5", WILD, "3S", {}, "4H@4 4D@4 PASS"),
    "declares with a wild in sansoku": ("rules 5", WILD, "3S", {"wild_in_sansoku": True}, "SANSOKU"),
    "plays a wild in sansoku": (
        "rules 5", WILD, "3S SANSOKU 4H+4D@4", {"wild_in_sansoku": True}, "5S+AC@5"),
    "drops a hand worth less than a stone": ("rules 7", WEAK, "4S", {}, "DROP"),
    "does not drop where it pays for guri too": ("rules 7", WEAK, "4S", {"dropped_pay": True}, "PASS"),
    "does not drop against one player": ("rules 2", WEAK, "4S", {}, "PASS"),
    "does not drop a better hand": ("rules 5", "3H 5D 7S 9C JH JD", "3S", {}, "PASS"),
    "drops it where a pass costs": ("rules 5", "3H 5D 7S 9C JH JD", "3S", {"pass_penalty": True}, "DROP"),
}  # fmt: skip
"""Bot and number of seats, the hand of seat 1, the start card and what was done, options, answers."""


@pytest.mark.parametrize(("who", "hand", "played", "options", "answers"), POSITIONS.values(), ids=POSITIONS)
def test_plays_sensibly(who, hand, played, options, answers):
    name, seats = who.split()
    start, _, actions = played.partition(" ")
    state = kakkuri_position(table_of(int(seats), hand), start, actions, options=options)
    assert answer(f"kakkuri_{name}", state, options) in answers.split()


def test_two_wilds_have_many_ways_out():
    assert len(kakkuri_view(kakkuri_position(table_of(7, "4H AC 2D 9C QH KD"), "3S")).ways_out) >= 3


def test_rules_leaves_a_value_that_nobody_can_follow_rather_than_one_that_many_can():
    """Both are its last two cards; with every 7 gone, playing up to 6 means that the turn comes back."""
    state = kakkuri_position(table_of(3, "6H 9D"), "KS")
    view = kakkuri_view(state)
    table = Opponents(view)
    followed = {value: 1 - table.outlook(value, is_last=True).back for value in (1, 6, 11, 12)}
    assert followed[6] < followed[1] < followed[12]
    assert followed[12] > 0.9


def test_rules_counts_on_a_pass_to_show_what_a_seat_lacks():
    """Seat 2 has passed on a 6 before, so it is less likely to follow one now."""
    hands = table_of(2, "4H 9D JS QS KS KD")
    before = Opponents(kakkuri_view(kakkuri_position(hands, "6S")))
    after = Opponents(kakkuri_view(kakkuri_position(hands, "6S", "PASS PASS")))
    assert after.outlook(6, is_last=True).back > before.outlook(6, is_last=True).back


def test_rules_swaps_nothing_and_deals_when_asked():
    game, ruleset = rules_of("kakkuri", {"deal_pass": True, "hands": 3})
    state = game.start(ruleset, Board("game", 1, "words"))
    said = {}
    while state.to_act:
        seat = state.to_act[0]
        action = answer_to(house_bot("kakkuri_rules"), line_for(state, seat))
        said.setdefault(state.phase, set()).add(action)
        state = state.apply(seat, action)
    assert said["fuwaru"] == {"KEEP"}
    assert said["deal"] == {"DEAL"}


def test_no_action_is_left_without_a_worth():
    chance = random.Random(8)
    for _ in range(150):
        cards = chance.sample(KAKKURI_PACK, 7)
        seats = chance.randint(2, 7)
        state = kakkuri_position(table_of(seats, " ".join(cards[:6])), cards[6])
        if state.to_act:
            assert worth_by_action(kakkuri_view(state)).keys() == set(state.legal(state.to_act[0]))


class Counting(KakkuriHand):
    """Counts how often it is asked what a hand can do."""

    def __init__(self):
        super().__init__()
        self.asked = 0

    def steps(self, key, value):
        self.asked += 1
        return super().steps(key, value)


def test_the_search_of_any_hand_is_bounded():
    """64 hands at most that can be left, 12 values; a few are asked for now and for later."""
    chance = random.Random(9)
    rest = [card for card in KAKKURI_PACK if card not in ("AC", "2D")]
    for number in range(60):
        kings = chance.sample([card for card in rest if card[0] == "K"], number % 4)
        others = chance.sample([card for card in rest if card[0] != "K"], 4 - len(kings))
        hand = ["AC", "2D", *kings, *others]
        start = next(card for card in rest if card[0] == "Q" and card not in hand)
        state = kakkuri_position(table_of(7, " ".join(hand)), start)
        if state.to_act != (1,):
            continue
        view = kakkuri_view(state)
        search = Counting()
        plan = HandPlan(Opponents(view), search)
        for follow in range(1, 13):
            plan.passed(follow)
            plan.moved(follow)
        assert search.asked <= 3 * 64 * 12
