"""Policy files, and bots that ``rensho new --template policy`` makes of them."""

import numpy as np
import pytest

from bots import rl
from bots.kit.local.check import check_bot
from bots.kit.local.new import create_bot
from bots.rl.layouts import LAYOUTS, LayoutError, Policy, load_policy, untrained_policy
from bots.rl.layouts.suits import suit_orders
from bots.sdk import PACK, SUITS
from tests.bots.rl.boards import positions

KAKEYA, KAKKURI = LAYOUTS["kakeya"], LAYOUTS["kakkuri"]


@pytest.fixture
def path(tmp_path):
    untrained_policy(KAKEYA, (16,)).save(tmp_path / "policy.npz")
    return tmp_path / "policy.npz"


def test_a_saved_policy_plays_the_same(path):
    first, second = untrained_policy(KAKEYA, (16,)), load_policy(path, KAKEYA)
    actions = []
    for state in positions("kakeya4_v0"):
        for seat in state.to_act:
            seen = state.observe(seat)
            actions.append(first.choose(seen, seen["legal"]))
            assert actions[-1] == second.choose(seen, seen["legal"])
            assert actions[-1] in seen["legal"]
    assert len({*actions}) > 20


def test_scores_are_those_of_the_network_also_in_batches():
    chance = np.random.default_rng(1)
    layers = [
        (chance.normal(size=(527, 3)), chance.normal(size=3)),
        (chance.normal(size=(3, 61)), np.ones(61)),
    ]
    policy = Policy(KAKEYA, layers)
    batch = chance.integers(0, 2, (4, 527), dtype=np.uint8)
    hidden = np.maximum(batch @ layers[0][0] + layers[0][1], 0)
    assert np.allclose(policy.scores(batch), hidden @ layers[1][0] + 1, atol=1e-3)
    assert np.allclose(policy.scores(batch[2]), policy.scores(batch)[2], atol=1e-4)


@pytest.mark.parametrize("by_role", [False, True])
def test_observations_of_another_layout_are_refused_with_one_line(by_role):
    policy = Policy(KAKEYA, untrained_policy(KAKEYA, (4,)).layers, by_role=by_role)
    for shape in ((KAKKURI.size,), (2, KAKKURI.size), (2, KAKEYA.size, 1), ()):
        with pytest.raises(LayoutError, match=r"kakeya_v0 is 527") as error:
            policy.scores(np.zeros(shape, np.uint8))
        assert "\n" not in str(error.value)
    assert policy.scores(np.zeros((0, KAKEYA.size), np.uint8)).shape == (0, 61)


def test_inputs_never_exceed_their_highest_value():
    for name in rl.environment_names():
        for state in [*positions(name)][::7]:
            encoded = rl.layout(name).encode(state.observe(1))
            assert (encoded <= rl.layout(name).highest).all()


RENAMED = str.maketrans("SHDC", "HDCS")
"""Spades become hearts and so on: trumps S with Rensho AC become trumps H with Rensho AS."""


def with_other_suits(value):
    """An observation with trumps spades as one with trumps hearts."""
    if isinstance(value, dict):
        return {name: with_other_suits(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [with_other_suits(each) for each in value]
    is_card = isinstance(value, str) and (value in PACK or value in SUITS)
    return value.translate(RENAMED) if is_card else value


def test_a_policy_by_role_plays_the_same_with_all_trumps():
    trained = untrained_policy(KAKEYA, (16,))
    policy = Policy(KAKEYA, trained.layers, by_role=True)
    differences = 0
    for state in positions("kakeya4_v0", trump_fixed="S"):
        for seat in state.to_act:
            seen = state.observe(seat)
            other = with_other_suits(seen)
            expected = with_other_suits(policy.choose(seen, seen["legal"]))
            assert policy.choose(other, other["legal"]) == expected
            differences += trained.choose(other, other["legal"]) != expected
    assert differences > 20


def test_orders_by_role_are_permutations():
    for order in suit_orders(KAKEYA):
        for trump in range(4):
            assert sorted(order[trump]) == [*range(order.shape[1])]
    with pytest.raises(LayoutError, match="kakkuri"):
        suit_orders(KAKKURI)


def changed(path, **changes):
    """Write the file again with some members changed, or removed if None."""
    with np.load(path) as file:
        parts = {**file, **changes}
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"layout": "kakkuri"}, "kakkuri_v0"),
        ({"version": 1}, "kakeya_v1"),
        ({"size": 528}, "528"),
        ({"actions": np.array(KAKEYA.actions[::-1])}, "actions"),
        ({"actions": None}, "actions"),
        ({"w0": np.full((527, 16), np.nan, np.float32)}, "NaN"),
        ({"b1": np.full(61, np.inf, np.float32)}, "infinity"),
        ({"w0": np.zeros((520, 16), np.float32)}, "520"),
        ({"b0": None}, "b0"),
        ({"w0": None, "w1": None}, "no layer"),
    ],
)
def test_another_policy_file_is_refused_with_one_line(path, changes, culprit):
    changed(path, **changes)
    with pytest.raises(LayoutError) as caught:
        load_policy(path, KAKEYA)
    message = str(caught.value)
    assert path.name in message
    assert culprit in message
    assert "\n" not in message
    assert str(path.parent) not in message


@pytest.mark.parametrize("content", [b"", b"weights", b"PK\x03\x04 and no more"])
def test_a_file_that_is_no_policy_is_refused_with_one_line(path, content):
    path.write_bytes(content)
    with pytest.raises(LayoutError, match=path.name):
        load_policy(path, KAKEYA)
    path.unlink()
    with pytest.raises(LayoutError, match="missing"):
        load_policy(path, KAKEYA)


@pytest.mark.parametrize("preset", ["kakeya6", "etori.meiji", "kakkuri"])
def test_the_template_passes_the_check_and_plays_by_its_network(tmp_path, preset):
    made = create_bot(tmp_path / "net", preset, template="policy")
    report, _ = check_bot(made.folder, preset, is_sandboxed=False)
    assert report.accepted, report.reasons
    assert 'name = "net"' in (made.folder / "main.py").read_text()
    load_policy(made.folder / "policy.npz", rl.layout(f"{preset}_v0"))


def test_a_bot_with_the_policy_of_another_game_says_so_in_its_log(tmp_path):
    made = create_bot(tmp_path / "net", "kakeya4", template="policy")
    manifest = made.folder / "rensho.toml"
    manifest.write_text(manifest.read_text().replace('preset = "kakeya4"', 'preset = "kakkuri"'))
    report, faults = check_bot(made.folder, "kakkuri", is_sandboxed=False)
    assert not report.accepted
    assert "kakkuri_v0" in str(report) + str(faults)


@pytest.mark.full
def test_the_template_plays_in_the_sandbox(tmp_path):
    made = create_bot(tmp_path / "net", "kakeya4", template="policy")
    report, _ = check_bot(made.folder, "kakeya4", is_sandboxed=True)
    assert report.accepted, report.reasons
