"""What holds in every game of Kakeya, whatever is dealt, chosen and played."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Board, IllegalAction
from engine.cards import KAKEYA_PACK, PICTURES
from engine.games.kakeya.rotation import pile_order
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN, deck_for
from tests.engine.games.kakeya.table_rules import Table
from tests.strategies import kakeya_rulesets, play, played, seeds

SEATS = (1, 2, 3, 4)
SOME = settings(max_examples=60, deadline=None)


def cards_seen(state):
    """All cards of a deal: in hands, in the trick, in finished tricks."""
    cards = [card for seat in SEATS for card in state.observe(seat)["hand"]]
    seen = state.observe(1)
    cards += [card for _, card in seen["trick"]]
    return cards + [card for trick in seen["tricks"] for card in trick["cards"]]


@SOME
@given(played())
def test_cards_are_conserved_at_every_state(game):
    for state in game.states:
        cards = cards_seen(state)
        if state.phase != "trump":
            assert sorted(cards) == sorted(KAKEYA_PACK.cards)
        else:
            assert cards == []


@SOME
@given(played())
def test_pictures_lie_with_the_winners_of_their_tricks(game):
    for state in game.states:
        seen = state.observe(1)
        taken = {"1": set(), "2": set()}
        for trick in seen["tricks"]:
            taken["1" if trick["winner"] in (1, 3) else "2"] |= PICTURES & set(trick["cards"])
        assert {side: set(cards) for side, cards in seen["pictures"].items()} == taken


@SOME
@given(played())
def test_stones_are_never_made_or_lost(game):
    for state in game.states:
        stones = state.observe(1)["stones"]
        assert stones["1"] + stones["2"] == 2 * game.ruleset.stones
        assert (stones["1"], stones["2"]) == (stones["3"], stones["4"])


@SOME
@given(played(kinds=("deal",)))
def test_sixteen_pictures_and_at_most_fourteen_without_rensho_and_trump_ace(game):
    start, end = game.states[0], game.last.happened_since(None)[-1].public
    assert sum(end["pictures"].values()) == 16
    seen = start.observe(1)
    for side in ((1, 3), (2, 4)):
        held = {card for seat in side for card in start.observe(seat)["hand"]}
        pictures = end["pictures"][str(side[0])]
        high = held & {seen["rensho"], "A" + seen["trump"]}
        assert high or pictures <= 14
        assert seen["rensho"] in held or pictures < 16
        if end["winner"] == list(side):
            assert end["category"] == ("R" if high else "O" if held & {"AS", "AH", "AD", "AC"} else "N")
            assert pictures >= 9 or (pictures == 8 and seen["rensho"] not in held)


@SOME
@given(played())
def test_the_game_goes_as_a_plain_reading_of_the_rules_says(game):
    """A second model of RULES.md 2.4-2.10, with lists of cards and no tables, follows every event."""
    table = Table(game.ruleset, game.board.kind)
    for event in game.last.happened_since(None):
        table.hear(event.recorded())
    assert table.stones_won() == game.last.outcome().stones
    assert table.deals_ended == len(game.last.outcome().deals)


def redealt(state, seat, order, shuffle):
    """A deck that differs from the state's in cards ``seat`` has not seen, suits of each other hand kept.

    Cards not yet played change places among the other three seats suit by suit, so every play so far
    would have been legal with these hands too.
    """
    dealt = {s: list(KAKEYA_PACK.listed(state.deal.hands[s])) for s in SEATS}
    unplayed = {s: state.observe(s)["hand"] for s in SEATS if s != seat}
    for suit in "SHDC":
        places = [
            (s, dealt[s].index(card)) for s, cards in unplayed.items() for card in cards if card[1] == suit
        ]
        cards = [dealt[s][i] for s, i in places]
        for (s, i), card in zip(places, shuffle(cards), strict=True):
            dealt[s][i] = card
    return deck_for(dealt, order)


@SOME
@given(played(kinds=("deal",)), st.sampled_from(SEATS), st.data())
def test_an_observation_does_not_depend_on_hidden_cards(game, seat, data):
    at = data.draw(st.integers(0, len(game.states) - 1), "state")
    state = game.states[at]
    order = pile_order(state.deal.roles, state.deal.turn, "right")
    deck = redealt(state, seat, order, lambda cards: data.draw(st.permutations(cards)))
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
@given(st.permutations(KAKEYA_PACK.cards), st.integers(1, 8), st.integers(1, 5))
def test_a_bot_cannot_tell_boards_of_equal_conditions_apart(deck, number, round_):
    boards = [
        Board("deal", n, seed, (tuple(deck),)) for n, seed in ((number, "a"), (number + 8 * round_, "b"))
    ]
    states = [KAKEYA.start(PLAIN, board) for board in boards]
    while states[0].to_act:
        for seat in SEATS:
            assert states[0].observe(seat) == states[1].observe(seat)
            assert states[0].events_since(None, seat) == states[1].events_since(None, seat)
        seat = states[0].to_act[-1]
        states = [state.apply(seat, state.legal(seat)[-1]) for state in states]
    assert states[0].outcome() == states[1].outcome()


@SOME
@given(st.permutations(KAKEYA_PACK.cards), st.integers(0, 3), st.sampled_from((0, 1)))
def test_no_seat_is_special(deck, turn, policy):
    """The same cards one place to the left, played alike, give the same result one place to the left."""

    def choose(state, seat):
        legal = state.legal(seat)
        return legal[(len(state.observe(seat)["tricks"]) * policy) % len(legal)]

    outcomes = []
    for number in (2 * turn + 1, 2 * turn + 2):
        state = play(KAKEYA, PLAIN, Board("deal", number, "x", (tuple(deck),)), choose).last
        outcomes.append(state.outcome().stones)
    assert outcomes[1] == {seat: outcomes[0][seat % 4 + 1] for seat in SEATS}


def player(skill):
    """A bot that is a function of its observation alone, differently for each ``skill``."""

    def choose(state, seat):
        seen = state.observe(seat)
        return seen["legal"][(skill * (1 + len(seen["hand"]) + seen["seat"])) % len(seen["legal"])]

    return choose


@SOME
@given(st.integers(1, 8), seeds, st.integers(0, 7), st.integers(0, 7))
def test_exchanging_sides_gives_scores_that_sum_to_zero_and_equals_nothing(number, seed, one, other):
    """Board score = mean of an entry's results over both tables of the rotation. Source: DESIGN.md 2."""
    totals = {"one": 0, "other": 0}
    for first, second in (("one", "other"), ("other", "one")):
        bots = {"one": player(one), "other": player(other)}
        sits = {1: first, 2: second, 3: first, 4: second}
        table = play(
            KAKEYA,
            PLAIN,
            Board("deal", number, seed),
            lambda state, seat, b=bots, s=sits: b[s[seat]](state, seat),
        )
        stones = table.last.outcome().stones
        totals[first] += stones[1]
        totals[second] += stones[2]
    assert totals["one"] + totals["other"] == 0
    assert one != other or totals["one"] == 0


@SOME
@given(played(), st.data())
def test_refusals_hide_what_is_not_the_asker_s(game, data):
    state = data.draw(st.sampled_from(game.states))
    seat = data.draw(st.sampled_from(SEATS))
    hidden = {card for other in SEATS if other != seat for card in state.observe(other)["hand"]}
    for card in KAKEYA_PACK.cards:
        if card not in state.legal(seat):
            with pytest.raises(IllegalAction) as refused:
                state.apply(seat, card)
            assert not (hidden - {card}) & set(str(refused.value).replace("'", " ").split())


@SOME
@given(kakeya_rulesets())
def test_options_survive_json(ruleset):
    assert KAKEYA.ruleset("kakeya4", ruleset.as_dict()) == ruleset
