"""Simplified Etori.

Source: docs/rules/etori.md#simplified-etori, #aces-remaining-in-hand, D14, D18-D20, T41-T43;
docs/contracts.md#conditions-of-deal-boards, #record.
"""

import random
from itertools import pairwise

import pytest

from engine import Board
from engine.cards import KAKEYA_PACK, PICTURES
from engine.shuffle import Stream, stream_label
from tests.engine.games.kakeya.positions import KAKEYA, SIMPLE, deck_for, events_of, play_out, position
from tests.strategies import play, random_choice

BOARDS = {  # number: dealers, dealer, decider, its partner
    1: ([2, 4], 2, 1, 3),
    2: ([1, 3], 1, 4, 2),
    3: ([2, 4], 4, 3, 1),
    4: ([1, 3], 3, 2, 4),
    5: ([2, 4], 2, 1, 3),
}


@pytest.mark.parametrize("number", BOARDS)
def test_conditions_of_deal_boards(number):
    dealers, dealer, decider, partner = BOARDS[number]
    state = KAKEYA.start(SIMPLE, Board("deal", number, "demo"))
    seen = state.observe(1)
    assert (seen["dealers"], seen["dealer"], seen["trump"], seen["rensho"]) == (dealers, dealer, "S", "AC")
    assert seen["leaders"] == sorted((decider, partner))
    assert (seen["direction"], seen["active"]) == ("left", [1, 2, 3, 4])
    assert (state.phase, state.to_act) == ("lead", tuple(sorted((decider, partner))))
    assert play_out(state, f"{decider}:DEFER {partner}:DEFER").to_act == (decider,)
    assert play_out(state, f"{decider}:DEFER {partner}:PREFER").to_act == (partner,)
    deal = events_of(state, "deal")[0]
    assert {name: deal[name] for name in ("dealers", "dealer")} == {"dealers": dealers, "dealer": dealer}


@pytest.mark.parametrize(
    ("direction", "order"), [("left", (1, 4, 3, 2)), ("right", (3, 4, 1, 2))], ids=["left", "right"]
)
def test_cards_go_round_from_the_seat_next_to_the_dealer(direction, order):
    state = KAKEYA.start(SIMPLE.replace(direction=direction), Board("deal", 1, "demo"))
    for place, seat in enumerate(order):
        assert sorted(state.observe(seat)["hand"]) == sorted(state.deal.deck[place::4])
    assert state.deal.decider == order[0]


@pytest.mark.parametrize("seed", [f"board {n}" for n in range(12)])
def test_the_first_dealer_of_a_game_is_drawn_and_nobody_is_asked_for_trumps(seed):
    state = KAKEYA.start(SIMPLE, Board("game", 1, seed))
    dealer = 1 + Stream(stream_label("kakeya", seed, 1, "dealer")).below(4)
    assert (state.phase, state.observe(1)["dealer"], state.observe(1)["trump"]) == ("lead", dealer, "S")


def test_every_seat_may_be_drawn():
    boards = [Board("game", 1, str(seed)) for seed in range(40)]
    assert {KAKEYA.start(SIMPLE, board).observe(1)["dealer"] for board in boards} == {1, 2, 3, 4}


def dealers_and_losers(ruleset, seed):
    ruleset = ruleset.replace(hand_cap=10, stones=30)
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    deals, ends = events_of(game.last, "deal"), events_of(game.last, "deal_end")
    assert len(deals) == 10
    losers = [[int(seat) for seat, won in end["stones"].items() if won < 0] for end in ends]
    return [deal["dealer"] for deal in deals], losers, deals


@pytest.mark.parametrize("seed", range(10))
def test_losers_deal_in_turn_lower_seat_first_the_drawn_dealer_counting(seed):
    dealers, losers, deals = dealers_and_losers(SIMPLE, seed)
    for pair in ([1, 3], [2, 4]):
        turns = [seat for seat in dealers if seat in pair]
        first = pair.index(turns[0]) if turns else 0
        assert first == 0 or turns[0] == dealers[0]
        assert turns == [pair[(first + n) % 2] for n in range(len(turns))]
    for dealer, losing, deal in zip(dealers[1:], losers, deals[1:], strict=False):
        assert dealer in losing
        assert deal["dealers"] == losing
        assert deal["leaders"] == [seat for seat in (1, 2, 3, 4) if seat not in losing]


@pytest.mark.parametrize("direction", ["left", "right"])
def test_or_the_deal_passes_to_the_left_whoever_loses(direction):
    dealers, _, deals = dealers_and_losers(SIMPLE.replace(dealer_rotation="left", direction=direction), 3)
    assert all(following == (dealer - 2) % 4 + 1 for dealer, following in pairwise(dealers))
    assert all(deal["dealer"] in deal["dealers"] for deal in deals)


def test_T41_the_deal_ends_with_the_trick_of_the_sixteenth_picture():
    low, high = list("23456789T"), list("JQKA")
    suits = {1: "S", 4: "H", 3: "D", 2: "C"}
    hands = {seat: [rank + suit for rank in low + high] for seat, suit in suits.items()}
    deck = deck_for(hands, (1, 4, 3, 2))
    lengths = {}
    for early_stop in (True, False):
        ruleset = SIMPLE.replace(lead_protocol="decider", early_stop=early_stop)
        state = KAKEYA.start(ruleset, Board("deal", 1, "x", (deck,)))
        plays = [(seat, rank) for rank in [*low[:7], *high] for seat in (1, 4, 3, 2)]
        for seat, rank in plays:
            state = state.apply(seat, rank + suits[seat])
        lengths[early_stop] = (
            len(events_of(state, "trick")),
            len(events_of(state, "deal_end")),
            state.to_act,
        )
    assert lengths == {True: (11, 1, ()), False: (11, 0, (2,))}


def test_hands_left_by_an_early_stop_are_told_to_nobody():
    state = position(
        "S",
        {1: "2S JH", 4: "3S 4H", 3: "4S 5H", 2: "5S 6H"},
        ruleset=SIMPLE,
        captured=("", " ".join(PICTURES - {"JH"})),
    )
    before = state
    state = play_out(state, "1:JH 4:4H 3:5H 2:6H")
    assert state.to_act == ()
    assert [state.observe(seat)["hand"] for seat in (1, 2, 3, 4)] == [["2S"], ["5S"], ["4S"], ["3S"]]
    for seat in (1, 2, 3, 4):
        assert "2S" not in str(state.events_since(before, seat))
    assert events_of(state, "deal_end", before)[0]["pictures"] == {"1": 1, "2": 15}


def test_nine_pictures_do_not_stop_a_deal():
    state = position(
        "S",
        {1: "2S JH", 4: "3S 4H", 3: "4S 5H", 2: "5S 6H"},
        ruleset=SIMPLE,
        captured=("", " ".join(sorted(PICTURES)[:12])),
    )
    assert play_out(state, "1:JH 4:4H 3:5H 2:6H").to_act == (1,)


def won_by_2_and_4(pictures, **conditions):
    """2&4, dealt the ace of trumps, take the last picture and have this many."""
    rest = sorted(PICTURES - {"AD"})
    before = position(
        "S",
        {1: "2D", 2: "TD", 3: "3D", 4: "AD"},
        captured=(" ".join(rest[pictures - 1 :]), " ".join(rest[: pictures - 1])),
        **{"ruleset": SIMPLE} | conditions,
    )
    assert "AS" in KAKEYA_PACK.listed(before.deal.hands[2])
    return play_out(before, "1:2D 4:AD 3:3D 2:TD")


@pytest.mark.parametrize(("timing", "category", "due"), [("dealt", "R", 1), ("remaining", None, 4)])
def test_T42_aces_dealt_or_remaining(timing, category, due):
    (end,) = events_of(won_by_2_and_4(10, ruleset=SIMPLE.replace(aces_timing=timing)), "deal_end")
    assert (end["pictures"], end["category"]) == ({"1": 6, "2": 10}, category)
    assert end["stones"] == {"1": -due, "2": due, "3": -due, "4": due}


def test_T43_losers_pay_what_they_have_and_the_game_is_over():
    state = won_by_2_and_4(12, stones=(1, 9), kind="game")
    assert state.to_act == ()
    assert state.observe(1)["stones"] == {"1": 0, "2": 10, "3": 0, "4": 10}
    assert events_of(state, "deal_end")[0]["stones"] == {"1": -1, "2": 1, "3": -1, "4": 1}
    assert state.outcome().stones == {1: -5, 2: 5, 3: -5, 4: 5}


def test_with_debt_they_pay_all():
    state = won_by_2_and_4(12, stones=(1, 9), kind="game", ruleset=SIMPLE.replace(debt=True))
    assert state.observe(1)["stones"] == {"1": -1, "2": 11, "3": -1, "4": 11}
    assert state.to_act == ()


def test_who_can_pay_pays_all_without_debt_too():
    state = won_by_2_and_4(12, stones=(3, 7), kind="game")
    assert state.observe(1)["stones"] == {"1": 1, "2": 9, "3": 1, "4": 9}
    assert (state.phase, state.observe(1)["deal"]) == ("lead", 2)


@pytest.mark.parametrize("seed", range(12))
def test_where_no_ace_can_remain_the_winner_is_two_deals_ahead(seed):
    """Stones go 5-5, 9-1 and then 10-0 or back to 5-5.

    Source: docs/rules/etori.md#simplified-etori.
    """
    ruleset = SIMPLE.replace(aces_timing="remaining")
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    won = [deal[1] for deal in game.last.outcome().deals]
    stones = [5 + sum(won[:n]) for n in range(len(won) + 1)]
    assert set(stones[:-1:2]) == {5}
    assert set(stones[1:-1:2]) <= {1, 9}
    assert stones[-1] in (0, 10)
