"""The view of Kakkuri counts as a player would; where the engine knows the answer, it must agree."""

import random
import textwrap

import pytest

import bots.sdk
from bots.sdk import (
    KAKKURI_PACK,
    WILDS,
    KakkuriHand,
    Meld,
    card_values,
    next_values,
    parse_meld,
)
from bots.sdk.games import kakkuri
from engine import Board
from engine import cards as engine_cards
from tests.bots.asking import kakkuri_position, kakkuri_view, rules_of
from tests.referee.orders import play

OPTIONS = [
    {"seats": 2},
    {"seats": 3, "wild_mode": "reset"},
    {"seats": 5, "court_order": "QJK", "pass_penalty": True},
    {"seats": 7, "turn_forced": True},
    {"seats": 8, "box_empty": "dead", "dropped_pay": True},
    {"seats": 4, "wild_in_sansoku": True},
]
SIX = "4H 9D 7S 7H 2D KC"


def states(options, board):
    """Every state of a deal board in which somebody takes a turn, played by chance."""
    game, ruleset = rules_of("kakkuri.league", options)
    state = game.start(ruleset, Board("deal", board, f"view-{board}"))
    chance = random.Random(board)
    while state.to_act:
        yield state
        seat = state.to_act[0]
        state = state.apply(seat, chance.choice(state.legal(seat)))


def turns(options, boards=12):
    found = [state for board in range(1, boards + 1) for state in states(options, board)]
    assert len(found) > 100
    return found


def test_the_pack_is_the_engine_s():
    assert engine_cards.KAKKURI_PACK.cards == KAKKURI_PACK


def test_cards_have_values_and_the_court_can_be_exchanged():
    assert [card_values()[card] for card in ("AS", "9H", "JD", "QD", "KC")] == [1, 9, 10, 11, 12]
    assert [card_values("QJK")[card] for card in ("JD", "QD")] == [11, 10]


def test_a_meld_is_read():
    assert parse_meld("7H+7D+AC@7").cards == ("7H", "7D", "AC")
    assert parse_meld("AC@6").value == 6
    assert parse_meld("4H@4") == Meld("4H@4", ("4H",), 4)
    assert repr(parse_meld("4H@4")) == "Meld('4H@4')"


def test_what_may_follow():
    assert [next_values(value) for value in (1, 2, 5, 11)] == [(1, 2), (2, 3), (6,), (12,)]
    assert next_values(12) == tuple(range(1, 13))


def test_the_basic_fields():
    state = kakkuri_position({1: SIX, 2: "", 3: ""}, "6S 5S", "PASS PASS PASS")
    view = kakkuri_view(state)
    assert (view.seat, view.phase, view.follow, view.last, view.return_turn) == (1, "turn", 6, 1, True)
    assert set(view.hand) == set(SIX.split())
    assert view.words == ("TURN", "DROP")
    assert [meld.text for meld in view.melds] == ["7S@7", "7H@7", "2D@7", "7S+7H+2D@7"]
    assert view.by_value == {4: ("4H",), 7: ("7S", "7H"), 9: ("9D",), 12: ("KC",)}
    assert view.wilds == ("2D",)
    assert view.others == (2, 3)
    assert view.passed_at(2) == {6}
    assert not view.has_played(1)
    assert view.is_unbroken


def test_a_wild_is_a_plain_card_once_sansoku_is_declared():
    pairs = "AC AS 9S 9C KH KD"
    state = kakkuri_position({1: pairs, 2: ""}, "KS", "SANSOKU")
    view = kakkuri_view(state)
    assert view.has_declared
    assert view.wilds == ()
    assert view.by_value == {1: ("AS", "AC"), 9: ("9S", "9C"), 12: ("KH", "KD")}
    assert [meld.text for meld in view.melds] == ["AS+AC@1", "9S+9C@9", "KH+KD@12"]
    assert [meld.text for meld in view.longest()] == ["KH+KD@12", "AS+AC@1"]
    assert view.way_out() is None


def test_a_wild_stays_wild_in_sansoku_under_the_option():
    options = {"seats": 2, "wild_in_sansoku": True}
    state = kakkuri_position({1: "AC AS 9S 9C KH 2D", 2: ""}, "QS", "SANSOKU", options=options)
    view = kakkuri_view(state, options=options)
    assert view.has_declared
    assert view.is_wild_in_sansoku
    assert view.wilds == ("2D", "AC")
    assert view.by_value == {1: ("AS",), 9: ("9S", "9C"), 12: ("KH",)}
    assert [meld.text for meld in view.melds] == ["KH+2D@12", "KH+AC@12"]
    assert [meld.text for meld in view.longest()] == ["KH+2D@12", "9S+9C@9"]
    assert [meld.text for meld in view.way_out(11, ["KH", "AC", "9S", "9C"])] == ["KH+AC@12", "9S+9C@9"]


@pytest.mark.parametrize("wild_mode", ["named", "reset"])
def test_the_search_of_pairs_agrees_with_the_engine(wild_mode):
    """Hands of one or two wilds, declared, from every value: what may be played, and the most of it."""
    options = {"seats": 2, "wild_in_sansoku": True, "wild_mode": wild_mode}
    chance = random.Random(11)
    looked_at = 0
    for _ in range(60):
        pairs = [[rank + suit for suit in chance.sample("SHC", 2)] for rank in chance.sample("3456789JQK", 3)]
        hand = [card for pair in pairs for card in pair]
        for wild in chance.sample(("AC", "2D", chance.choice(("AS", "2S"))), 2):
            hand[chance.randrange(6)] = wild
        state = kakkuri_position(
            {1: " ".join(hand), 2: ""}, "KD" if "KD" not in hand else "KS", options=options
        )
        if state.to_act != (1,) or "SANSOKU" not in state.legal(1):
            continue
        view = kakkuri_view(state, options=options)
        search = view.sansoku_search
        assert search.is_pairs(search.key(view.hand))
        state = state.apply(1, "SANSOKU")
        view = kakkuri_view(state, options=options)
        assert view.melds_after(12) == view.melds
        assert sum(len(meld.cards) for meld in view.longest()) == longest_by_trial(state, 1)
        looked_at += 1
    assert looked_at > 20


def test_a_printed_pair_is_written_in_canonical_order_though_one_card_is_wild():
    search = KakkuriHand(is_sansoku=True, is_wild_in_sansoku=True)
    hand = ["AH", "AC", "2C", "2D"]
    assert [meld.text for meld in search.melds(hand, 12)] == ["AH+2D@1", "AH+AC@1", "2D+2C@2", "2C+AC@2"]
    assert [meld.text for meld in search.way_out(["2C", "2D"], 1)] == ["2D+2C@2"]


def test_pairs_are_searched_as_printed_whatever_else_the_hand_holds():
    search = KakkuriHand(is_sansoku=True)
    assert [meld.text for meld in search.melds(["5H", "5D", "2D", "2C", "9S"], 12)] == ["2D+2C@2", "5H+5D@5"]


def test_going_out_is_told_value_by_value():
    view = kakkuri_view(kakkuri_position({1: "4H 5D 6S 7C 8H 9D", 2: ""}, "3S"))
    assert [meld.text for meld in view.way_out()] == ["4H@4", "5D@5", "6S@6", "7C@7", "8H@8", "9D@9"]
    assert view.ways_out == {3, 12}
    assert view.way_out(5) is None
    assert view.way_out(3, ["4H", "6H"]) is None
    assert [meld.text for meld in view.way_out(3, ["4H", "AC", "6H"])] == ["4H@4", "AC@5", "6H@6"]


def test_the_longest_run_keeps_wilds_for_the_end():
    view = kakkuri_view(kakkuri_position({1: "4H 5D AC 8S JS QS", 2: ""}, "3S"))
    assert [meld.text for meld in view.longest()] == ["4H@4", "5D@5", "AC@6"]
    assert view.longest(5) == (parse_meld("AC@6"),)
    assert view.longest(12, ["9S"]) == (parse_meld("9S@9"),)
    assert view.longest(3, ["9S"]) == ()


def test_any_value_follows_a_wild_under_wild_mode_reset():
    options = {"seats": 2, "wild_mode": "reset"}
    view = kakkuri_view(
        kakkuri_position({1: "4H 9D AC 8S JS QS", 2: ""}, "5S", options=options), options=options
    )
    assert [meld.text for meld in view.melds] == ["AC@12"]
    assert [meld.text for meld in view.way_out(5, ["AC", "4H"])] == ["AC@12", "4H@4"]


def test_a_free_lead_follows_nothing():
    """The box of two seats has 36 cards: all are turned up, and nobody plays."""
    state = kakkuri_position({1: "", 2: ""}, "")
    while state.to_act and state.observe(state.to_act[0])["box_size"]:
        legal = state.legal(state.to_act[0])
        state = state.apply(state.to_act[0], "TURN" if "TURN" in legal else "PASS")
    while not kakkuri_view(state).is_free_lead:
        state = state.apply(state.to_act[0], "PASS")
    view = kakkuri_view(state)
    assert {meld.value for meld in view.melds} >= {view.values[card] for card in view.hand}
    assert view.to_follow == 12
    assert view.longest()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_view_agrees_with_the_engine(options):
    _, ruleset = rules_of("kakkuri.league", options)
    for state in turns(options):
        seat = state.to_act[0]
        view = kakkuri_view(state, seat, ruleset.as_dict())
        observations = {other: state.observe(other) for other in range(1, ruleset.seats + 1)}
        hidden = {card for other in view.others for card in observations[other]["hand"]}
        assert hidden <= view.unseen
        assert not view.unseen & {*view.hand, *view.observation["turned"]}
        folded = 6 * len(view.observation["dropped"])
        assert len(view.unseen) == len(hidden) + view.observation["box_size"] + folded
        assert sum(view.unseen_by_value.values()) + view.unseen_wilds == len(view.unseen)
        for other in view.others:
            assert view.cards_left(other) == len(observations[other]["hand"])
        if view.melds:
            assert view.melds_after(view.to_follow) == view.melds


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_way_out_goes_out_and_no_other_run_is_longer(options):
    """Every run the engine allows is tried."""
    _, ruleset = rules_of("kakkuri.league", options)
    found = 0
    for state in turns(options, boards=40)[::5]:
        view = kakkuri_view(state, options=ruleset.as_dict())
        if not view.melds:
            continue
        most = longest_by_trial(state, view.seat)
        assert sum(len(meld.cards) for meld in view.longest()) == most
        way = view.way_out()
        assert (way is not None) == (most == len(view.hand))
        if way:
            found += 1
            for meld in way:
                state = state.apply(view.seat, meld.text)
            assert not state.to_act
    assert found


def longest_by_trial(state, seat):
    """The most cards the engine lets this seat play in this turn."""
    held = len(state.observe(seat)["hand"])
    best = 0
    for action in state.legal(seat):
        if "@" in action:
            after = state.apply(seat, action)
            played = len(parse_meld(action).cards)
            best = max(best, played + (longest_by_trial(after, seat) if after.to_act else 0))
    assert best <= held
    return best


def test_the_search_agrees_with_trial_on_every_hand_with_wilds_and_kings():
    chance = random.Random(5)
    search = KakkuriHand()
    for _ in range(60):
        hand = ["AC", "2D", "KH", *chance.sample([c for c in KAKKURI_PACK if c not in (*WILDS, "KH")], 2)]
        for value in (1, 2, 7, 11, 12):
            assert search.most(search.key(hand), value) == most_by_trial(search, hand, value)


def most_by_trial(search, hand, value):
    return max(
        (
            len(meld.cards) + most_by_trial(search, [c for c in hand if c not in meld.cards], meld.value)
            for meld in search.melds(hand, value)
        ),
        default=0,
    )


@pytest.mark.parametrize(
    ("value", "hand", "melds"),
    [
        (3, "4H 5D 9S KC 3S 7H", "4H@4"),
        (1, "AH 2S 3D", "AH@1 2S@2"),
        (2, "2H 3D 4S", "2H@2 3D@3"),
        (12, "AH 5D KS", "AH@1 5D@5 KS@12"),
        (9, "9H JD QS", "JD@10"),
        (1, "AC 7H QS", "AC@1 AC@2"),
        (6, "7H 7D AC 9S", "7H@7 7D@7 AC@7 7H+7D+AC@7"),
        (7, "2D AC 8S", "8S@8 2D@8 AC@8 8S+2D+AC@8"),
    ],
)
def test_the_melds_are_those_of_the_rules_vectors_47_to_56(value, hand, melds):
    view = kakkuri_view(kakkuri_position({1: "", 2: ""}, "3S"))
    assert [meld.text for meld in view.melds_after(value, hand.split())] == melds.split()


def test_the_bot_of_the_docstring_plays_every_option_without_a_fault():
    code = textwrap.dedent(kakkuri.__doc__.split("::\n")[1].split("Values and wilds")[0])
    space = dict(vars(bots.sdk))
    exec(compile(code, "docstring", "exec"), space)
    for options in OPTIONS:
        speakers = {seat: space["Mine"]().reply_to for seat in range(1, options["seats"] + 1)}
        report, _ = play(speakers, preset="kakkuri", boards=6, options=options)
        assert {seat.verdict for seat in report.seats} == {"OK"}
