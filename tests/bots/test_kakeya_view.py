"""The view counts as a player would; where the engine knows the answer, it must agree."""

from bots.sdk import PACK, PICTURES, is_picture, rank_of, sorted_cards, suit_of
from engine import cards as engine_cards
from tests.bots.asking import position, view_for

HANDS = {3: ["KH", "2C"], 4: ["9H", "AS", "4D"], 1: ["AH", "3S"], 2: ["2H", "AC", "QC"]}


def test_the_pack_is_the_engine_s():
    assert engine_cards.KAKEYA_PACK.cards == PACK
    assert PICTURES == engine_cards.PICTURES


def test_cards_are_read():
    assert (suit_of("TD"), rank_of("TD"), rank_of("2S"), rank_of("AC")) == ("D", 10, 2, 14)
    assert is_picture("JS")
    assert not is_picture("TS")
    assert sorted_cards({"2C", "AS", "2S"}) == ["2S", "AS", "2C"]


def test_the_basic_fields():
    state = position(HANDS, ["KH", "9H"])
    view = view_for(state, 1)
    assert (view.seat, view.partner, view.opponents) == (1, 3, (2, 4))
    assert (view.phase, view.trump, view.rensho) == ("play", "S", "AC")
    assert view.trick == ((3, "KH"), (4, "9H"))
    assert view.led == "H"
    assert view.winning == (3, "KH")
    assert view.still_to_play == (2,)
    assert view.hand == tuple(state.observe(1)["hand"])
    assert view.legal == state.legal(1)
    assert view.pictures_on_table == 1


def test_the_leader_sees_an_empty_table():
    view = view_for(position(HANDS), 3)
    assert (view.trick, view.led, view.winning) == ((), None, None)
    assert view.still_to_play == (4, 1, 2)
    assert view.would_win("2C")


def test_a_card_that_would_win_is_told_from_one_that_would_not():
    view = view_for(position(HANDS, ["KH", "9H"]), 1)
    assert view.would_win("AH")
    assert not view.would_win("3H")
    assert view.would_win("2S")
    assert view.would_win("AC")
    assert not view.would_win("AD")


def test_beating_counts_unseen_cards_only():
    view = view_for(position(HANDS, ["KH", "9H"]), 1)
    assert "AH" not in view.beating("KH")
    beating_king = view.beating("KH")
    assert "AC" in beating_king
    assert {card for card in beating_king if card[1] == "H"} == set()
    assert view.beating("AC") == frozenset()
    assert "AH" in view_for(position(HANDS, ["KH"]), 4).beating("KH")


def test_a_seat_that_did_not_follow_is_known_void():
    hands = {3: ["KH"], 4: ["AS"], 1: ["AH"], 2: [f"{rank}C" for rank in "23456789TJQKA"]}
    view = view_for(position(hands, ["KH", position(hands, ["KH"]).legal(4)[0], "AH", "2C"]), 1)
    assert view.voids[2] == {"H"}
