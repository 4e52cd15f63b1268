"""Dealers, leaders, piles and the first lead.

Source: docs/rules/kakeya.md#pairs-seats-first-dealers, #rotation, #dealing, #opening-lead, T34, T38, T40,
T45; docs/contracts.md#conditions-of-deal-boards.
"""

import pytest

from engine import Board
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.rotation import pile_order
from engine.games.kakeya.variants import VARIANTS
from engine.shuffle import shuffled, stream_label
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN, play_out

BOARDS = {  # number: dealers, leaders, trump, decider
    1: ((2, 4), (1, 3), "S", 3),
    2: ((1, 3), (2, 4), "S", 2),
    3: ((2, 4), (1, 3), "H", 1),
    4: ((1, 3), (2, 4), "H", 4),
    5: ((2, 4), (1, 3), "D", 3),
    6: ((1, 3), (2, 4), "D", 2),
    7: ((2, 4), (1, 3), "C", 1),
    8: ((1, 3), (2, 4), "C", 4),
    9: ((2, 4), (1, 3), "S", 3),
}


def first_deal():
    return play_out(KAKEYA.start(PLAIN, Board("game", 1, "demo")), "2:KEEP 4:KEEP")


def test_T34_losers_deal_and_winners_lead():
    roles = VARIANTS["kakeya4"].next_roles(PLAIN, first_deal().deal.roles, winners=(2, 4), losers=(1, 3))
    assert (roles.dealers, roles.trump_right, roles.kirijimai) == ((1, 3), (1, 3), (1, 3))
    assert roles.leaders == (2, 4)


def test_T38_piles_of_the_first_deal():
    state = first_deal()
    deck = shuffled(KAKEYA_PACK.cards, stream_label("kakeya", "demo", 1, "deal"))
    for seat, pile in ((2, 3), (3, 0), (4, 1), (1, 2)):
        assert sorted(state.observe(seat)["hand"]) == sorted(deck[pile::4])
    assert pile_order(state.deal.roles, 1, "right") == (3, 4, 1, 2)
    assert state.deal.decider == 3


def test_T45_the_first_pile_of_the_known_shuffle():
    pile = "7D 7S KD 3S JD 9D 2H QC 9S 2D AS AD 9C"
    assert sorted(first_deal().observe(3)["hand"]) == sorted(pile.split())


@pytest.mark.parametrize(("direction", "order"), [("right", (3, 4, 1, 2)), ("left", (1, 4, 3, 2))])
def test_cards_go_round_in_the_direction_of_play_from_the_seat_next_to_the_taker(direction, order):
    state = KAKEYA.start(PLAIN.replace(direction=direction), Board("deal", 1, "demo"))
    for pile, seat in enumerate(order):
        assert sorted(state.observe(seat)["hand"]) == sorted(state.deal.deck[pile::4])
    assert state.observe(1)["direction"] == direction
    assert (state.observe(1)["dealers"], state.observe(1)["dealer"]) == ([2, 4], None)
    assert play_out(state, "1:DEFER 3:DEFER").to_act == (order[0],)


@pytest.mark.parametrize(
    ("answers", "leader"),
    [
        pytest.param("1:PREFER 3:DEFER", 1, id="T40-one-prefers"),
        pytest.param("1:DEFER 3:DEFER", 3, id="T40-both-defer"),
        pytest.param("1:PREFER 3:PREFER", 3, id="T40-both-prefer"),
        pytest.param("3:PREFER 1:DEFER", 3, id="the-other-prefers"),
    ],
)
def test_opening_lead(answers, leader):
    state = play_out(first_deal(), answers)
    assert (state.phase, state.to_act) == ("play", (leader,))
    declared = dict(sorted(answer.split(":") for answer in answers.split()))
    assert all(state.observe(seat)["declarations"] == declared for seat in (1, 2, 3, 4))


@pytest.mark.parametrize(("answer", "leader"), [("IKU", 3), ("KOI", 1)])
def test_iku_koi_asks_the_decider_alone(answer, leader):
    state = KAKEYA.start(PLAIN.replace(lead_protocol="iku_koi"), Board("deal", 1, "demo"))
    assert (state.to_act, state.legal(3)) == ((3,), ("IKU", "KOI"))
    assert state.apply(3, answer).to_act == (leader,)


@pytest.mark.parametrize("preset", ["kakeya4", "kakeya6", "etori.simple"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_fallback_under_iku_koi_is_iku(preset, number):
    """Who is silent leads: the decider, whatever its seat. Source: docs/rules/kakeya.md#fallback-actions."""
    state = KAKEYA.start(KAKEYA.ruleset(preset, {"lead_protocol": "iku_koi"}), Board("deal", number, "demo"))
    (decider,) = state.to_act
    assert (state.phase, state.fallback(decider)) == ("lead", "IKU")
    led = state.apply(decider, state.fallback(decider))
    assert (led.phase, led.to_act) == ("play", (decider,))
    assert state.apply(decider, "KOI").to_act != (decider,)


def test_fallbacks_of_the_other_phases():
    """Keep the trumps, leave the lead, the first legal card in canonical order.

    Source: docs/rules/kakeya.md#fallback-actions.
    """
    state = KAKEYA.start(PLAIN, Board("game", 1, "demo"))
    assert [state.fallback(seat) for seat in state.to_act] == ["KEEP", "KEEP"]
    state = play_out(state, "2:KEEP 4:KEEP")
    assert [state.fallback(seat) for seat in state.to_act] == ["DEFER", "DEFER"]
    state = play_out(state, "1:DEFER 3:DEFER")
    for _ in range(8):
        (seat,) = state.to_act
        assert state.fallback(seat) == min(state.legal(seat), key=KAKEYA_PACK.cards.index)
        state = state.apply(seat, state.legal(seat)[-1])


def test_lead_protocol_decider_asks_nobody():
    state = KAKEYA.start(PLAIN.replace(lead_protocol="decider"), Board("deal", 1, "demo"))
    assert (state.phase, state.to_act, state.observe(1)["declarations"]) == ("play", (3,), {})


@pytest.mark.parametrize("number", BOARDS)
def test_conditions_of_deal_boards(number):
    dealers, leaders, trump, decider = BOARDS[number]
    state = KAKEYA.start(PLAIN, Board("deal", number, "demo"))
    seen = state.observe(1)
    assert (tuple(seen["dealers"]), tuple(seen["leaders"]), seen["trump"]) == (dealers, leaders, trump)
    assert (state.phase, state.to_act) == ("lead", leaders)
    assert play_out(state, " ".join(f"{seat}:DEFER" for seat in leaders)).to_act == (decider,)


def test_a_fixed_trump_overrides_the_table():
    for number in BOARDS:
        state = KAKEYA.start(PLAIN.replace(trump_fixed="H"), Board("deal", number, "demo"))
        assert state.observe(1)["trump"] == "H"
