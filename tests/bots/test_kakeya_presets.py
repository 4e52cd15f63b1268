"""The view and the house bots where six sit down, play goes to the left, or Rensho may come at any time."""

import itertools
import random

import pytest

from bots.house.kakeya_rules.main import Odds
from bots.sdk import PACK, PICTURES
from engine import Board, all_games
from tests.bots.asking import (
    answer_to,
    deck_with,
    house_bot,
    line_for,
    position,
    request_for,
    rules_of,
    view_for,
)

RULES = [
    ("kakeya4", {}),
    ("kakeya4", {"direction": "left", "rensho_free": True}),
    ("kakeya6", {}),
    ("kakeya6", {"direction": "left", "six_dealers": "previous_rest"}),
    ("etori.simple", {}),
    ("etori.simple", {"direction": "right", "rensho_free": True}),
    ("etori.simple6", {}),
    ("etori.simple6", {"direction": "right", "rensho_free": True}),
    ("etori.meiji", {}),
    ("etori.meiji", {"direction": "left", "meiji_trump": "random"}),
]


def states(preset, options, kind, number):
    """Every state of a board, played by chance, of a game its first deals."""
    game, ruleset = rules_of(preset, options)
    state = game.start(ruleset, Board(kind, number, f"presets-{number}"))
    chance = random.Random(number)
    while state.to_act and state.observe(1)["deal"] <= 3:
        yield state
        seat = state.to_act[0]
        state = state.apply(seat, chance.choice(state.legal(seat)))


def played(preset, options):
    boards = [("deal", number) for number in range(1, 7)] + [("game", 1)]
    return [state for board in boards for state in states(preset, options, *board) if state.phase == "play"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("preset", "options"), RULES, ids=str)
def test_the_view_agrees_with_the_engine_under_every_preset(preset, options):
    _, ruleset = rules_of(preset, options)
    found = played(preset, options)
    assert len(found) > 200
    for before, state in itertools.pairwise(found):
        seat = state.to_act[0]
        view = view_for(state, seat, ruleset.as_dict())
        everybody = range(1, ruleset.seats + 1)
        hands = {other: set(state.observe(other)["hand"]) for other in everybody}
        assert {other for other in everybody if hands[other]} <= set(view.active)
        assert view.resting == tuple(other for other in everybody if other not in view.active)
        assert view.unseen == set().union(*(hands[other] for other in everybody if other != seat))
        assert sorted((seat, view.partner, *view.opponents)) == list(view.active)
        for other in everybody:
            assert view.cards_left(other) == len(hands[other])
        for other in view.active:
            assert not {card for card in hands[other] if card[1] in view.voids[other]}
        assert view.played == set(PACK) - view.unseen - set(view.hand)
        for of, pair in ((seat, {seat, view.partner}), (view.opponents[0], set(view.opponents))):
            won = [card for trick in view.tricks if trick["winner"] in pair for card in trick["cards"]]
            assert view.pictures_taken(of) == len([card for card in won if card in PICTURES])
        if state.tricks and len(before.observe(seat)["trick"]) == 3:
            leader, cards, winner = state.tricks[-1]
            last = before.to_act[0]
            assert view.turn_order(leader)[3] == last
            earlier = view_for(before, last)
            assert (winner == last) == earlier.would_win(cards[3])
            if winner != last:
                assert earlier.winning == (winner, cards[view.turn_order(leader).index(winner)])


@pytest.mark.parametrize(("preset", "options"), RULES, ids=str)
def test_the_seats_still_to_play_are_those_that_then_play(preset, options):
    for before, state in itertools.pairwise(played(preset, options)):
        seat = before.to_act[0]
        if len(before.observe(seat)["trick"]) < 3:
            assert view_for(before, seat).still_to_play[0] == state.to_act[0]


def asked_while_resting():
    """The first question about trumps in kakeya6 goes to the pair that rests."""
    game, ruleset = rules_of("kakeya6")
    state = game.start(ruleset, Board("game", 1, "rest"))
    assert (state.phase, state.to_act) == ("trump", (3, 6))
    return state


def test_a_seat_that_rests_sees_a_table_without_itself():
    view = view_for(asked_while_resting(), 3)
    assert (view.seat, view.partner, view.resting) == (3, 6, (3, 6))
    assert view.active == (1, 2, 4, 5)
    assert (view.opponents, view.still_to_play, view.cards_left(3)) == ((), (), 0)
    assert (view.pictures_taken(3), view.pictures_taken(4)) == (0, 0)
    assert view.voids.keys() == {1, 2, 4, 5}


@pytest.mark.parametrize("name", ["kakeya_greedy", "kakeya_rules"])
def test_a_pair_that_rests_keeps_the_trump_suit(name):
    state = asked_while_resting()
    assert [answer_to(house_bot(name), line_for(state, seat)) for seat in (3, 6)] == ["KEEP", "KEEP"]


@pytest.mark.parametrize("seat", [3, 6])
def test_the_pair_of_a_resting_dealer_sees_a_table_without_itself(seat):
    game, ruleset = rules_of("etori.simple6")
    view = view_for(game.start(ruleset, Board("deal", 1, "rest")), seat)
    assert (view.partner, view.resting, view.active) == (9 - seat, (3, 6), (1, 2, 4, 5))
    assert (view.opponents, view.still_to_play, view.hand) == ((), (), ())
    assert view.turn_order(2) == (2, 1, 5, 4)


def test_play_to_the_left_turns_the_order_round():
    game, ruleset = rules_of("etori.simple")
    state = game.start(ruleset, Board("deal", 1, "left"))
    view = view_for(state, state.to_act[0])
    assert view.turn_order(3) == (3, 2, 1, 4)
    assert view_for(position({}), 3).turn_order(3) == (3, 4, 1, 2)


RENSHO_THROWN = ({3: ["KH"], 4: ["AC", "2H"], 1: ["3H"], 2: ["4H"]}, ["KH", "AC"])


def test_rensho_played_off_its_suit_shows_no_void_where_it_is_free():
    free = {"rensho_free": True}
    state = position(*RENSHO_THROWN, options=free)
    assert view_for(state, 1, free).voids[4] == frozenset()
    assert view_for(state, 1).voids[4] == {"H"}


def test_rules_reckons_with_rensho_at_any_time_where_it_is_free():
    hands = {3: ["AH"], 4: ["2H", "3H", "4H"], 1: ["5H"], 2: ["6H"]}
    state = position(hands, ["AH"])
    chances = [
        Odds(view_for(state, 4, {"rensho_free": is_free})).can_beat(1, "AH", "H") for is_free in (False, True)
    ]
    assert chances[0] < chances[1]
    assert chances[1] >= 1 / 3


@pytest.mark.parametrize("name", ["kakeya_greedy", "kakeya_rules"])
def test_meiji_is_played_without_a_word_about_the_lead(name):
    game, ruleset = rules_of("etori.meiji")
    state = game.start(ruleset, Board("deal", 1, "meiji"))
    assert state.phase == "play"
    assert answer_to(house_bot(name), line_for(state, state.to_act[0])) in PACK


@pytest.mark.parametrize(
    ("hand", "word"),
    [
        (["AC", "AS", "KS", "QS", "TS", "AH", "AD", "2D", "3D", "4D", "5H", "6H", "7H"], "IKU"),
        (["2S", "3H", "4H", "5H", "6H", "7H", "2D", "3D", "4D", "5D", "2C", "3C", "4C"], "KOI"),
    ],
)
def test_rules_says_iku_with_a_strong_hand_and_koi_with_a_weak_one(hand, word):
    state = lead_asked(hand, lead_protocol="iku_koi")
    assert house_bot("kakeya_rules").act(request_for(state, 3)) == word


def lead_asked(hand, **options):
    """Seat 3 holds these cards and is asked about the lead."""
    game, ruleset = rules_of("kakeya4", options)
    return game.start(ruleset, Board("deal", 1, "seed", (deck_with({3: hand}),)))


def test_rules_takes_the_speculation_for_the_strongest_card_whatever_trumps_are():
    game, ruleset = rules_of("etori.meiji", {"trump_fixed": "S"})
    view = view_for(game.start(ruleset, Board("deal", 1, "spades")), 2)
    assert (view.trump, view.rensho) == ("S", "AS")
    assert view.power("AS", "H") > view.power("KS", "H") > view.power("AC", "H") == 0


def test_every_preset_of_the_game_is_tried():
    presets = {preset.partition(".l")[0].partition(".n")[0] for preset in all_games()["kakeya"].presets}
    assert {preset for preset, _ in RULES} == presets
