import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board, preset_named
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import OVER, PLAY
from engine.games.kakeya.options import ETORI_SIMPLE
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel import KernelError, check, deal_values, legal_cards, places_of, play, position_of
from engine.kernel.moves import legal_mask
from tests.chance import examples
from tests.engine.games.kakeya.positions import KAKEYA, MEIJI, PLAIN, SIMPLE, SIX
from tests.engine.games.kakeya.rulesets import rulesets
from tests.engine.kernel.positions import at_the_lead, played_on, some_position
from tests.refusals import refusal

SOME = some_position(random.Random(1), 21)
ACE_OF_CLUBS = KAKEYA_PACK.cards.index("AC")


def assert_the_same_as_the_engine(state, rng):
    """Play the rest of the deal at random, card by card by the rules of both."""
    deal, results = state.deal, len(state.deal.results)
    places, position = places_of(deal), position_of(state)
    while state.phase == PLAY and len(state.deal.results) == results:
        before, card = state, rng.choice(legal_cards(position))
        assert position == position_of(state)
        check(position)
        seat = places[position.turn]
        names = [KAKEYA_PACK.cards[number] for number in legal_cards(position)]
        assert state.to_act == (seat,)
        assert state.legal(seat) == tuple(names)
        state, position = state.apply(seat, KAKEYA_PACK.cards[card]), play(position, card)
    while legal_cards(position):
        # Rest of a deal that ended with its sixteenth picture.
        assert before.deal.stops_early
        position = play(position, legal_cards(position)[0])
    check(position)
    winnings = state.outcome().deals[-1] if state.phase == OVER else None
    if winnings is None:
        stones = dict(state.deal.by_seat(state.deal.results[-1]))
    else:
        stones = winnings
    value = position.values[position.captured[0]]
    for place, seat in enumerate(places):
        assert stones[seat] == (-value if place % 2 else value)
    assert sum(position.captured) == 16
    return state


@given(rulesets(), st.sampled_from(["deal", "game"]), st.integers(1, 24), st.randoms(use_true_random=False))
@examples(60)
def test_every_card_of_a_board_is_as_in_the_engine(ruleset, kind, number, rng):
    state = KAKEYA.start(ruleset, Board(kind, number, "kernel"))
    while state.to_act:
        if state.phase == PLAY:
            state = assert_the_same_as_the_engine(state, rng)
        else:
            seat = state.to_act[0]
            state = state.apply(seat, rng.choice(state.legal(seat)))


def test_place_0_is_of_the_pair_with_the_lower_seats_of_the_two_that_play():
    state = at_the_lead(SIX, "six", 2)
    places = places_of(state.deal)
    assert sorted(places) == list(state.deal.roles.active)
    assert state.deal.roles.active[0] in places[::2]
    assert sum(map(int.bit_count, position_of(state).hands)) == 52


def test_eight_pictures_may_be_worth_more_than_nine():
    ruleset = PLAIN.replace(schedule="asahi_tie_only")
    values = {deal_values(at_the_lead(ruleset, f"asahi {n}").deal)[7:10] for n in range(40)}
    assert (-1, 2, 1) in values
    assert (-1, -2, 1) in values


def test_without_debt_nobody_pays_more_than_there_is():
    ruleset = PLAIN.replace(debt=False, stones=1, schedule="nakayoshi")
    assert set(deal_values(at_the_lead(ruleset, "poor").deal)) == {-1, 1}


def test_aces_that_remain_make_every_deal_worth_four():
    ruleset = KAKEYA.ruleset(ETORI_SIMPLE, {"aces_timing": "remaining"})
    assert set(deal_values(at_the_lead(ruleset, "remaining").deal)) == {-4, 4}


def test_eight_pictures_each_are_worth_nothing_in_meiji_etori():
    values = deal_values(at_the_lead(MEIJI.replace(meiji_score="difference"), "meiji").deal)
    assert values[1:16] == tuple(range(-7, 8))


def test_what_cannot_be_taken_has_the_value_next_to_it():
    for n in range(8):
        values = deal_values(at_the_lead(SIMPLE, f"impossible {n}").deal)
        assert values[0] == values[1] or values[16] == values[15]


def _with(**fields):
    return SOME._replace(**fields)


def _moved(position, source, target):
    """The lowest card of a place, moved to another one."""
    hands = list(position.hands)
    lowest = hands[source] & -hands[source]
    hands[source] ^= lowest
    hands[target] ^= lowest
    return position._replace(hands=tuple(hands))


def _revoked():
    """A trick to which somebody played another suit than was led, though able to follow."""
    rng = random.Random(2)
    while True:
        position = some_position(rng, 1)
        hand, led = position.hands[position.turn], position.trick[0] // 13
        others = [card for card in range(52) if hand >> card & 1 and card // 13 != led]
        if len(legal_cards(position)) < hand.bit_count() and others:
            hands = list(position.hands)
            hands[position.turn] ^= 1 << others[0]
            turn = (position.turn + 1) % 4
            return position._replace(hands=tuple(hands), turn=turn, trick=(*position.trick, others[0]))


@pytest.mark.parametrize(
    ("position", "refusal"),
    [
        ((1, 2), "not a Position: .*"),
        (_with(hands=SOME.hands[:3]), "hands"),
        (_with(hands=(1 << 52, *SOME.hands[1:])), "player 0"),
        (_with(hands=(SOME.hands[1], *SOME.hands[1:])), "twice"),
        (_moved(SOME, 0, 1), "cannot hold"),
        (_with(trump=4), "trump.*4"),
        (_with(trump=True), "trump.*True"),
        (_with(trump=1, rensho=ACE_OF_CLUBS), r"with trumps H rensho.*51 \(AC\)"),
        (_with(trump=0, rensho=0), r"with trumps S rensho.*0 \(2S\)"),
        (_with(is_free=1), "is_free.*1"),
        (_with(turn=4), "turn.*4"),
        (_with(trick=(1, 2, 3, 4)), "trick"),
        (_with(trick=(52,)), "trick.*52"),
        (_revoked(), "player [0-3].*played ..: it holds .. and had to follow [SHDC]"),
        (_with(captured=(16, 16)), "numbers"),
        (_with(captured=(1, -1)), "pictures.*-1"),
        (_with(values=SOME.values[1:]), "values"),
        (_with(values=(2_000_000, *SOME.values[1:])), "value.*2000000"),
    ],
)
def test_an_impossible_position_is_refused_by_what_is_wrong(position, refusal):
    check(SOME)
    with pytest.raises(KernelError, match=refusal):
        check(position)


def test_more_pictures_than_the_tricks_held_are_refused():
    hands, pictures = [0, 0, 0, 0], list(KAKEYA_PACK.listed(PICTURE_MASK))
    low = [card for card in KAKEYA_PACK.cards if card not in pictures]
    for k in range(48):  # One trick is over, and it took four pictures.
        hands[k % 4] |= KAKEYA_PACK.bit[(pictures[4:] + low)[k]]
    position = SOME._replace(hands=tuple(hands), turn=0, trick=(), captured=(4, 0))
    check(position)
    assert "only 1 tricks" in str(refusal(KernelError, check, position._replace(captured=(2, 2))))


def test_a_card_that_is_not_legal_is_refused_with_those_that_are():
    with pytest.raises(KernelError, match=r"player [0-3] cannot play 60 \(no card\); allowed: \d+"):
        play(SOME, 60)


@pytest.mark.parametrize("card", [float(legal_cards(SOME)[0]), True, "3", None])
def test_a_card_that_is_no_whole_number_is_refused(card):
    with pytest.raises(KernelError, match=rf"cannot play {card!r} \(no card\); allowed: \d+"):
        play(SOME, card)


def test_what_is_no_position_and_no_deal_is_refused():
    assert "not a Position: None" in str(refusal(KernelError, legal_cards, None))
    assert "not a Position: 7" in str(refusal(KernelError, play, 7, 1))
    for of_deal in (places_of, deal_values):
        assert "NoneType" in str(refusal(KernelError, of_deal, None))


def test_rensho_that_is_free_need_not_follow_but_must_if_it_is_the_only_card_of_its_suit():
    hearts_led = SOME._replace(
        hands=(KAKEYA_PACK.mask(["AS", "2H", "3C"]),) * 4, turn=0, trick=(20,), trump=1, rensho=12
    )
    assert legal_cards(hearts_led) == (13,)
    assert legal_cards(hearts_led._replace(is_free=True)) == (12, 13)
    spades_led = hearts_led._replace(trick=(5,), is_free=True)
    assert legal_mask(spades_led) == KAKEYA_PACK.bit["AS"]


def test_only_states_in_which_cards_are_played_are_positions():
    assert "'lead'" in str(refusal(KernelError, position_of, KAKEYA.start(PLAIN, Board("deal", 1, "lead"))))
    over = played_on(at_the_lead(PLAIN, "over"), random.Random(1), 52)
    assert "'over'" in str(refusal(KernelError, position_of, over))
    game, ruleset = preset_named("kakkuri")
    with pytest.raises(KernelError, match="KakkuriState"):
        position_of(game.start(ruleset, Board("deal", 1, "other")))
