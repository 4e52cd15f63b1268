"""Batches of boards in the kernel: equal to the engine, to themselves uncompiled, and in every size.

Source: docs/rules/kakeya.md#trump-decision, #dealing, #opening-lead, #play, #end-of-a-game;
docs/rules/etori.md#meiji-etori; docs/contracts.md#conditions-of-deal-boards.
"""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots import rl
from bots.rl import batch
from bots.rl.batch import random_actions
from bots.rl.errors import RlError
from bots.rl.layouts import LayoutError
from engine.kernel import vector_deal
from engine.kernel.vector_layout import ACTIONS, OBSERVATION, offsets
from tests.chance import examples
from tests.engine.games.kakeya.positions import KAKEYA
from tests.engine.games.kakeya.rulesets import rulesets
from tests.engine.kernel.vector_boards import differences
from tests.refusals import refusal

PRESETS = sorted(KAKEYA.presets)
KINDS = ("deal", "game")


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_decision_of_a_preset_is_the_one_of_the_engine(preset, kind):
    """1,120 decisions in each of 18 cases: 20,160 in all."""
    assert differences(f"{preset}_v0", kind, 7, 160, seed=45) == []


@given(rulesets(), st.sampled_from(KINDS), st.integers(0, 2**64 - 1))
@examples(25)
def test_every_option_is_the_one_of_the_engine(ruleset, kind, seed):
    options = ruleset.as_dict()
    if options["meiji_trump"] == "random" and kind == "game":
        # The engine draws trumps from the text of a seed, which has to be found.
        options["hands"] = min(options["hands"], 3)
    assert differences(f"{ruleset.preset}_v0", kind, 1, 120, seed, **options) == []


def played(name, rows, steps, kind="game", seed=3, **options):
    """What a batch shows after each step; actions depend on the mask and the step only."""
    env = rl.vector(name, rows, kind=kind, seed=seed, options=options)
    for step in range(steps):
        shown = (env.observations, env.masks, env.rewards, env.dones, env.seats, env.boards)
        yield [array.copy() for array in shown]
        env.step(chosen(env.masks, step))


def chosen(masks, step):
    """The first, second or third legal action."""
    return np.array([(found := np.flatnonzero(mask))[step % 3 % len(found)] for mask in masks])


def test_compiled_and_plain_code_give_the_same_arrays(monkeypatch):
    assert vector_deal.__file__.endswith(".so"), "make setup compiles it"
    source = Path(__file__).resolve().parents[3] / "engine" / "kernel" / "vector_deal.py"
    spec = importlib.util.spec_from_file_location("engine.kernel.vector_as_plain_python", source)
    plain = importlib.util.module_from_spec(spec)
    # Cython is not installed where the kernel runs uncompiled.
    monkeypatch.setitem(sys.modules, "cython", None)
    spec.loader.exec_module(plain)
    cases = [
        ("kakeya4_v0", {"lead_protocol": "iku_koi", "rensho_free": True, "stones": 1}),
        ("kakeya6_v0", {"direction": "left", "stones": 1, "debt": False}),
        ("etori.simple6_v0", {"stones": 1}),
        ("etori.meiji_v0", {"meiji_trump": "random", "hands": 1}),
        ("etori.meiji_v0", {"meiji_trump": "turn_last", "hands": 2}),
    ]

    def arrays():
        return [list(played(name, 3, 120, **options)) for name, options in cases]

    compiled = arrays()
    monkeypatch.setattr(batch, "VectorDeals", plain.VectorDeals)
    for own, other in zip(compiled, arrays(), strict=True):
        for now, then in zip(own, other, strict=True):
            assert all(map(np.array_equal, now, then))


def test_a_row_does_not_depend_on_the_others_nor_on_their_number():
    small = list(played("kakeya4_v0", 2, 54, "deal"))
    large = list(played("kakeya4_v0", 9, 54, "deal"))
    for few, many in zip(small, large, strict=True):
        assert all(np.array_equal(part, whole[:2]) for part, whole in zip(few, many, strict=True))
    # Row 0 of two continues with board 2, which row 2 of nine began with.
    later = list(played("kakeya4_v0", 2, 108, "deal"))[54:]
    for few, many in zip(later, large, strict=True):
        assert few[5][0] == many[5][2] == 2
        assert np.array_equal(few[0][0], many[0][2])


def test_a_reset_repeats_the_boards_of_a_seed_and_only_those():
    env = rl.vector("kakeya6_v0", 4, seed=7)
    first = env.observations.copy()
    env.step(chosen(env.masks, 0))
    env.reset(7)
    assert np.array_equal(env.observations, first)
    assert not env.dones.any()
    env.reset(8)
    assert not np.array_equal(env.observations, first)


def test_the_first_answer_of_a_simultaneous_decision_stays_hidden():
    env, other = rl.vector("kakeya4_v0", 8), rl.vector("kakeya4_v0", 8)
    prefer, defer = env.layout.index["PREFER"], env.layout.index["DEFER"]
    env.step(np.full(8, prefer))
    other.step(np.full(8, defer))
    assert np.array_equal(env.observations, other.observations)
    env.step(np.full(8, defer))
    other.step(np.full(8, prefer))
    assert env.layout.part(env.observations, "declarations").sum(axis=(1, 2)).tolist() == [2] * 8
    assert not np.array_equal(env.seats, other.seats)


def test_the_resting_pair_proposes_trumps_in_the_first_deal():
    env = rl.vector("kakeya6_v0", 3, kind="game")
    assert env.seats.tolist() == [3] * 3
    assert not env.layout.part(env.observations, "active")[:, 0].any()
    env.step(np.full(3, env.layout.index["H"]))
    assert env.seats.tolist() == [6] * 3
    env.step(np.full(3, env.layout.index["KEEP"]))
    assert env.layout.part(env.observations, "trump").tolist() == [[0, 1, 0, 0]] * 3


def test_random_actions_are_legal_and_all_of_them_occur():
    masks = np.zeros((6000, 61), np.uint8)
    masks[:, [0, 7, 60]] = 1
    counts = np.bincount(random_actions(masks, np.random.default_rng(1)), minlength=61)
    assert set(np.flatnonzero(counts)) == {0, 7, 60}
    assert counts.max() < 2300


def test_the_kernel_has_the_fields_and_actions_of_the_layout():
    layout = rl.layout("kakeya4_v0")
    assert layout.actions == ACTIONS
    assert layout.size == offsets(OBSERVATION)[-1]
    starts = dict(zip(OBSERVATION, offsets(OBSERVATION), strict=False))
    for field in layout.fields[:-1]:
        assert (field.offset, math.prod(field.shape)) == (starts[field.name], OBSERVATION[field.name]), (
            field.name
        )


def test_a_masked_action_is_named_with_the_legal_ones_and_no_row_changes():
    env = rl.vector("kakeya4_v0", 3)
    before = [array.copy() for array in (env.observations, env.masks, env.seats)]
    for wrong, name in ((0, "0 (2S)"), (61, "61"), (-1, "-1")):
        message = str(refusal(RlError, env.step, np.array([52, 53, wrong])))
        assert all(part in message for part in ("row 2", name, "52 (PREFER)", "53 (DEFER)"))
        assert "\n" not in message
    assert all(map(np.array_equal, before, (env.observations, env.masks, env.seats)))


@pytest.mark.parametrize(
    ("actions", "culprit"),
    [
        (np.zeros(3), "float64"),
        (np.array([True] * 3), "bool"),
        (np.zeros((3, 1), np.int64), "(3, 1)"),
        (np.zeros(2, np.int64), "(2,)"),
        ([[52], [52, 53], [52]], "actions"),
        (None, "()"),
    ],
)
def test_actions_of_another_type_or_shape_are_refused(actions, culprit):
    message = str(refusal(RlError, rl.vector("kakeya4_v0", 3).step, actions))
    assert culprit in message
    assert "give" in message
    assert "\n" not in message


def test_other_whole_numbers_are_actions_too():
    env = rl.vector("kakeya4_v0", 2)
    env.step([52, 52])
    env.step(np.array([53, 53], np.uint8))
    assert env.layout.part(env.observations, "phase").tolist() == [[0, 0, 1]] * 2


@pytest.mark.parametrize(
    ("name", "arguments", "culprit"),
    [
        ("kakeya4_v0", {"rows": 0}, "rows"),
        ("kakeya4_v0", {"rows": 2.5}, "rows"),
        ("kakeya4_v0", {"rows": 1 << 21}, "rows"),
        ("kakeya4_v0", {"rows": 1, "seed": -1}, "seed"),
        ("kakeya4_v0", {"rows": 1, "kind": "match"}, "match"),
        ("kakeya4_v0", {"rows": 1, "options": {"stones": 0}}, "stones"),
        ("kakkuri_v0", {"rows": 1}, "kakkuri"),
        (["kakeya4_v0", "kakeya6_v0"], {"rows": 2}, "one"),
    ],
)
def test_impossible_batches_are_refused(name, arguments, culprit):
    message = str(refusal(RlError, lambda: rl.vector(name, **arguments)))
    assert culprit in message
    assert "\n" not in message


def test_an_unknown_preset_is_refused():
    assert "kakeya4_v0" in str(refusal(LayoutError, rl.vector, "kakeya5_v0", 1))
