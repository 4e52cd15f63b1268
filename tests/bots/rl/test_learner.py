"""The learner of examples/rl: its arithmetic, its targets, and what it saves."""

import sys
from pathlib import Path

import numpy as np
import pytest

from bots.rl.layouts import LAYOUTS, LayoutError, load_policy, untrained_policy

FOLDER = Path(__file__).parents[3] / "examples" / "rl"
KAKEYA = LAYOUTS["kakeya"]


@pytest.fixture
def learner(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import network
    import train

    yield network, train
    for name in ("network", "train"):
        sys.modules.pop(name)


def batch(rng, rows=6):
    return rng.integers(0, 2, (rows, KAKEYA.size), dtype=np.uint8), rng.integers(0, 61, rows)


def test_training_moves_the_chosen_values_to_their_targets(learner):
    rng = np.random.default_rng(1)
    network = learner[0].Network(KAKEYA, [32, 16], rng)
    encoded, actions = batch(rng)
    targets = rng.normal(size=6).astype(np.float32)
    errors = [network.train(encoded, actions, targets, 1e-2) for _ in range(200)]
    assert errors[-1] < 0.01 < errors[0]
    assert np.allclose(network.values(encoded)[np.arange(6), actions], targets, atol=0.2)


def test_the_policy_scores_as_the_network_values(learner):
    rng = np.random.default_rng(2)
    network = learner[0].Network(KAKEYA, [32, 16], rng)
    for _ in range(20):
        network.train(*batch(rng, 2), np.ones(2, np.float32), 1e-3)
    network._average = network._parameters
    encoded, _ = batch(rng)
    policy = network.policy()
    assert np.allclose(policy._forward(encoded), network.values(encoded), atol=1e-4)


def test_targets_without_bootstrapping_are_the_stones_of_the_acting_pair(learner):
    play = learner[1].SelfPlay("kakeya4_v0", 16, seed=3)
    play.play(learner[0].Network(KAKEYA, [8], play.rng), exploration=0.5)
    chosen, targets = play.targets(1.0, 0.0)
    stones = play.stones.sum(axis=0)
    assert play.dones.sum() == 16
    for index in chosen[::17]:
        step, row = divmod(index, 16)
        assert targets[index] == (stones[row] if play.is_first[step, row] else -stones[row])
    assert {*np.abs(stones)} <= {1, 2, 4}


def test_pictures_count_for_the_pair_that_captures_them(learner):
    play = learner[1].SelfPlay("kakeya4_v0", 16, seed=4)
    play.play(learner[0].Network(KAKEYA, [8], play.rng), exploration=0.5)
    total = np.abs(play.pictures).sum(axis=0)
    assert (total >= 12).all()
    assert (total <= 16).all()
    lead = play.pictures.sum(axis=0)
    assert (np.sign(lead) == np.sign(play.stones.sum(axis=0)))[np.abs(lead) > 4].all()


def test_it_trains_a_policy_into_a_bot_folder(learner, tmp_path, capsys):
    untrained_policy(KAKEYA, (8,)).save(tmp_path / "policy.npz")
    arguments = [str(tmp_path), "--minutes", "0.0001", "--rows", "8"]
    learner[1].main(arguments)
    assert "8 boards" in capsys.readouterr().err
    assert load_policy(tmp_path / "policy.npz", KAKEYA).by_role
    for wrong, culprit in (
        (["--rows", "0"], "0"),
        (["--environment", "kakkuri_v0"], "kakkuri"),
        (["--environment", "kakeya6_v0"], "kakeya6"),
        (["--minutes", "nan"], "--minutes"),
    ):
        with pytest.raises(SystemExit):
            learner[1].main([*arguments, *wrong])
        assert culprit in capsys.readouterr().err.splitlines()[-1]
    with pytest.raises(SystemExit):
        learner[1].main([str(tmp_path / "none")])
    assert "rensho new" in capsys.readouterr().err


def test_weights_that_are_not_numbers_are_never_saved(learner):
    rng = np.random.default_rng(5)
    network = learner[0].Network(KAKEYA, [8], rng)
    network._average[0][0, 0] = np.nan
    with pytest.raises(LayoutError, match="NaN"):
        network.policy()


def test_rewards_that_are_not_numbers_are_refused_and_change_nothing(learner):
    rng = np.random.default_rng(5)
    network = learner[0].Network(KAKEYA, [8], rng)
    inputs, actions = batch(rng)
    before = network.values(inputs)
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^1 of 6 targets .* rewards$"):
            network.train(inputs, actions, np.array([0, value, 1, 2, 0, 1], np.float32), 1e-3)
    assert np.array_equal(network.values(inputs), before)


def test_hidden_layers_without_outputs_are_refused(learner, tmp_path, capsys):
    (tmp_path / "policy.npz").touch()
    with pytest.raises(SystemExit):
        learner[1].main([str(tmp_path), "--hidden", "0"])
    assert "--hidden" in capsys.readouterr().err
