"""What holds in every board of every variant, whatever is dealt, chosen and played."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board, IllegalAction
from engine.cards import KAKEYA_PACK, PICTURES
from engine.game import json_text
from tests.chance import examples
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN, SIMPLE6, SIX, deck_for, events_of
from tests.engine.games.kakeya.rulesets import VARIANTS, rulesets
from tests.engine.games.kakeya.table_rules import Table
from tests.refusals import refusal
from tests.strategies import play, played, random_choice, seeds

SOME = examples(80)
EVERY = rulesets()


def seats_of(game):
    return range(1, game.ruleset.seats + 1)


def cards_seen(game, state):
    """All cards of a deal: in hands, in the trick, in finished tricks."""
    cards = [card for seat in seats_of(game) for card in state.observe(seat)["hand"]]
    seen = state.observe(1)
    cards += [card for _, card in seen["trick"]]
    return cards + [card for trick in seen["tricks"] for card in trick["cards"]]


@SOME
@given(played(rulesets=EVERY))
def test_cards_are_conserved_at_every_state(game):
    for state in game.states:
        cards = cards_seen(game, state)
        if state.phase != "trump":
            assert sorted(cards) == sorted(KAKEYA_PACK.cards)
        else:
            assert cards == []


@SOME
@given(played(rulesets=EVERY))
def test_resting_seats_hold_nothing_and_are_asked_only_about_trumps(game):
    for state in game.states:
        active = state.observe(1)["active"]
        assert len(active) == 4
        for seat in set(seats_of(game)) - set(active):
            seen = state.observe(seat)
            assert seen["hand"] == []
            assert seen["legal"] == [] or state.phase == "trump"
            assert seat in seen["dealers"]


@SOME
@given(played(rulesets=EVERY))
def test_pictures_lie_with_the_winners_of_their_tricks(game):
    half = game.ruleset.seats // 2
    for state in game.states:
        seen = state.observe(1)
        taken = {str((seat - 1) % half + 1): set() for seat in seen["active"]}
        for trick in seen["tricks"]:
            taken[str((trick["winner"] - 1) % half + 1)] |= PICTURES & set(trick["cards"])
        assert {side: set(cards) for side, cards in seen["pictures"].items()} == taken


@SOME
@given(played(rulesets=EVERY))
def test_stones_are_never_made_or_lost(game):
    half = game.ruleset.seats // 2
    for state in game.states:
        stones = state.observe(1)["stones"]
        assert sum(stones[str(seat)] for seat in range(1, half + 1)) == half * (game.ruleset.stones or 0)
        assert all(stones[str(seat)] == stones[str(seat + half)] for seat in range(1, half + 1))
    outcome = game.last.outcome()
    for result in (outcome.stones, *outcome.deals):
        assert sum(result.values()) == 0
    if game.ruleset.debt is False and game.board.kind == "game":
        assert min(stones.values()) >= 0


@SOME
@given(played(kinds=("deal",), rulesets=EVERY))
def test_sixteen_pictures_and_at_most_fourteen_without_rensho_and_trump_ace(game):
    start, end = game.states[0], game.last.happened_since(None)[-1].public
    assert sum(end["pictures"].values()) == 16
    seen = start.observe(1)
    top = {seen["rensho"], "A" + seen["trump"]}
    for lower in end["pictures"]:
        side = [int(lower), int(lower) + game.ruleset.seats // 2]
        held = {card for seat in side for card in start.observe(seat)["hand"]}
        pictures = end["pictures"][lower]
        assert held & top or pictures <= 16 - len(top)
        assert seen["rensho"] in held or pictures < 16
        if end["winner"] == side:
            rank = "R" if held & top else "O" if held & {"AS", "AH", "AD", "AC"} else "N"
            assert end["category"] in (rank, None)
            assert pictures >= 9 or (pictures == 8 and seen["rensho"] not in held)


@examples(250)
@given(played(rulesets=EVERY))
def test_the_game_goes_as_a_plain_reading_of_the_rules_says(game):
    """A second model of the rules, with lists of cards and no tables, follows every event."""
    table = Table(game.ruleset, game.board)
    for event in game.last.happened_since(None):
        table.hear(event.recorded())
    assert table.stones_won() == game.last.outcome().stones
    assert table.deals_ended == len(game.last.outcome().deals)


@SOME
@given(played(rulesets=EVERY))
def test_nobody_decides_more_often_than_the_bound(game):
    asked = [act["seat"] for act in events_of(game.last, "act")]
    bound = KAKEYA.decisions_bound(game.ruleset, game.board.kind)
    assert max(asked.count(seat) for seat in seats_of(game)) <= bound


@pytest.mark.parametrize("preset", ["kakeya4.league", "kakeya6.league", "etori.simple6", "etori.meiji"])
@pytest.mark.parametrize("kind", ["deal", "game"])
def test_the_bound_is_reached(preset, kind):
    one_deal = {"hands" if preset == "etori.meiji" else "hand_cap": 1, "early_stop": False}
    ruleset = KAKEYA.ruleset(preset, one_deal)
    game = play(KAKEYA, ruleset, Board(kind, 1, "demo"), random_choice(random.Random(1)))
    asked = [act["seat"] for act in events_of(game.last, "act")]
    assert max(map(asked.count, asked)) == KAKEYA.decisions_bound(ruleset, kind)


@SOME
@given(played(rulesets=EVERY))
def test_the_text_is_the_observation(game):
    for state in game.states[::5]:
        for seat in seats_of(game):
            assert state.observe_text(seat) == json_text(state.observe(seat))


@SOME
@given(EVERY, seeds, st.integers(1, 24), st.sampled_from(("deal", "game")), st.integers(0, 2**32))
def test_stopping_early_changes_no_result(ruleset, seed, number, kind, choice):
    """The same plays with and without: a deal that stops merely leaves its last plays out."""
    board = Board(kind, number, seed)
    to_the_end = play(
        KAKEYA, ruleset.replace(early_stop=False), board, random_choice(random.Random(choice))
    ).last
    state = KAKEYA.start(ruleset.replace(early_stop=True), board)
    deals = 0
    for event in to_the_end.happened_since(None):
        if event.kind == "act" and deals == len(events_of(state, "deal_end")):
            state = state.apply(event.public["seat"], event.public["action"])
        deals += event.kind == "deal_end"
    assert state.outcome() == to_the_end.outcome()
    assert events_of(state, "deal_end") == events_of(to_the_end, "deal_end")


def mirrored(seat, axis):
    """The seat as seen in a mirror that leaves ``axis`` and its partner where they are."""
    return (2 * axis - seat - 1) % 4 + 1


def same_but_mirrored(ruleset, other, board, choice):
    """Both rulesets play the same board card by card, seats mirrored about the taker of the last pile."""
    first, second = KAKEYA.start(ruleset, board), KAKEYA.start(other, board)
    axis = first.deal.seating.by_pile[3]
    assert axis == second.deal.seating.by_pile[3]
    rng = random.Random(choice)
    while first.to_act:
        assert sorted(mirrored(seat, axis) for seat in first.to_act) == list(second.to_act)
        for seat in first.to_act:
            legal = first.legal(seat)
            assert legal == second.legal(mirrored(seat, axis))
            action = rng.choice(legal)
            first, second = first.apply(seat, action), second.apply(mirrored(seat, axis), action)
    results = [state.outcome().stones for state in (first, second)]
    assert results[0] == {seat: results[1][mirrored(seat, axis)] for seat in results[0]}
    assert [end["category"] for end in events_of(first, "deal_end") + events_of(second, "deal_end")] in (
        [events_of(first, "deal_end")[0]["category"]] * 2,
    )


@SOME
@given(rulesets("etori.simple"), seeds, st.integers(1, 24), st.integers(0, 2**32))
def test_simple_etori_with_debt_is_kakeya_in_a_mirror(ruleset, seed, number, choice):
    """Trumps fixed to spades and seats mirrored; without the mirror if both go right.

    Source: docs/rules/etori.md#simplified-etori.
    """
    ruleset = ruleset.replace(debt=True, aces_timing="dealt", direction="left")
    shared = ("stones", "hand_cap", "schedule", "lead_protocol", "rensho_free", "early_stop")
    options = {name: value for name, value in ruleset.as_dict().items() if name in shared}
    kakeya = PLAIN.replace(trump_fixed="S", **options)
    same_but_mirrored(ruleset, kakeya, Board("deal", number, seed), choice)

    board = Board("deal", number, seed)
    simple = play(
        KAKEYA, ruleset.replace(direction="right"), board, random_choice(random.Random(choice))
    ).last
    plain = play(KAKEYA, kakeya, board, random_choice(random.Random(choice))).last
    assert simple.outcome() == plain.outcome()
    assert events_of(simple, "act") == events_of(plain, "act")


@SOME
@given(rulesets("kakeya4", "etori.simple", "etori.meiji"), seeds, st.integers(1, 24), st.integers(0, 2**32))
def test_the_other_direction_is_the_mirror_image(ruleset, seed, number, choice):
    sides = [ruleset.replace(direction=direction) for direction in ("left", "right")]
    same_but_mirrored(*sides, Board("deal", number, seed), choice)


def redealt(game, state, seat, shuffle):
    """A deck that differs from the state's in cards ``seat`` has not seen, suits of each place kept.

    Cards not yet played change places among the other seats suit by suit, so every play so far
    would have been legal with these hands too.
    """
    order = state.deal.seating.by_pile
    dealt = {s: list(state.deal.deck[pile::4]) for pile, s in enumerate(order)}
    unplayed = {s: state.observe(s)["hand"] for s in order if s != seat}
    for suit in "SHDC":
        places = [
            (s, dealt[s].index(card)) for s, cards in unplayed.items() for card in cards if card[1] == suit
        ]
        cards = [dealt[s][i] for s, i in places]
        for (s, i), card in zip(places, shuffle(cards), strict=True):
            dealt[s][i] = card
    return deck_for(dealt, order)


@examples(200)
@given(played(kinds=("deal",), rulesets=EVERY), st.data())
def test_an_observation_does_not_depend_on_hidden_cards(game, data):
    seat = data.draw(st.sampled_from(seats_of(game)), "seat")
    at = data.draw(st.integers(0, len(game.states) - 1), "state")
    state = game.states[at]
    deck = redealt(game, state, seat, lambda cards: data.draw(st.permutations(cards)))
    other = KAKEYA.start(game.ruleset, game.board._replace(decks=(deck,)))
    for act in (e.public for e in state.happened_since(None) if e.kind == "act"):
        other = other.apply(act["seat"], act["action"])
    if state.phase == "lead" and len(state.to_act) < len(game.states[0].to_act):
        answered = next(s for s in game.states[0].to_act if s not in state.to_act)
        other = other.apply(answered, other.legal(answered)[0])
        if answered == seat:
            return
    assert other.observe(seat) == state.observe(seat)
    assert other.events_since(None, seat) == state.events_since(None, seat)


@SOME
@given(st.sampled_from(VARIANTS), st.permutations(KAKEYA_PACK.cards), st.integers(1, 24), st.integers(1, 5))
def test_a_bot_cannot_tell_boards_of_equal_conditions_apart(variant, deck, number, round_):
    """The conditions of boards come round after 8 with two pairs, 12 with three or in Meiji Etori."""
    ruleset = KAKEYA.presets[variant]
    boards = [
        Board("deal", n, seed, (tuple(deck),)) for n, seed in ((number, "a"), (number + 24 * round_, "b"))
    ]
    states = [KAKEYA.start(ruleset, board) for board in boards]
    while states[0].to_act:
        for seat in range(1, ruleset.seats + 1):
            assert states[0].observe(seat) == states[1].observe(seat)
            assert states[0].events_since(None, seat) == states[1].events_since(None, seat)
        seat = states[0].to_act[-1]
        states = [state.apply(seat, state.legal(seat)[-1]) for state in states]
    assert states[0].outcome() == states[1].outcome()


NEXT_BOARD = [
    pytest.param(PLAIN, (1, 3, 5, 7), -1, id="kakeya4"),
    pytest.param(SIX, (1, 2, 4, 5, 7, 8), 1, id="kakeya6"),
    pytest.param(SIMPLE6, (2, 5, 8), 1, id="etori.simple6"),
    pytest.param(SIMPLE6, (1, 4, 7), 4, id="etori.simple6-other-seat-deals"),
    pytest.param(KAKEYA.ruleset("etori.meiji", {"trump_fixed": "D"}), (1, 2, 3), 1, id="etori.meiji"),
]


@pytest.mark.parametrize(("ruleset", "numbers", "step"), NEXT_BOARD)
@examples(30)
@given(st.permutations(KAKEYA_PACK.cards), st.data(), st.sampled_from((0, 1)))
def test_no_seat_is_special(ruleset, numbers, step, deck, data, policy):
    """The next board gives the same cards ``step`` places on: played alike, the same result there."""

    def choose(state, seat):
        legal = state.legal(seat)
        return legal[(len(state.observe(seat)["tricks"]) * policy) % len(legal)]

    number = data.draw(st.sampled_from(numbers))
    stones_here, stones_next = (
        play(KAKEYA, ruleset, Board("deal", n, "x", (tuple(deck),)), choose).last.outcome().stones
        for n in (number, number + 1)
    )
    assert stones_next == {
        (seat - 1 + step) % ruleset.seats + 1: stones for seat, stones in stones_here.items()
    }


def player(skill):
    """A bot that is a function of its observation alone, differently for each ``skill``."""

    def choose(state, seat):
        seen = state.observe(seat)
        return seen["legal"][(skill * (1 + len(seen["hand"]) + seen["seat"])) % len(seen["legal"])]

    return choose


@SOME
@given(st.sampled_from(VARIANTS), st.integers(1, 24), seeds, st.permutations((0, 1, 2)), st.integers(0, 7))
def test_results_of_a_rotation_sum_to_zero_and_equals_get_nothing(variant, number, seed, skills, equal):
    """Board score = mean of an entry's results over the tables of the rotation.

    Source: docs/contracts.md#seating-and-results.
    """
    ruleset = KAKEYA.presets[variant]
    sides = KAKEYA.sides(ruleset)
    for bots in (skills[: len(sides)], [equal] * len(sides)):
        totals = [0] * len(sides)
        for rotation in range(len(sides)):
            entry_at = {
                seat: (place + rotation) % len(sides) for place, side in enumerate(sides) for seat in side
            }
            stones = (
                play(
                    KAKEYA,
                    ruleset,
                    Board("deal", number, seed),
                    lambda state, seat, b=bots, e=entry_at: player(b[e[seat]])(state, seat),
                )
                .last.outcome()
                .stones
            )
            for side in sides:
                totals[entry_at[side[0]]] += stones[side[0]]
        assert sum(totals) == 0
        assert len(set(bots)) > 1 or set(totals) == {0}


@SOME
@given(played(rulesets=EVERY), st.data())
def test_refusals_hide_what_is_not_the_asker_s(game, data):
    state = data.draw(st.sampled_from(game.states))
    seat = data.draw(st.sampled_from(seats_of(game)))
    hidden = {card for other in seats_of(game) if other != seat for card in state.observe(other)["hand"]}
    for card in KAKEYA_PACK.cards:
        if card not in state.legal(seat):
            refused = refusal(IllegalAction, state.apply, seat, card)
            assert not (hidden - {card}) & set(str(refused).replace("'", " ").split())


@SOME
@given(EVERY)
def test_options_survive_json(ruleset):
    assert KAKEYA.ruleset(ruleset.preset, json.loads(json.dumps(ruleset.as_dict()))) == ruleset
