"""A deal that is decided pays the same whatever is played, in every deal that agrees with an observation."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from engine import Board, preset_named
from engine.cards import KAKEYA_PACK
from engine.errors import ObservationError

PRESETS = ["kakeya4", "kakeya4.nakayoshi", "kakeya6", "etori.simple", "etori.meiji"]


def positions(preset, seed):
    """Yield the states of a deal of random play in which a card is to be played, and its last state."""
    game, ruleset = preset_named(preset)
    state, rng = game.start(ruleset, Board("deal", seed % 16 + 1, f"decided {seed}")), random.Random(seed)
    while state.to_act:
        if state.observe(state.to_act[0])["phase"] == "play":
            yield state
        state = state.apply(state.to_act[0], rng.choice(state.legal(state.to_act[0])))
    yield state


def distributions(cards, sizes) -> Iterator[list[tuple[str, ...]]]:
    if not sizes:
        yield []
        return
    for hand in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in hand]
        for others in distributions(rest, sizes[1:]):
            yield [hand, *others]


def possible_states(preset, state):
    """All states that agree with the observation of the seat to act."""
    game, ruleset = preset_named(preset)
    seat = state.to_act[0]
    seen = state.observe(seat)
    gone = {card for trick in seen["tricks"] for card in trick["cards"]} | {card for _, card in seen["trick"]}
    hidden = [card for card in KAKEYA_PACK.cards if card not in gone and card not in seen["hand"]]
    others = [each for each in seen["active"] if each != seat]
    sizes = [13 - len(seen["tricks"]) - any(each == player for player, _ in seen["trick"]) for each in others]
    worlds = game.worlds(ruleset, seen)
    for hands in distributions(hidden, sizes):
        try:
            yield worlds.state({seat: tuple(seen["hand"]), **dict(zip(others, hands, strict=True))})
        except ObservationError:
            continue


def results(state) -> set[tuple[tuple[int, int], ...]]:
    """The stones of all ends of a deal board."""
    found, open_states = set(), [state]
    while open_states:
        state = open_states.pop()
        if not state.to_act:
            found.add(tuple(sorted(state.outcome().stones.items())))
        seat = state.to_act[0] if state.to_act else 0
        open_states += [state.apply(seat, card) for card in (state.legal(seat) if seat else ())]
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_every_deal_and_play_of_a_decided_position_pays_the_same(preset):
    game, ruleset = preset_named(preset)
    decided = undecided = 0
    for seed in range(40):
        for state in positions(preset, seed):
            if not state.to_act or len(state.observe(state.to_act[0])["hand"]) > 2:
                continue
            seen = state.observe(state.to_act[0])
            left = 16 - sum(map(len, seen["pictures"].values()))
            is_decided = game.is_decided(ruleset, seen)
            assert {game.is_decided(ruleset, state.observe(seat)) for seat in seen["active"]} == {is_decided}
            if is_decided and left and decided < 3:
                decided += 1
                ends = set()
                for possible in possible_states(preset, state):
                    ends |= results(possible)
                assert len(ends) == 1
            undecided += not is_decided
            break
    assert decided
    assert undecided


@pytest.mark.parametrize("preset", PRESETS)
def test_long_ends_of_decided_deals_by_chance(preset):
    game, ruleset = preset_named(preset)
    rng = random.Random(preset)
    tried = 0
    for seed in range(100, 140):
        state = next(
            (
                each
                for each in positions(preset, seed)
                if each.to_act and game.is_decided(ruleset, each.observe(each.to_act[0]))
            ),
            None,
        )
        if state is None:
            continue
        worlds = game.worlds(ruleset, state.observe(state.to_act[0]))
        ends = set()
        for _ in range(25):
            other = worlds.state(worlds.draw(rng))
            while other.to_act:
                assert game.is_decided(ruleset, other.observe(other.to_act[0])), (
                    "once decided, always decided"
                )
                other = other.apply(other.to_act[0], rng.choice(other.legal(other.to_act[0])))
            ends.add(tuple(sorted(other.outcome().stones.items())))
        assert len(ends) == 1
        tried += 1
    assert tried >= 10


def test_after_the_last_picture_a_deal_is_decided_and_before_play_it_is_not():
    game, ruleset = preset_named("kakeya4")
    start = game.start(ruleset, Board("deal", 1, "decided"))
    assert not game.is_decided(ruleset, start.observe(1))
    for state in positions("kakeya4", 3):
        seen = state.observe(1)
        if state.to_act and sum(map(len, seen["pictures"].values())) == 16:
            assert game.is_decided(ruleset, seen)
        if len(seen["tricks"]) == 0:
            assert not game.is_decided(ruleset, seen)


def test_kakkuri_is_never_decided_before_its_end():
    game, ruleset = preset_named("kakkuri.league")
    state = game.start(ruleset, Board("deal", 1, "decided"))
    assert not game.is_decided(ruleset, state.observe(1))
