"""Meiji Etori. For its tricks see test_tricks.

Source: docs/rules/etori.md#meiji-etori, D21; docs/contracts.md#conditions-of-deal-boards, #record.
"""

import random

import pytest

from engine import Board
from engine.cards import KAKEYA_PACK, PICTURES
from engine.shuffle import Stream, stream_label
from tests.engine.games.kakeya.positions import KAKEYA, MEIJI, events_of, play_out, position
from tests.strategies import play, random_choice


@pytest.mark.parametrize("direction", ["right", "left"])
@pytest.mark.parametrize("number", range(1, 14))
def test_conditions_of_deal_boards(number, direction):
    state = KAKEYA.start(MEIJI.replace(direction=direction), Board("deal", number, "demo"))
    dealer = (number - 1) % 4 + 1
    leader = dealer % 4 + 1 if direction == "right" else (dealer - 2) % 4 + 1
    seen = state.observe(1)
    assert (seen["dealer"], seen["leaders"]) == (dealer, [leader])
    assert seen["dealers"] == ([1, 3] if dealer % 2 else [2, 4])
    assert (seen["trump"], seen["rensho"]) == ("CDH"[(number - 1) % 3], "AS")
    assert (state.phase, state.to_act, seen["declarations"], seen["proposals"]) == ("play", (leader,), {}, {})
    assert set(seen["stones"].values()) == {0}
    deck = state.deal.deck
    order = [leader]
    while len(order) < 4:
        order.append(order[-1] % 4 + 1 if direction == "right" else (order[-1] - 2) % 4 + 1)
    assert order[3] == dealer
    for place, seat in enumerate(order):
        assert sorted(state.observe(seat)["hand"]) == sorted(deck[place::4])


def game_of(seed=1, **options):
    ruleset = MEIJI.replace(**options)
    board = Board("game", 1, f"board {seed}")
    return play(KAKEYA, ruleset, board, random_choice(random.Random(seed))).last


@pytest.mark.parametrize(("direction", "step"), [("right", 1), ("left", -1)])
@pytest.mark.parametrize("seed", range(6))
def test_a_game_is_twelve_deals_the_dealer_moving_on_in_the_direction_of_play(seed, direction, step):
    deals = events_of(game_of(seed, direction=direction), "deal")
    first = 1 + Stream(stream_label("kakeya", f"board {seed}", 1, "dealer")).below(4)
    assert [deal["dealer"] for deal in deals] == [(first - 1 + n * step) % 4 + 1 for n in range(12)]
    assert all(deal["leaders"] == [(deal["dealer"] - 1 + step) % 4 + 1] for deal in deals)
    assert "".join(deal["trump"] for deal in deals) == "CDHCDHCDHCDH"


def test_trumps_may_be_the_suit_of_the_last_card_dealt():
    deals = events_of(game_of(meiji_trump="turn_last", hands=40), "deal")
    assert [deal["trump"] for deal in deals] == [deal["deck"][51][1] for deal in deals]
    assert {deal["trump"] for deal in deals} == set("SHDC")


def test_the_last_card_of_a_given_deck_counts_too():
    deck = KAKEYA_PACK.cards
    for turn in ("AS", "7D"):
        given = (*(card for card in deck if card != turn), turn)
        state = KAKEYA.start(MEIJI.replace(meiji_trump="turn_last"), Board("deal", 1, "x", (given,)))
        assert (state.observe(1)["trump"], state.observe(1)["rensho"]) == (turn[1], "AS")
        assert turn in state.observe(1)["hand"]


def test_trumps_may_be_drawn_from_the_seed():
    deals = events_of(game_of(7, meiji_trump="random", hands=40), "deal")
    streams = [Stream(stream_label("kakeya", "board 7", n, "trump")) for n in range(1, 41)]
    assert [deal["trump"] for deal in deals] == ["SHDC"[stream.below(4)] for stream in streams]
    assert {deal["trump"] for deal in deals} == set("SHDC")
    on_a_board = KAKEYA.start(MEIJI.replace(meiji_trump="random"), Board("deal", 9, "board 7"))
    assert on_a_board.observe(1)["trump"] == deals[0]["trump"]


def test_a_fixed_trump_goes_before_the_cycle():
    ruleset = MEIJI.replace(trump_fixed="S")
    assert {KAKEYA.start(ruleset, Board("deal", n, "x")).observe(1)["trump"] for n in range(1, 7)} == {"S"}
    assert {deal["trump"] for deal in events_of(game_of(trump_fixed="S"), "deal")} == {"S"}


def ended(pictures, ruleset=MEIJI, **conditions):
    """1&3 take this many pictures, the last one with the last trick."""
    rest = sorted(PICTURES - {"KD"})
    captured = (" ".join(rest[: pictures - 1]), " ".join(rest[pictures - 1 :]))
    before = position(
        "C", {1: "KD", 2: "2D", 3: "3D", 4: "4D"}, ruleset=ruleset, captured=captured, **conditions
    )
    return play_out(before, "1:KD 2:2D 3:3D 4:4D")


@pytest.mark.parametrize(
    ("score", "pictures", "points", "winner"),
    [
        ("win1", 9, 1, [1, 3]),
        ("win1", 16, 1, [1, 3]),
        ("win1", 8, 0, []),
        ("win1", 3, -1, [2, 4]),
        ("difference", 11, 3, [1, 3]),
        ("difference", 8, 0, []),
        ("difference", 5, -3, [2, 4]),
    ],
)
def test_what_a_deal_is_worth(score, pictures, points, winner):
    state = ended(pictures, MEIJI.replace(meiji_score=score))
    (end,) = events_of(state, "deal_end")
    assert end["category"] is None
    assert end["winner"] == winner
    assert end["pictures"] == {"1": pictures, "2": 16 - pictures}
    assert end["stones"] == {"1": points, "2": -points, "3": points, "4": -points}
    assert state.outcome().stones == {1: points, 2: -points, 3: points, 4: -points}


def test_scored_as_kakeya_the_category_is_told_and_eight_each_is_won():
    (end,) = events_of(ended(8, MEIJI.replace(meiji_score="kakeya")), "deal_end")
    holder = next(s for s in (1, 2, 3, 4) if "AS" in KAKEYA_PACK.listed(ended(8).deal.hands[s]))
    assert end["winner"] == ([2, 4] if holder in (1, 3) else [1, 3])
    assert end["category"] in ("N", "O", "R")


def test_points_may_fall_below_nothing_and_do_not_end_a_game():
    state = ended(3, kind="game", number=5, stones=(-4, 4))
    assert state.observe(1)["stones"] == {"1": -5, "2": 5, "3": -5, "4": 5}
    assert (state.phase, state.observe(1)["deal"]) == ("play", 6)


@pytest.mark.parametrize("stones", [(1, -1), (0, 0), (-3, 3)])
def test_the_last_deal_ends_a_game_and_equal_points_are_a_draw(stones):
    state = ended(3, kind="game", number=12, stones=stones)
    assert state.to_act == ()
    assert state.outcome().stones == {1: stones[0] - 1, 2: stones[1] + 1, 3: stones[0] - 1, 4: stones[1] + 1}


def test_after_eight_each_the_deal_moves_on_like_after_any_other():
    state = ended(8, kind="game", number=3)
    seen = state.observe(1)
    assert (seen["deal"], seen["dealer"], seen["leaders"], seen["trump"]) == (4, 3, [4], "C")
    assert set(seen["stones"].values()) == {0}
