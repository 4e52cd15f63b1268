"""What holds in every game of Kakkuri, whatever is dealt, chosen and played."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine import Board, IllegalAction
from engine.cards import KAKKURI_PACK
from engine.game import json_text
from engine.games.kakkuri.notation import MELDS, WORDS
from tests.chance import examples
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN, played, rulesets, stalling
from tests.refusals import refusal
from tests.strategies import play

SOME = examples(60)


def of_this_deal(state):
    """Events of the newest deal of a state, as recorded."""
    events = [event.recorded() for event in state.happened_since(None)]
    starts = [at for at, event in enumerate(events) if event["e"] == "deal"]
    return events[starts[-1] :]


def cards_of_meld(action):
    return action.split("@")[0].split("+")


@SOME
@given(played())
def test_cards_are_conserved_at_every_state(game):
    """In hands, laid down, turned up, in the box, under dropped hands: 48 different cards."""
    for state in game.states:
        if state.phase == "deal":
            continue
        standing = state.standing
        seats = range(1, game.ruleset.seats + 1)
        seen = {seat: state.observe(seat) for seat in seats}
        if state.phase == "fuwaru":
            held = [card for hand in standing.hands for card in KAKKURI_PACK.listed(hand)]
            box = [] if state.deal.box8 else list(state.deal.box)
        else:
            held = [card for seat in seats for card in seen[seat]["hand"]]
            held += [
                card for seat in seen[1]["dropped"] for card in KAKKURI_PACK.listed(standing.hands[seat])
            ]
            box = list(state.deal.box[len(seen[1]["turned"]) :])
            box += seen[1]["turned"]
        laid = [card for _, meld in seen[1]["plays"] for card in cards_of_meld(meld)]
        assert sorted(held + box + laid) == sorted(KAKKURI_PACK.cards)


@SOME
@given(played())
def test_sizes_shown_are_sizes_held(game):
    for state in game.states:
        seats = range(1, game.ruleset.seats + 1)
        seen = {seat: state.observe(seat) for seat in seats}
        for seat in seats:
            size = seen[seat]["hand_sizes"][str(seat)]
            assert size == (6 if state.phase == "fuwaru" else len(seen[seat]["hand"]))
            assert len({json_text(seen[other]["hand_sizes"]) for other in seats}) == 1


@SOME
@given(played())
def test_stones_are_never_made_or_lost(game):
    for state in game.states:
        seen = state.observe(1)
        assert sum(seen["stones"].values()) + seen["pot"] == game.ruleset.seats * game.ruleset.stones
    outcome = game.last.outcome()
    for stones in (outcome.stones, *outcome.deals):
        assert sum(stones.values()) == 0


@SOME
@given(played())
def test_text_of_an_observation_is_the_observation(game):
    """Also looking back and again, whatever the texts remember."""
    states = [*game.states, *random.Random(1).choices(game.states, k=20)]
    for state in states:
        for seat in range(1, game.ruleset.seats + 1):
            assert state.observe_text(seat) == json_text(state.observe(seat))


@examples(150)
@given(played(kinds=("deal",)), st.data())
def test_an_observation_does_not_depend_on_hidden_cards(game, data):
    """Cards the seat has not seen change places; what it is shown, allowed and told does not."""
    state = game.states[data.draw(st.integers(0, len(game.states) - 1), "state")]
    seat = data.draw(st.integers(1, game.ruleset.seats), "seat")
    deck = list(of_this_deal(state)[0]["deck"])
    hidden = set(deck)
    if state.phase != "fuwaru":
        seen = state.observe(seat)
        hidden -= {card for _, meld in seen["plays"] for card in cards_of_meld(meld)}
        hidden -= set(seen["turned"]) | set(KAKKURI_PACK.listed(state.standing.hands[seat]))
        # A declared hand must stay three pairs, and the box of eight seats comes from one hand.
        for other in (*seen["sansoku"], *seen["out"]):
            hidden -= set(KAKKURI_PACK.listed(state.standing.hands[other]))
    places = [at for at, card in enumerate(deck) if card in hidden]
    for at, card in zip(places, data.draw(st.permutations([deck[at] for at in places])), strict=True):
        deck[at] = card
    other = KAKKURI.start(game.ruleset, game.board._replace(decks=(tuple(deck),)))
    for event in of_this_deal(state):
        if event["e"] == "act":
            # The new hands may hold three aces, or the same card more to follow: another deal then.
            assume(other.to_act == (event["seat"],))
            other = other.apply(event["seat"], event["action"])
    assume(bool(other.to_act) == bool(state.to_act))
    assert other.observe(seat) == state.observe(seat)
    assert other.observe_text(seat) == state.observe_text(seat)
    assert other.legal(seat) == state.legal(seat)
    assert other.events_since(None, seat) == state.events_since(None, seat)
    assert other.situation == state.situation


@SOME
@given(st.permutations(KAKKURI_PACK.cards), st.integers(2, 7), st.integers(1, 8), st.integers(1, 5))
def test_a_bot_cannot_tell_boards_of_equal_conditions_apart(deck, seats, number, rounds):
    ruleset = PLAIN.replace(seats=seats)
    boards = [
        Board("deal", n, seed, (tuple(deck),)) for n, seed in ((number, "a"), (number + seats * rounds, "b"))
    ]
    states = [KAKKURI.start(ruleset, board) for board in boards]
    while True:
        for seat in range(1, seats + 1):
            assert states[0].observe(seat) == states[1].observe(seat)
            assert states[0].events_since(None, seat) == states[1].events_since(None, seat)
        if not states[0].to_act:
            break
        (seat,) = states[0].to_act
        states = [state.apply(seat, state.legal(seat)[-1]) for state in states]
    assert states[0].outcome() == states[1].outcome()


@SOME
@given(st.permutations(KAKKURI_PACK.cards), st.integers(2, 8), st.integers(0, 5))
def test_no_seat_is_special(deck, seats, skill):
    """The same cards one place to the right, played alike, give the same result one place to the right."""

    def choose(state, seat):
        legal = state.legal(seat)
        return legal[(skill * (1 + len(state.observe(seat)["plays"]))) % len(legal)]

    outcomes = []
    for number in (1, 2):
        # With eight seats the box is shuffled by the seed alone, so it is the same too.
        board = Board("deal", number, "x", (tuple(deck),))
        outcomes.append(play(KAKKURI, PLAIN.replace(seats=seats), board, choose).last.outcome().stones)
    assert outcomes[1] == {seat % seats + 1: stones for seat, stones in outcomes[0].items()}


@SOME
@given(played(), st.data())
def test_only_legal_actions_are_accepted_and_refusals_hide_other_hands(game, data):
    state = data.draw(st.sampled_from(game.states))
    seat = data.draw(st.integers(1, game.ruleset.seats))
    hidden = set(KAKKURI_PACK.cards) - set(state.observe(seat)["hand"])
    for action in (*WORDS, *MELDS):
        if action in state.legal(seat):
            state.apply(seat, action)
            continue
        refused = refusal(IllegalAction, state.apply, seat, action)
        said = str(refused).replace(repr(action), "")
        assert not [card for card in hidden if card in said]


@SOME
@given(played())
def test_a_seat_that_is_out_of_a_deal_is_not_asked_in_it(game):
    for state in game.states:
        seen = state.observe(1)
        assert set(state.to_act) <= set(seen["active"])
        assert set(seen["active"]).isdisjoint([*seen["dropped"], *seen["out"]])
        assert sorted([*seen["active"], *seen["dropped"], *seen["out"]]) == list(range(1, seen["seats"] + 1))


@SOME
@given(rulesets(), st.integers(1, 40), st.integers(0, 2**32))
def test_a_deal_ends_however_long_the_players_stall(ruleset, number, luck):
    """Fewer than n(48 + n) turns.

    Source: docs/rules/kakkuri.md#turns.
    """
    game = play(KAKKURI, ruleset, Board("deal", number, str(luck)), stalling(random.Random(luck)))
    acts = [e["action"] for e in of_this_deal(game.last) if e["e"] == "act" and e["phase"] == "turn"]
    turns = 1 + sum(action in ("PASS", "DROP") for action in acts)
    assert turns < ruleset.seats * (48 + ruleset.seats)


@SOME
@given(rulesets())
def test_options_survive_json(ruleset):
    assert KAKKURI.ruleset("kakkuri", ruleset.as_dict()) == ruleset


@pytest.mark.parametrize("ruleset", [PLAIN, LEAGUE], ids=["kakkuri", "kakkuri.league"])
@pytest.mark.parametrize("seats", range(2, 9))
def test_random_games_of_every_size_run_clean(ruleset, seats):
    rng = random.Random(seats)
    for number in range(20):
        state = KAKKURI.start(ruleset.replace(seats=seats), Board("deal", number + 1, f"random {number}"))
        while state.to_act:
            (seat,) = state.to_act
            state = state.apply(seat, rng.choice(state.legal(seat)))
        assert sum(state.outcome().stones.values()) == 0
