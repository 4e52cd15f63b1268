"""Playouts of Kakeya and Etori in the kernel against the engine: what is legal, who wins, what it brings.

Source: docs/rules/kakeya.md#play, #payment; docs/rules/etori.md#meiji-etori.
"""

import importlib.util
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board, RecordWriter, replay
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import PLAY
from engine.kernel import (
    KernelError,
    Playouts,
    legal_cards,
    places_of,
    play,
    playing,
    playing_deal,
    playout_line,
    playouts,
    playouts_by_card,
    position_of,
    replayed,
)
from tests.chance import examples
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN
from tests.engine.games.kakeya.rulesets import rulesets
from tests.engine.kernel.positions import at_the_lead, played_on, some_position
from tests.refusals import refusal

GOLDEN = 0x9E3779B97F4A7C15
NUMBER = {card: number for number, card in enumerate(KAKEYA_PACK.cards)}


def mixed_bits(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def stones_of_deal(state, results):
    """What the seats got in the deal that was number ``results`` of a board, which is over."""
    outcome = state.outcome()
    return outcome.deals[results] if outcome else dict(state.deal.by_seat(state.deal.results[results]))


def engine_playout(state, seed, number):
    """What the engine makes of a playout: cards by number, and what the deal is worth to side 0."""
    chance = mixed_bits((seed + (number + 1) * GOLDEN) % 2**64)
    results, place_0, cards = len(state.deal.results), places_of(state.deal)[0], []
    while state.phase == PLAY and len(state.deal.results) == results:
        (seat,) = state.to_act
        legal = state.legal(seat)
        index = 0
        if len(legal) > 1:
            chance = (chance + GOLDEN) % 2**64
            index = (mixed_bits(chance) >> 32) * len(legal) >> 32
        cards.append(NUMBER[legal[index]])
        state = state.apply(seat, legal[index])
    return tuple(cards), stones_of_deal(state, results)[place_0]


@given(rulesets(), st.sampled_from(["deal", "game"]), st.integers(1, 24), st.randoms(use_true_random=False))
@examples(60)
def test_playouts_are_those_of_the_engine_under_the_same_chance(ruleset, kind, number, rng):
    state = KAKEYA.start(ruleset, Board(kind, number, "playouts"))
    while state.to_act and state.phase != PLAY:
        state = state.apply(state.to_act[0], rng.choice(state.legal(state.to_act[0])))
    for _ in range(rng.randrange(24)):
        if state.phase == PLAY:
            state = played_on(state, rng, 1)
    if state.phase != PLAY:
        return
    start, seed, first = position_of(state), rng.getrandbits(64), rng.randrange(1 << 40)
    values, pictures = [], []
    for playout in (first, first + 1):
        cards, taken = playout_line(start, seed, playout)
        in_engine, value = engine_playout(state, seed, playout)
        # The engine may end a deal with its sixteenth picture.
        assert cards[: len(in_engine)] == in_engine
        assert len(cards) == len(in_engine) or state.deal.stops_early
        assert start.values[taken] == value
        values.append(value)
        pictures.append(taken)
    assert playouts(start, 2, seed, first) == Playouts(
        2, sum(values), sum(value * value for value in values), sum(pictures)
    )


def drawn_position(rng, cards):
    """A position of any preset after so many random cards."""
    position = some_position(rng, preset=rng.choice(sorted(KAKEYA.presets)))
    for _ in range(cards):
        position = play(position, rng.choice(legal_cards(position)))
    return position


def record(ruleset, board, rng):
    """A record of one board that was played at random."""
    seats = range(1, ruleset.seats + 1)
    writer = RecordWriter(KAKEYA, ruleset, {seat: f"{seat:064x}" for seat in seats})
    state = KAKEYA.start(ruleset, board)
    writer.start_board(board, state)
    while state.to_act:
        seat = state.to_act[0]
        before, state = state, state.apply(seat, rng.choice(state.legal(seat)))
        writer.add(before, state)
    writer.end_board(state)
    return writer.end((), dict.fromkeys(seats, "OK"))


def by_deal(states):
    """Of each deal of a board: its states with cards, the cards, and the state after it."""
    asked, cards = [], []
    for before, state in pairwise(states):
        if before.phase == PLAY:
            asked.append(before)
            cards += [NUMBER[e.public["action"]] for e in state.happened_since(before) if e.kind == "act"]
            if state.phase != PLAY or len(state.deal.results) != len(before.deal.results):
                yield asked, cards, state
                asked, cards = [], []


@given(rulesets(), st.integers(1, 24), st.randoms(use_true_random=False))
@examples(20)
def test_recorded_games_replay_through_the_rules_of_the_kernel(ruleset, number, rng):
    data = record(ruleset, Board("game", number, "recorded"), rng)
    for asked, cards, after in by_deal([step.state for step in replay(data).steps()]):
        start, places = position_of(asked[0]), places_of(asked[0].deal)
        legal, turns, taken = replayed(start, cards)
        for state, allowed, turn in zip(asked, legal, turns, strict=True):
            assert state.to_act == (places[turn],)
            assert state.legal(places[turn]) == tuple(KAKEYA_PACK.cards[card] for card in allowed)
        assert start.values[taken] == stones_of_deal(after, len(asked[0].deal.results))[places[0]]


def test_a_playout_does_not_depend_on_its_batch():
    start = some_position(random.Random(4), 6)
    whole, parts = playouts(start, 40, 3), [playouts(start, 20, 3, first) for first in (0, 20)]
    assert whole == Playouts(*map(sum, zip(*parts, strict=True)))
    assert playouts(start, 40, 4) != whole


def test_each_card_has_the_playouts_of_the_position_after_it():
    rng = random.Random(5)
    for cards in range(52):
        start = drawn_position(rng, cards)
        found = playouts_by_card([start] * 2, 4, 9)
        assert tuple(found) == legal_cards(start)
        for card, results in found.items():
            assert results == playouts(play(start, card), 8, 9)


def test_worlds_are_compared_under_the_same_numbers_and_must_look_alike():
    start = some_position(random.Random(6))._replace(turn=0, trick=())
    first, second, third, fourth = start.hands
    world = start._replace(hands=(first, third, second, fourth))
    found = playouts_by_card([start, world], 3, 1)
    for card, results in found.items():
        parts = playouts(play(start, card), 3, 1), playouts(play(world, card), 3, 1, 3)
        assert results == Playouts(*map(sum, zip(*parts, strict=True)))
    assert "position 1" in str(refusal(KernelError, playouts_by_card, [start, start._replace(turn=1)], 1, 1))
    assert "no positions" in str(refusal(KernelError, playouts_by_card, [], 1, 1))


def test_the_last_card_leaves_one_result():
    last = drawn_position(random.Random(7), 51)
    over = play(last, legal_cards(last)[0])
    for position in (last, over):
        taken = over.captured[0]
        assert playouts(position, 3, 1) == Playouts(
            3, 3 * over.values[taken], 3 * over.values[taken] ** 2, 3 * taken
        )
    assert playout_line(over, 1, 0) == ((), over.captured[0])
    assert playouts_by_card([over], 1, 1) == {}


def test_compiled_and_plain_code_give_the_same_numbers(monkeypatch):
    assert playing_deal.__file__.endswith(".so"), "make setup compiles it"
    source = Path(__file__).resolve().parents[3] / "engine" / "kernel" / "playing_deal.py"
    spec = importlib.util.spec_from_file_location("engine.kernel.playing_as_plain_python", source)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    rng = random.Random(8)
    starts = [drawn_position(rng, rng.randrange(52)) for _ in range(60)]

    def numbers():
        for number, start in enumerate(starts):
            seed = mixed_bits(number + 1)
            yield (
                playouts(start, 10, seed),
                playout_line(start, seed, 2**40),
                playouts_by_card([start], 2, seed),
            )

    compiled = list(numbers())
    monkeypatch.setattr(playing, "PlayoutDeal", plain.PlayoutDeal)
    assert list(numbers()) == compiled


def test_a_card_that_is_not_legal_is_named():
    start = some_position(random.Random(9))
    with pytest.raises(KernelError, match=r"card 1.*60; allowed: \d+"):
        replayed(start, [legal_cards(start)[0], 60])
    assert "cards" in str(refusal(KernelError, replayed, start, None))


def test_positions_that_are_no_list_of_positions_are_refused():
    state = at_the_lead(PLAIN, "no list")
    assert "positions" in str(refusal(KernelError, playouts_by_card, state, 1, 1))
    start = position_of(state)
    assert "not a Position: None" in str(refusal(KernelError, playouts_by_card, [start, None], 1, 1))


@pytest.mark.parametrize(
    ("n", "seed", "first"), [(0, 1, 0), (1, -1, 0), (1, 1 << 64, 0), (1, 1, -1), (2**40 + 1, 1, 0)]
)
def test_impossible_numbers_are_refused(n, seed, first):
    start = position_of(at_the_lead(PLAIN, "numbers"))
    assert "give" in str(refusal(KernelError, playouts, start, n, seed, first))
    assert "trump" in str(refusal(KernelError, playouts, start._replace(trump=4), 1, 1))
