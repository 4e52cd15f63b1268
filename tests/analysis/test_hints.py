"""Hints are computed from the observation alone."""

import random

import pytest

from analysis.estimates import estimate_of
from analysis.hints import HintQuestion, hint_of
from analysis.work import Cancelled
from engine import Board, State, preset_named
from engine.kernel import position_of, solve_moves


class Set:
    """A cancellation that was requested."""

    def is_set(self) -> bool:
        return True


def decision(preset: str, phase: str, cards: int | None = None, seed: int = 1) -> State:
    """A state in which a seat has a choice, of random play; with at most so many cards in hand."""
    game, ruleset = preset_named(preset)
    rng = random.Random(seed)
    state = game.start(ruleset, Board("deal", 1, f"hint {seed}"))
    while state.to_act:
        seat = state.to_act[0]
        seen = state.observe(seat)
        is_late = cards is None or len(seen["hand"]) <= cards
        if len(seen["legal"]) > 1 and seen["phase"] == phase and is_late:
            return state
        state = state.apply(seat, rng.choice(state.legal(seat)))
    return decision(preset, phase, cards, seed + 1)


def question(preset: str, state: State) -> HintQuestion:
    game, ruleset = preset_named(preset)
    return HintQuestion(game.key, preset, ruleset.as_dict(), state.observe(state.to_act[0]))


@pytest.mark.parametrize(
    ("preset", "phase", "cards"),
    [
        ("kakeya4", "lead", None),
        ("kakeya4", "play", 13),
        ("kakeya6", "play", 8),
        ("etori.meiji", "play", 6),
        ("kakkuri.league", "turn", None),
    ],
)
def test_the_same_observation_of_other_deals_has_the_same_hint(preset, phase, cards):
    state = decision(preset, phase, cards)
    game, ruleset = preset_named(preset)
    seat = state.to_act[0]
    worlds = game.worlds(ruleset, state.observe(seat))
    other = worlds.state(worlds.draw(random.Random(7)))
    others = [each for each in range(1, game.seats(ruleset) + 1) if each != seat]
    assert any(other.observe(each)["hand"] != state.observe(each)["hand"] for each in others)
    assert other.observe(seat) == state.observe(seat)
    hint = hint_of(question(preset, state))
    assert hint is not None
    assert hint == hint_of(question(preset, other))
    assert {each["action"] for each in hint["actions"]} <= set(state.legal(seat))


def test_late_cards_are_solved_and_early_cards_and_declarations_played_on():
    methods = {
        (phase, cards): hint_of(question("kakeya4", decision("kakeya4", phase, cards)))["method"]
        for phase, cards in (("lead", None), ("play", 13), ("play", 10), ("play", 5))
    }
    assert methods == {
        ("lead", None): "rules",
        ("play", 13): "rules",
        ("play", 10): "open",
        ("play", 5): "open",
    }


def test_a_decision_before_the_cards_are_seen_has_no_hint():
    assert hint_of(question("kakkuri", decision("kakkuri", "fuwaru"))) is None


def test_losses_are_those_of_an_independent_sample():
    state = decision("kakeya4", "play", 2, seed=5)
    hint = hint_of(question("kakeya4", state))
    seat = state.to_act[0]
    game, ruleset = preset_named("kakeya4")
    worlds = game.worlds(ruleset, state.observe(seat))
    assert hint["deals"] == 64
    assert hint["actions"][0]["loss"] == 0
    values = {card: [] for card in state.legal(seat)}
    rng = random.Random(3)
    for _ in range(400):
        position = position_of(worlds.state(worlds.draw(rng)))
        sign = 1 - 2 * (position.turn % 2)
        for (card, own), (_, answer) in zip(values.items(), solve_moves(position), strict=True):
            assert card in state.legal(seat)
            own.append(sign * answer.low)
    exact = {each["action"]: each["loss"] for each in estimate_of("open", values)["actions"]}
    for each in hint["actions"]:
        assert each["loss"] == pytest.approx(exact[each["action"]], abs=3 * max(each["error"], 0.05))


def test_losses_are_paired_and_equal_actions_are_named():
    estimate = estimate_of(
        "open", {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [0, 1, 2, 3], "d": [4, 2, 3, 0]}
    )
    found = {each["action"]: (each["loss"], each["error"], each["is_equal"]) for each in estimate["actions"]}
    assert estimate["actions"][0]["action"] in "ab"
    assert found["a"] == found["b"] == (0.0, 0.0, True)
    assert found["c"] == (1.0, 0.0, False)
    assert found["d"][0] == 0.25
    assert found["d"][2]


@pytest.mark.parametrize(("preset", "phase"), [("kakeya4", "play"), ("kakkuri.league", "turn")])
def test_a_hint_can_be_cancelled(preset, phase):
    with pytest.raises(Cancelled):
        hint_of(question(preset, decision(preset, phase)), Set())
