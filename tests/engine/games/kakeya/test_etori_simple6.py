"""Simplified Etori of six: one seat deals, its pair rests. Source: docs/rules/etori.md#six-players."""

import random

import pytest

from engine import Board, IllegalAction
from engine.cards import PICTURES
from engine.games.kakeya.variants.simple import resting_roles
from engine.shuffle import Stream, stream_label
from tests.engine.games.kakeya.positions import KAKEYA, SIMPLE6, events_of, play_out, position
from tests.refusals import refusal
from tests.strategies import play, random_choice

P1, P2, P3 = (1, 4), (2, 5), (3, 6)
PAIRS = (P1, P2, P3)
EVERYBODY = range(1, 7)

BOARDS = {  # number: dealers, dealer, leaders, decider to the left, decider to the right
    1: (P3, 3, P2, 2, 5),
    2: (P1, 1, P3, 6, 3),
    3: (P2, 2, P1, 1, 4),
    4: (P3, 6, P1, 4, 1),
    5: (P1, 4, P2, 2, 5),
    6: (P2, 5, P3, 3, 6),
    7: (P3, 3, P2, 2, 5),
    8: (P1, 1, P3, 6, 3),
    9: (P2, 2, P1, 1, 4),
    10: (P3, 6, P1, 4, 1),
    11: (P1, 4, P2, 2, 5),
    12: (P2, 5, P3, 3, 6),
}

FIRST_DEALS = {  # the dealer drawn: leaders and decider to the left, leaders and decider to the right
    1: (P2, 5, P3, 3),
    2: (P3, 6, P1, 4),
    3: (P1, 1, P2, 5),
    4: (P2, 2, P3, 6),
    5: (P3, 3, P1, 1),
    6: (P1, 4, P2, 2),
}


def drawn(seed):
    """The dealer that a match seed draws."""
    return 1 + Stream(stream_label("kakeya", seed, 1, "dealer")).below(6)


SEED_OF = {drawn(str(n)): str(n) for n in reversed(range(40))}
"""A match seed for each first dealer."""


def deferred(state):
    """The state after nobody asked for the lead, so that the decider has it."""
    return play_out(state, " ".join(f"{seat}:DEFER" for seat in state.to_act))


def started(dealer, **options):
    """A game of which this seat is the first to deal."""
    return KAKEYA.start(SIMPLE6.replace(**options), Board("game", 1, SEED_OF[dealer]))


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("number", BOARDS)
def test_conditions_of_deal_boards_which_are_never_mirrored(number, direction):
    dealers, dealer, leaders, to_the_left, to_the_right = BOARDS[number]
    state = KAKEYA.start(SIMPLE6.replace(direction=direction), Board("deal", number, "demo"))
    seen = state.observe(dealer)
    assert (tuple(seen["dealers"]), seen["dealer"], tuple(seen["leaders"])) == (dealers, dealer, leaders)
    assert (seen["trump"], seen["rensho"], seen["direction"]) == ("S", "AC", direction)
    assert seen["active"] == sorted(set(EVERYBODY) - set(dealers))
    assert (state.phase, state.to_act) == ("lead", leaders)
    assert deferred(state).to_act == (to_the_left if direction == "left" else to_the_right,)


def test_T84_first_deal_of_a_game():
    state = started(4)
    seen = state.observe(1)
    assert (seen["dealers"], seen["dealer"], seen["direction"]) == ([1, 4], 4, "left")
    assert (seen["leaders"], seen["active"]) == ([2, 5], [2, 3, 5, 6])
    assert (state.phase, state.to_act, state.observe(1)["trump"]) == ("lead", (2, 5), "S")
    assert play_out(state, "2:PREFER 5:DEFER").to_act == (2,)
    assert play_out(state, "2:DEFER 5:PREFER").to_act == (5,)


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("dealer", EVERYBODY)
def test_the_pair_of_the_seat_before_the_first_dealer_leads(dealer, direction):
    leaders, decider = FIRST_DEALS[dealer][:2] if direction == "left" else FIRST_DEALS[dealer][2:]
    state = started(dealer, direction=direction)
    assert (state.observe(1)["dealer"], tuple(state.observe(1)["leaders"])) == (dealer, leaders)
    assert deferred(state).to_act == (decider,)


def test_every_seat_may_be_drawn_to_deal():
    boards = [Board("game", 1, str(seed)) for seed in range(40)]
    assert [KAKEYA.start(SIMPLE6, board).observe(1)["dealer"] for board in boards] == [
        drawn(board.seed) for board in boards
    ]
    assert sorted(SEED_OF) == list(EVERYBODY)


@pytest.mark.parametrize(
    ("dealer", "direction", "order"),
    [
        (4, "left", (3, 2, 6, 5)),
        (4, "right", (5, 6, 2, 3)),
        (1, "left", (6, 5, 3, 2)),
        (6, "right", (1, 2, 4, 5)),
        (2, "left", (1, 6, 4, 3)),
    ],
)
def test_cards_are_doled_to_the_active_seats_from_the_dealer_on(dealer, direction, order):
    state = started(dealer, direction=direction)
    for place, seat in enumerate(order):
        assert sorted(state.observe(seat)["hand"]) == sorted(state.deal.deck[place::4])
    assert [seat for seat in EVERYBODY if not state.observe(seat)["hand"]] == state.observe(1)["dealers"]


def test_the_resting_pair_is_asked_nothing_and_hears_of_no_cards():
    state = started(4)
    for seat in P1:
        seen = state.observe(seat)
        assert (seen["hand"], seen["legal"], seen["partner"]) == ([], [], 5 - seat)
        assert seen["pictures"] == {"2": [], "3": []}
        assert "turn" in str(refusal(IllegalAction, state.apply, seat, "DEFER"))
    heard = {seat: [e for e in state.events_since(None, seat) if e["e"] == "deal"] for seat in EVERYBODY}
    public = {"e": "deal", "deal": 1, "dealers": [1, 4], "dealer": 4, "leaders": [2, 5], "trump": "S"}
    assert heard[1] == heard[4] == [public]
    assert [len(heard[seat][0]["hand"]) for seat in (2, 3, 5, 6)] == [13] * 4


def finished(winners, losers, *, pictures=10, had=(5, 5, 5), number=1, dealer=None, **options):
    """The third pair rests; the winners take the last picture and have this many.

    With P1 at rest P3 is dealt the ace of trumps and Rensho, P2 only other aces.
    """
    (resting,) = set(PAIRS) - {winners, losers}
    rest = sorted(PICTURES - {"KD"})
    captured = {winners: rest[: pictures - 1], losers: rest[pictures - 1 :], resting: []}
    cards = dict(zip((*winners, *losers), ("KD", "2D", "3D", "4D"), strict=True))
    state = position(
        "S",
        cards,
        leader=winners[0],
        ruleset=SIMPLE6.replace(**options),
        kind="game",
        number=number,
        stones=had,
        captured=[" ".join(captured[pair]) for pair in PAIRS],
        roles=resting_roles(dealer or resting[0], losers, ()),
    )
    for _ in cards:
        (seat,) = state.to_act
        state = state.apply(seat, cards[seat])
    return state


def stones_of(state):
    """Stones by pair."""
    stones = state.observe(1)["stones"]
    assert all(stones[str(seat)] == stones[str(other)] for seat, other in PAIRS)
    return tuple(stones[str(seat)] for seat, _ in PAIRS)


@pytest.mark.parametrize(("dealer", "to_the_right", "decider"), [(1, False, 2), (4, True, 5)])
def test_T85_the_losers_deal_and_rest_the_winners_lead(dealer, to_the_right, decider):
    direction = "right" if to_the_right else "left"
    state = finished(P2, P3, dealer=dealer, direction=direction)
    seen = state.observe(1)
    assert (seen["deal"], seen["dealers"], seen["dealer"]) == (2, [3, 6], 3)
    assert (seen["leaders"], seen["active"], seen["trump"]) == ([2, 5], [1, 2, 4, 5], "S")
    assert (state.phase, state.to_act) == ("lead", (2, 5))
    assert deferred(state).to_act == (decider,)


def test_a_deal_moves_stones_between_the_two_pairs_that_play():
    state = finished(P2, P3, pictures=12)
    assert events_of(state, "deal_end") == [
        {
            "e": "deal_end",
            "deal": 1,
            "category": "O",
            "pictures": {"2": 12, "3": 4},
            "stones": {"1": 0, "2": 2, "3": -2, "4": 0, "5": 2, "6": -2},
            "winner": [2, 5],
        }
    ]
    assert stones_of(state) == (5, 7, 3)


def dealers_of(seed, **options):
    ruleset = SIMPLE6.replace(hand_cap=12, stones=60, **options)
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    deals, ends = events_of(game.last, "deal"), events_of(game.last, "deal_end")
    assert len(deals) == 12
    return deals, ends


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("seed", range(10))
def test_roles_pass_from_deal_to_deal(seed, direction):
    deals, ends = dealers_of(seed, direction=direction)
    for deal, end, following in zip(deals, ends, deals[1:], strict=False):
        losers = [int(seat) for seat, won in end["stones"].items() if won < 0]
        assert following["dealers"] == losers
        assert following["leaders"] == end["winner"]
        assert not set(deal["dealers"]) & {*following["dealers"], *following["leaders"]}
        assert following["dealer"] in losers


@pytest.mark.parametrize("seed", range(10))
def test_the_two_seats_of_a_pair_deal_in_turn_the_lower_first_the_drawn_dealer_counting(seed):
    deals, _ = dealers_of(seed)
    dealers = [deal["dealer"] for deal in deals]
    for pair in PAIRS:
        turns = [seat for seat in dealers if seat in pair]
        first = pair.index(dealers[0]) if dealers[0] in pair else 0
        assert turns == [pair[(first + n) % 2] for n in range(len(turns))]


@pytest.mark.parametrize(
    ("had", "pictures", "options", "left"),
    [
        pytest.param((6, 1, 5), 12, {"stones": 4}, (6, 0, 6), id="losers-pay-what-they-have"),
        pytest.param((8, 3, 4), 16, {"debt": True}, (8, -1, 8), id="losers-go-into-debt"),
        pytest.param((7, 3, 5), 12, {"hand_cap": 60, "number": 60}, (7, 1, 7), id="at-the-cap"),
        pytest.param((5, 5, 5), 11, {"hand_cap": 1}, (5, 4, 6), id="no-draw"),
    ],
)
def test_equal_highest_is_a_draw_between_those_pairs(had, pictures, options, left):
    state = finished(P3, P2, pictures=pictures, had=had, **options)
    start = options.get("stones", 5)
    assert (state.to_act, stones_of(state)) == ((), left)
    assert state.outcome().stones == {
        seat: left[side] - start for side, pair in enumerate(PAIRS) for seat in pair
    }


@pytest.mark.parametrize(
    ("schedule", "category", "due"),
    [("standard", "O", 2), ("nakayoshi", "O", 3), ("asahi_tie_only", None, 1)],
)
def test_schedules(schedule, category, due):
    pictures = 11 if schedule == "asahi_tie_only" else 12
    state = finished(P2, P3, pictures=pictures, schedule=schedule)
    (end,) = events_of(state, "deal_end")
    assert (end["category"], end["stones"]["5"], end["stones"]["3"]) == (category, due, -due)


@pytest.mark.parametrize("seed", range(12))
def test_where_no_ace_can_remain_every_deal_pays_four_or_what_is_left(seed):
    game = play(
        KAKEYA,
        SIMPLE6.replace(aces_timing="remaining"),
        Board("game", 1, str(seed)),
        random_choice(random.Random(seed)),
    )
    had = dict.fromkeys(EVERYBODY, 5)
    for deal in game.last.outcome().deals:
        (loss,) = {deal[seat] for seat in EVERYBODY if deal[seat] < 0}
        (loser, _) = (seat for seat in EVERYBODY if deal[seat] < 0)
        assert -loss == min(4, had[loser])
        had = {seat: had[seat] + deal[seat] for seat in EVERYBODY}
    assert min(had.values()) == 0
