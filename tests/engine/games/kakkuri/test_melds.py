"""What may be played on what.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku, T47-T64, T79.
"""

import pytest

from engine import IllegalAction, NotationError, RulesetError
from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.melds import meld_table
from engine.games.kakkuri.turns import FREE, RETURN
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE
from tests.engine.games.kakkuri.positions import board_with, melds, play_out, position
from tests.refusals import refusal

HAND = "6S 6H 9D JC QS KD"


def on(follow, hand, **conditions):
    """Melds of seat 1, which holds ``hand``, on this value."""
    return melds(position({1: hand, 2: HAND}, follow, **conditions))


def out(follow, hand, actions, **conditions):
    """How the deal ends when seat 1 plays ``actions`` from ``hand`` in one turn."""
    state = play_out(position({1: hand, 2: HAND}, follow, **conditions), actions)
    return state.happened_since(None)[-1].public["how"]


@pytest.mark.parametrize(
    ("follow", "hand", "expected"),
    [
        pytest.param(3, "4H 5D 9S KC 3S 7H", "4H@4", id="T47"),
        pytest.param(1, "AH 2S 3D", "AH@1 2S@2", id="T48"),
        pytest.param(2, "2H 3D 4S", "2H@2 3D@3", id="T49"),
        pytest.param(12, "AH 5D KS", "AH@1 5D@5 KS@12", id="T50"),
        pytest.param(9, "9H JD QS", "JD@10", id="T51"),
        pytest.param(5, "AC 7H QS", "AC@6", id="T52"),
        pytest.param(1, "AC 7H QS", "AC@1 AC@2", id="T53"),
    ],
)
def test_singles_follow_the_last_value(follow, hand, expected):
    assert on(follow, hand) == expected.split()


def test_T52_a_wild_card_leaves_its_named_value_to_follow():
    assert melds(position({1: "AC 7H QS", 2: HAND}, 5).apply(1, "AC@6")) == ["7H@7"]


def test_T54_of_four_of_a_kind_one_or_three():
    state = position({1: "7H 7D 7S 7C 8H KD", 2: HAND}, 6)
    singles = ["7S@7", "7H@7", "7D@7", "7C@7"]
    triples = ["7S+7H+7D@7", "7S+7H+7C@7", "7S+7D+7C@7", "7H+7D+7C@7"]
    assert melds(state) == singles + triples
    for triple in triples:
        assert melds(state.apply(1, triple)) == ["8H@8"]


def test_T55_a_wild_card_completes_a_triple():
    state = position({1: "7H 7D AC 9S", 2: HAND}, 6)
    assert melds(state) == ["7H@7", "7D@7", "AC@7", "7H+7D+AC@7"]
    after = state.apply(1, "7H+7D+AC@7")
    assert (after.observe(1)["hand"], after.observe(1)["follow"]) == (["9S"], 7)
    assert melds(after) == []
    refusal(NotationError, state.apply, 1, "7H+AC+7D@7")


@pytest.mark.parametrize("wild", ["AC", "2D"])
@pytest.mark.parametrize("value", [3, 7, 11, 12])
def test_T55_either_wild_card_makes_three_of_any_two(wild, value):
    rank = "A23456789JQK"[value - 1]
    assert on(value - 1, f"{rank}H {rank}C {wild}")[-1] == f"{rank}H+{rank}C+{wild}@{value}"
    assert on(12, f"{rank}H {rank}C {wild}")[-1] == f"{rank}H+{rank}C+{wild}@{value}"


def test_T55_its_second_half_is_of_an_option_that_is_left_out():
    """``wild_in_triples=false``: no source has that reading. Source: docs/rules/kakkuri.md#options, D33."""
    with pytest.raises(RulesetError, match="'wild_in_triples'"):
        KAKKURI.ruleset("kakkuri", {"wild_in_triples": False})


def test_T56_both_wild_cards_complete_a_triple():
    state = position({1: "2D AC 8S", 2: HAND}, 7)
    assert set(melds(state)) == {"8S@8", "2D@8", "AC@8", "8S+2D+AC@8"}
    over = state.apply(1, "8S+2D+AC@8")
    assert (over.to_act, over.happened_since(None)[-1].public["how"]) == ((), "guri")


def test_T57_after_a_triple_of_kings_anything_goes():
    hand = "KH KD KS KC 4H 5H"
    assert on(11, hand) == [
        *("KS@12", "KH@12", "KD@12", "KC@12"),
        *("KS+KH+KD@12", "KS+KH+KC@12", "KS+KD+KC@12", "KH+KD+KC@12"),
    ]
    after = position({1: hand, 2: HAND}, 11).apply(1, "KH+KD+KC@12")
    assert melds(after) == ["4H@4", "5H@5", "KS@12"]
    assert out(11, hand, "1:KH+KD+KC@12 1:KS@12 1:4H@4 1:5H@5") == "guri"


def test_T58_under_sansoku_only_pairs():
    assert on(4, "5H 5D 9S 9C KH KD", sansoku=(1,)) == ["5H+5D@5"]


def test_T59_undeclared_three_pairs_play_as_any_hand():
    assert set(on(4, "5H 5D 9S 9C KH KD")) == {"5D@5", "5H@5"}


def test_T60_under_sansoku_wild_cards_keep_their_printed_value():
    assert on(12, "AC AS 9S 9C KH KD", sansoku=(1,)) == ["AS+AC@1", "9S+9C@9", "KH+KD@12"]


@pytest.mark.parametrize(
    ("follow", "hand", "actions"),
    [
        pytest.param(3, "4H 5D 6S 7C 8H 9D", "4H@4 5D@5 6S@6 7C@7 8H@8 9D@9", id="T61"),
        pytest.param(10, "QH KS 3D 4C AC 6H", "QH@11 KS@12 3D@3 4C@4 AC@5 6H@6", id="T62"),
        pytest.param(12, "AH AS 2H 2C 3D 4S", "AH@1 AS@1 2H@2 2C@2 3D@3 4S@4", id="T63"),
        pytest.param(4, "5H 5D 6S 6C 7H 7D", "SANSOKU 5H+5D@5 6S+6C@6 7H+7D@7", id="sansoku"),
        pytest.param(4, "5H 5D AC 6S 6H 2D", "5H+5D+AC@5 6S+6H+2D@6", id="triples"),
    ],
)
def test_six_cards_in_one_turn_are_guri(follow, hand, actions):
    assert out(follow, hand, " ".join(f"1:{action}" for action in actions.split())) == "guri"


@pytest.mark.parametrize(("card", "follow"), [("AC", 1), ("2D", 2), ("TC", 10)])
def test_T64_a_wild_card_turned_up_is_plain(card, follow):
    card = card.replace("T", "J")
    hands = {1: "3S 4S 5S 6S 7S 8S", 2: "3H 4H 5H 6H 7H 8H"}
    state = KAKKURI.start(LEAGUE.replace(seats=2), board_with(hands, box=card))
    assert (state.observe(1)["turned"], state.observe(1)["follow"]) == ([card], follow)


def test_T79_a_wild_card_named_12_opens_everything():
    state = position({1: "AC 7H QS 2C", 2: HAND}, 11).apply(1, "AC@12")
    assert melds(state) == ["2C@2", "7H@7", "QS@11"]


def test_a_wild_card_on_12_may_be_anything():
    assert on(12, "AC 5S") == [
        *(f"AC@{value}" for value in range(1, 5)),
        *("5S@5", "AC@5"),
        *(f"AC@{value}" for value in range(6, 13)),
    ]


def test_melds_come_by_count_then_value_then_cards():
    """Cards as written: a wild card among singles stands where the pack has it, in a triple last."""
    assert on(12, "7C 7S 2D KS", options={"wild_mode": "named"}) == [
        *("2D@1", "2D@2", "2D@3", "2D@4", "2D@5", "2D@6"),
        *("7S@7", "2D@7", "7C@7", "2D@8", "2D@9", "2D@10", "2D@11", "KS@12", "2D@12"),
        "7S+7C+2D@7",
    ]


class TestReset:
    """``wild_mode=reset``.

    Source: docs/rules/kakkuri.md#what-may-follow, D30.
    """

    def test_a_wild_card_follows_anything_and_anything_follows_it(self):
        state = position({1: "AC 7H QS", 2: HAND}, 5, options={"wild_mode": "reset"})
        assert melds(state) == ["AC@12"]
        assert melds(state.apply(1, "AC@12")) == ["7H@7", "QS@11"]

    def test_in_a_triple_it_has_the_value_of_the_triple(self):
        state = position({1: "AC 6H 6D 7H", 2: HAND}, 5, options={"wild_mode": "reset"})
        assert melds(state) == ["6H@6", "6D@6", "AC@12", "6H+6D+AC@6"]
        assert melds(state.apply(1, "6H+6D+AC@6")) == ["7H@7"]

    def test_other_names_are_not_for_this_table(self):
        state = position({1: "AC 7H QS", 2: HAND}, 5, options={"wild_mode": "reset"})
        assert "options" in str(refusal(IllegalAction, state.apply, 1, "AC@6"))


def with_wilds(follow, hand, **options):
    """Seat 1 has declared sansoku with ``hand`` under ``wild_in_sansoku``."""
    return position({1: hand, 2: HAND}, follow, sansoku=(1,), options={"wild_in_sansoku": True, **options})


class TestWildCardsInSansoku:
    """``wild_in_sansoku``. Source: docs/rules/kakkuri.md#sansoku, D34; vectors T81-T83."""

    @pytest.mark.parametrize(
        "hand",
        [
            pytest.param("7H 7D 9S 9C KH AC", id="T81"),
            pytest.param("2D AC 5H 5S JC JD", id="T83"),
            pytest.param("2D AC 5H 6S JC JD", id="a-wild-for-each"),
            pytest.param("5H 5D 5S 5C KH 2D", id="four-of-a-kind"),
            pytest.param("5H 5D 5S AC KH KD", id="three-of-a-kind"),
            pytest.param("AH AC 9S 9C KH 2D", id="an-ace"),
            pytest.param("2H 2D 2S AC KH KD", id="twos"),
        ],
    )
    def test_T81_T83_hands_that_may_declare_with_it_alone(self, hand):
        state = position({1: hand, 2: HAND}, 7, options={"wild_in_sansoku": True})
        assert "SANSOKU" in state.legal(1)
        assert state.apply(1, "SANSOKU").observe(2)["sansoku"] == [1]
        with pytest.raises(IllegalAction, match="three pairs"):
            position({1: hand, 2: HAND}, 7).apply(1, "SANSOKU")

    @pytest.mark.parametrize(
        "hand",
        [
            "7H 7D 9S JC KH AC",
            "2D AC 5H 6S JC KD",
            "7H 7D 7S 9C KH KD",
            "4S 5H 6S 9C JC KD",
            "2D 7H 7D 9S JC KH",
        ],
    )
    def test_hands_with_too_many_cards_to_be_matched_may_not(self, hand):
        state = position({1: hand, 2: HAND}, 7, options={"wild_in_sansoku": True})
        assert "three pairs" in str(refusal(IllegalAction, state.apply, 1, "SANSOKU"))

    @pytest.mark.parametrize("hand", ["5H 5D 9S 9C KH KD", "5H 5D 5S 5C KH KD", "AC AS 2D 2S KH KD"])
    def test_hands_of_printed_pairs_may_as_ever(self, hand):
        for options in ({}, {"wild_in_sansoku": True}):
            assert "SANSOKU" in position({1: hand, 2: HAND}, 7, options=options).legal(1)

    def test_T82_the_rest_must_still_be_pairs(self):
        state = with_wilds(6, "7H 7D 9S 9C KH AC")
        assert melds(state) == ["7H+7D@7"]
        assert "cards left" in str(refusal(IllegalAction, state.apply, 1, "7H+AC@7"))
        assert "on 6 follows 7" in str(refusal(IllegalAction, state.apply, 1, "KH+AC@12"))
        assert "sansoku" in str(refusal(IllegalAction, state.apply, 1, "7H@7"))

    def test_T82_the_match_of_the_odd_card_is_played_in_its_turn(self):
        state = with_wilds(11, "7H 7D 9S 9C KH AC")
        assert melds(state) == ["KH+AC@12"]
        assert melds(state.apply(1, "KH+AC@12")) == ["7H+7D@7", "9S+9C@9"]

    def test_T83_both_wild_cards_are_one_pair_of_any_value(self):
        state = with_wilds(8, "2D AC 5H 5S JC JD")
        assert melds(state) == ["2D+AC@9"]
        assert melds(state.apply(1, "2D+AC@9")) == ["JD+JC@10"]

    def test_both_wild_cards_may_also_break_a_pair_in_two(self):
        state = with_wilds(4, "2D AC 5H 5S JC JD")
        assert melds(state) == ["5S+5H@5", "5S+2D@5", "5S+AC@5", "5H+2D@5", "5H+AC@5", "2D+AC@5"]

    def test_what_was_played_before_matches_no_card_any_more(self):
        options = {"wild_in_sansoku": True}
        state = position({1: "2D 5H JC JD", 2: HAND}, 9, before={1: "5S AC"}, sansoku=(1,), options=options)
        assert melds(state) == ["JD+JC@10"]
        assert "cards left" in str(refusal(IllegalAction, state.apply, 1, "JC+2D@10"))

    def test_an_ace_and_a_two_are_printed_pairs_and_may_be_named_too(self):
        """``AC`` with an ace and ``2D`` with a 2 are written as printed pairs, wild cards else last."""
        assert melds(with_wilds(12, "AH AC 2C 2D")) == ["AH+2D@1", "AH+AC@1", "2D+2C@2", "2C+AC@2"]
        assert melds(with_wilds(1, "2D AC")) == ["2D+AC@1", "2D+AC@2"]

    def test_without_it_wild_cards_are_plain_in_pairs(self):
        state = position({1: "AC AS 9S 9C KH KD", 2: HAND}, 8, sansoku=(1,))
        assert "options" in str(refusal(IllegalAction, state.apply, 1, "9S+AC@9"))

    def test_going_out_in_one_turn_is_guri(self):
        state = with_wilds(6, "7H 7D 8S AC 9H 2D")
        state = play_out(state, "1:7H+7D@7 1:8S+AC@8 1:9H+2D@9")
        assert (state.to_act, state.happened_since(None)[-1].public["how"]) == ((), "guri")

    @pytest.mark.parametrize("follow", [5, 12])
    def test_a_pair_is_followed_by_its_value_under_reset_too(self, follow):
        state = with_wilds(follow, "6H 6D KS AC 7S 7C", wild_mode="reset").apply(1, "6H+6D@6")
        assert melds(state) == ["7S+7C@7"]
        state = with_wilds(follow, "6H AC 7S 7C 9H 9D", wild_mode="reset").apply(1, "6H+AC@6")
        assert melds(state) == ["7S+7C@7"]
        with pytest.raises(IllegalAction, match="sansoku"):
            with_wilds(follow, "6H 6D KS AC", wild_mode="reset").apply(1, "AC@12")

    def test_queens_before_jacks_are_matched_by_their_own_values(self):
        assert melds(with_wilds(9, "QS AC JS 2D", court_order="QJK")) == ["QS+2D@10", "QS+AC@10"]

    def test_a_free_lead_is_any_pair(self):
        options = {"wild_in_sansoku": True}
        state = position(
            {1: "5H AC 9S 9C", 2: HAND}, 7, turn=RETURN | FREE, box="", sansoku=(1,), options=options
        )
        assert state.legal(1)[-2:] == ("5H+AC@5", "9S+9C@9")
        assert "cards left" in str(refusal(IllegalAction, state.apply, 1, "9S+AC@9"))


class TestQueenBeforeJack:
    """``court_order=QJK``.

    Source: docs/rules/kakkuri.md#options, D23.
    """

    def test_values_change_and_names_do_not(self):
        conditions = {"options": {"court_order": "QJK"}}
        assert on(9, "QS JS KS", **conditions) == ["QS@10"]
        assert on(10, "QS JS KS", **conditions) == ["JS@11"]
        assert on(11, "QS JS KS", **conditions) == ["KS@12"]
        assert on(12, "JS QS", **conditions) == ["QS@10", "JS@11"]


def test_every_meld_of_a_pack_is_there():
    """46 natural singles, 2 wild ones of 12 values, 4 pairs of aces..kings by 6, and the triples by value."""
    texts = meld_table("JQK", "named", wild_in_sansoku=False).by_text
    by_count = [sum(text.count("+") == plus for text in texts) for plus in range(3)]
    # Triples of 3..K: 4 natural, 6x2 with one wild, 4 with both. Of A and 2: 1 + 3x2 + 3.
    assert by_count == [46 + 2 * 12, 12 * 6, 10 * (4 + 12 + 4) + 2 * (1 + 6 + 3)]
    assert len(KAKKURI_PACK) == 48
    wilder = meld_table("JQK", "named", wild_in_sansoku=True).by_text
    more = wilder.keys() - texts.keys()
    # Each of 46 natural cards with each wild, printed pairs left out, and both wilds at each value.
    assert len(more) == 46 * 2 - 2 * 3 + 12
    assert all(wilder[text].is_pair for text in more)
    assert [text for text in wilder if text in texts] == list(texts)


@pytest.mark.parametrize(
    "text",
    [
        *("4H", "4H@5", "TH@10", "4H@04", "4h@4", " 4H@4", "4H@4 ", "4H@", "@4", "AC@0", "AC@13", "AC@+6"),
        *("7D+7H@7", "AC+7H@7", "AC+7H+7D@7", "7H+AC+2D@7", "7H+7H+7D@7", "7H+7D+7S@7", "7H+8H+9H@7"),
        *(
            "AC+AS@1",
            "AC+2D@2",
            "2C+2D@2",
            "2D+AS@1",
            "2D+AC@13",
            "7H+AC@8",
            "7S+7H+7D+7C@7",
            "pass",
            "PASS ",
            "",
            "QH@10 ",
            "5D+5H@5",
            "JS+QS+KS@11",
        ),
    ],
)
def test_no_second_spelling(text):
    assert "kakkuri" in str(refusal(NotationError, KAKKURI.parse_action, text))


@pytest.mark.parametrize("thing", [None, 4, ["4H@4"], b"4H@4"])
def test_what_is_no_text_is_no_action(thing):
    refusal(NotationError, KAKKURI.parse_action, thing)


@pytest.mark.parametrize(
    "text", ["4H@4", "AC@6", "7H+7D+AC@7", "8S+2D+AC@8", "AS+AC@1", "2D+2C@2", "JS@11", "7H+AC@7", "2D+AC@2"]
)
def test_one_spelling_is_read(text):
    assert KAKKURI.parse_action(text) == text
