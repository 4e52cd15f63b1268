"""Six players: a pair deals and rests.

Source: docs/rules/kakeya.md#pairs-seats-first-dealers, #rotation, #dealing, #end-of-a-game, D1, D2, T30-T33,
T39; docs/contracts.md#conditions-of-deal-boards.
"""

import random

import pytest

from engine import Board, IllegalAction
from engine.cards import KAKEYA_PACK, PICTURES
from engine.games.kakeya.variants import VARIANTS
from engine.shuffle import shuffled, stream_label
from tests.engine.games.kakeya.positions import KAKEYA, SIX, events_of, play_out, position
from tests.refusals import refusal
from tests.strategies import play, random_choice

RULES = VARIANTS["kakeya6"]
P1, P2, P3 = (1, 4), (2, 5), (3, 6)
EVERYBODY = range(1, 7)

BOARDS = {  # number: dealers, leaders, trump, decider
    1: (P3, P2, "S", 2),
    2: (P1, P3, "S", 3),
    3: (P2, P1, "S", 4),
    4: (P3, P1, "H", 1),
    5: (P1, P2, "H", 2),
    6: (P2, P3, "H", 6),
    7: (P3, P2, "D", 2),
    8: (P1, P3, "D", 3),
    9: (P2, P1, "D", 4),
    10: (P3, P1, "C", 1),
    11: (P1, P2, "C", 2),
    12: (P2, P3, "C", 6),
    13: (P3, P2, "S", 2),
}


def roles_after(*results, **options):
    """Roles of the deals that follow these results, each (winners, losers)."""
    ruleset = SIX.replace(**options)
    roles = [RULES.first(ruleset, "demo").roles]
    for winners, losers in results:
        roles.append(RULES.next_roles(ruleset, roles[-1], winners, losers))
    return [(r.dealers, r.leaders, r.kirijimai, r.trump_right) for r in roles]


def test_first_deal():
    assert roles_after() == [(P3, P2, P1, P3)]


def test_T31_the_losers_rest_the_winners_lead_those_who_rested_have_the_trump_right():
    assert roles_after((P2, P1))[1] == (P1, P2, P3, P3)


def test_T32_when_the_others_win_they_lead():
    assert roles_after((P1, P2))[1] == (P2, P1, P3, P3)


def test_T33_third_deal():
    assert roles_after((P2, P1), (P3, P2))[2] == (P2, P3, P1, P1)


def test_trump_right_of_the_losers():
    assert roles_after((P2, P1), (P3, P2), trump_right6="losers") == [
        (P3, P2, P1, P3),
        (P1, P2, P3, P1),
        (P2, P3, P1, P2),
    ]


def test_previous_rest_means_the_same_pair_always_rests():
    assert roles_after((P2, P1), (P1, P2), (P1, P2), six_dealers="previous_rest") == [
        (P3, P2, P1, P3),
        (P3, P2, P1, P1),
        (P3, P1, P2, P2),
        (P3, P1, P2, P2),
    ]


@pytest.mark.parametrize(
    ("direction", "piles"), [("right", {1: 3, 2: 0, 4: 1, 5: 2}), ("left", {1: 3, 5: 0, 4: 1, 2: 2})]
)
def test_T39_piles_of_the_first_deal(direction, piles):
    ruleset = SIX.replace(direction=direction)
    state = play_out(KAKEYA.start(ruleset, Board("game", 1, "demo")), "3:KEEP 6:KEEP")
    deck = shuffled(KAKEYA_PACK.cards, stream_label("kakeya", "demo", 1, "deal"))
    for seat, pile in piles.items():
        assert sorted(state.observe(seat)["hand"]) == sorted(deck[pile::4])
    assert state.deal.decider == next(seat for seat, pile in piles.items() if pile == 0)
    assert play_out(state, "2:DEFER 5:DEFER").to_act == (state.deal.decider,)


def test_the_resting_dealers_are_asked_about_trumps_and_nothing_else():
    first = KAKEYA.start(SIX, Board("game", 1, "demo"))
    assert (first.phase, first.to_act) == ("trump", (3, 6))
    state = play_out(first, "6:H 3:KEEP")
    assert (state.phase, state.to_act) == ("lead", (2, 5))
    for seat in (3, 6):
        seen = state.observe(seat)
        assert (seen["hand"], seen["legal"]) == ([], [])
        assert (seen["active"], seen["partner"]) == ([1, 2, 4, 5], 9 - seat)
        assert (seen["trump"], seen["rensho"], seen["proposals"]) == ("H", "AS", {"3": "KEEP", "6": "H"})
        assert (seen["dealers"], seen["dealer"], seen["leaders"]) == ([3, 6], None, [2, 5])
    assert "turn" in str(refusal(IllegalAction, state.apply, 3, "DEFER"))
    assert [seat for seat in EVERYBODY if state.observe(seat)["hand"]] == [1, 2, 4, 5]


def test_a_resting_seat_hears_of_no_cards():
    state = play_out(KAKEYA.start(SIX, Board("game", 1, "demo")), "3:KEEP 6:KEEP")
    heard = {seat: [e for e in state.events_since(None, seat) if e["e"] == "deal"] for seat in EVERYBODY}
    public = {"e": "deal", "deal": 1, "dealers": [3, 6], "leaders": [2, 5], "trump": "S"}
    assert heard[3] == heard[6] == [public]
    assert [len(heard[seat][0]["hand"]) for seat in (1, 2, 4, 5)] == [13] * 4


@pytest.mark.parametrize(
    ("options", "answers", "trump"),
    [
        pytest.param({}, "3:D 6:H", "H", id="even-deal-the-higher-seat"),
        pytest.param({"trump_right6": "losers"}, "1:D 4:H", "H", id="losers"),
    ],
)
def test_the_second_deal_asks_those_with_the_trump_right(options, answers, trump):
    state = second_deal(SIX.replace(**options))
    assert state.to_act == tuple(int(answer[0]) for answer in answers.split())
    assert play_out(state, answers).observe(1)["trump"] == trump


def second_deal(ruleset):
    """After a first deal of which P2 took every picture from P1."""
    before = position(
        "S",
        {1: "2H", 2: "AC", 4: "3H", 5: "4H"},
        ruleset=ruleset,
        kind="game",
        captured=("", " ".join(sorted(PICTURES - {"AC"})), ""),
    )
    return play_out(before, "1:2H 2:AC 4:3H 5:4H")


def test_only_the_two_pairs_that_played_exchange_stones():
    state = second_deal(SIX)
    assert events_of(state, "deal_end") == [
        {
            "e": "deal_end",
            "deal": 1,
            "category": "R",
            "pictures": {"1": 0, "2": 16},
            "stones": {"1": -4, "2": 4, "3": 0, "4": -4, "5": 4, "6": 0},
            "winner": [2, 5],
        }
    ]
    assert state.observe(1)["stones"] == {"1": 1, "2": 9, "3": 5, "4": 1, "5": 9, "6": 5}


@pytest.mark.parametrize("number", BOARDS)
def test_conditions_of_deal_boards(number):
    dealers, leaders, trump, decider = BOARDS[number]
    state = KAKEYA.start(SIX, Board("deal", number, "demo"))
    seen = state.observe(1)
    assert (tuple(seen["dealers"]), tuple(seen["leaders"]), seen["trump"]) == (dealers, leaders, trump)
    assert seen["active"] == sorted(set(EVERYBODY) - set(dealers))
    assert (state.phase, state.to_act) == ("lead", leaders)
    assert play_out(state, " ".join(f"{seat}:DEFER" for seat in leaders)).to_act == (decider,)
    others = next(pair for pair in (P1, P2, P3) if pair not in (dealers, leaders))
    deck = state.deal.deck
    taker = next(seat for seat in EVERYBODY if deck[51] in state.observe(seat)["hand"])
    assert taker == others[((number - 1) // 3) % 2]


def final_deal(stones, payment_pictures):
    """P2 (leaders) wins the deal from P1; P3 rests."""
    taken = sorted(PICTURES - {"AC"})
    before = position(
        "S",
        {1: "2H", 2: "AC", 4: "3H", 5: "4H"},
        ruleset=SIX,
        kind="game",
        stones=stones,
        captured=(" ".join(taken[payment_pictures - 1 :]), " ".join(taken[: payment_pictures - 1]), ""),
    )
    return play_out(before, "1:2H 2:AC 4:3H 5:4H")


def test_T30_equal_highest_is_a_draw_between_those_pairs():
    state = final_deal((3, 4, 8), 16)
    assert state.to_act == ()
    assert state.observe(6)["stones"] == {"1": -1, "2": 8, "3": 8, "4": -1, "5": 8, "6": 8}
    assert state.outcome().stones == {1: -6, 2: 3, 3: 3, 4: -6, 5: 3, 6: 3}


def test_a_resting_pair_with_few_stones_does_not_end_the_game():
    assert final_deal((5, 9, 1), 9).to_act != ()
    assert final_deal((1, 13, 1), 9).to_act == ()


def test_the_cap_ends_a_game_and_stones_stand_as_they_are():
    game = play(KAKEYA, SIX.replace(hand_cap=1), Board("game", 1, "demo"), random_choice(random.Random(1)))
    (deal,) = game.last.outcome().deals
    assert game.last.outcome().stones == deal
    assert (deal[3], deal[6]) == (0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_roles_pass_from_deal_to_deal(seed):
    ruleset = SIX.replace(hand_cap=8)
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    deals, ends = events_of(game.last, "deal"), events_of(game.last, "deal_end")
    for deal, end, following in zip(deals, ends, deals[1:], strict=False):
        assert following["leaders"] == end["winner"]
        losers = [int(seat) for seat, stones in end["stones"].items() if stones < 0]
        assert following["dealers"] == losers
        assert deal["dealers"] not in (following["dealers"], following["leaders"])
