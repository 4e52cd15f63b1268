"""PettingZoo and Gymnasium environments: the libraries' own tests, hidden cards, rewards, bad input."""

import random
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from bots import rl
from bots.house.kakeya_greedy.main import KakeyaGreedy
from bots.rl.errors import RlError
from bots.sdk import Bot
from engine import Board
from engine.cards import KAKKURI_PACK

FAMILIES = [
    ("kakeya4_v0", {}),
    ("kakeya6.league_v0", {"kind": "game", "options": {"hand_cap": 2}}),
    ("etori.simple_v0", {}),
    ("etori.simple6_v0", {"kind": "game", "options": {"hand_cap": 1}}),
    ("etori.meiji_v0", {}),
    ("kakkuri_v0", {"options": {"seats": 8}}),
    ("kakkuri.league_v0", {"kind": "game", "options": {"seats": 3, "hands": 2}}),
]
families = pytest.mark.parametrize(("name", "arguments"), FAMILIES)


def quietly(check, *arguments, **named):
    """Run a test of a library, whose advice about spaces does not apply to observations with masks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(*arguments, **named)


def playing(env, seed):
    """Play an episode with random actions. Yield the agent to act before each of them."""
    chance = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, _, is_over, _, _ = env.last()
        if is_over:
            env.step(None)
            continue
        yield agent
        env.step(int(chance.choice(np.flatnonzero(seen["action_mask"]))))


@families
def test_pettingzoo_accepts_every_family(name, arguments):
    make = partial(rl.env, name, **arguments)
    quietly(api_test, make(), num_cycles=20)
    quietly(seed_test, make, num_cycles=20)


@families
def test_pettingzoo_renders(name, arguments, capsys):
    quietly(render_test, partial(rl.env, name, **arguments))
    assert name.removesuffix("_v0") in capsys.readouterr().out


@families
def test_rewards_are_the_stones_of_the_outcome(name, arguments):
    env = rl.env(name, **arguments)
    won = dict.fromkeys(env.possible_agents, 0)
    env.reset(seed=5)
    chance = random.Random(5)
    for agent in env.agent_iter():
        seen, reward, is_over, _, _ = env.last()
        won[agent] += reward
        env.step(None if is_over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))
    stones = env.unwrapped.position.outcome().stones
    assert won == {f"seat_{seat}": each for seat, each in stones.items()}
    assert sum(won.values()) == 0


@families
def test_no_hidden_card_changes_what_an_agent_sees(name, arguments):
    """Redraw the hidden cards at many positions: the own observation and mask stay, another one changes."""
    env = rl.env(name, **arguments)
    rules, chance = env.unwrapped.setting.rules, random.Random(name)
    changed = checked = 0
    for count, agent in enumerate(playing(env, 3)):
        if count % 6:
            continue
        state = env.unwrapped.position
        seat = int(agent.removeprefix("seat_"))
        before = {each: env.observe(each) for each in env.agents}
        worlds = rules.game.worlds(rules.ruleset, state.observe(seat))
        env.unwrapped.position = worlds.state(worlds.draw(chance))
        after = {each: env.observe(each) for each in env.agents}
        env.unwrapped.position = state
        for part in ("observation", "action_mask"):
            assert np.array_equal(before[agent][part], after[agent][part])
        changed += any(not np.array_equal(before[a]["observation"], after[a]["observation"]) for a in before)
        checked += 1
    assert checked > 1
    assert changed


def test_an_answer_to_a_simultaneous_question_stays_hidden():
    for word in ("PREFER", "DEFER"):
        env = rl.env("kakeya4_v0")
        env.reset(options={"board": Board("deal", 1, "s")})
        first = env.agent_selection
        env.step(rl.layout("kakeya4_v0").index[word])
        assert env.agent_selection != first
        seen = env.observe(env.agent_selection)["observation"]
        if word == "PREFER":
            kept = seen
    assert np.array_equal(kept, seen)


def test_a_board_may_be_given():
    board = Board("deal", 7, "0f")
    env = rl.env("kakeya4_v0")
    env.reset(options={"board": board})
    assert env.unwrapped.position.observe(1) == env.unwrapped.setting.start(board).observe(1)


UTAZU = ("AS", "AD", "AH", *(card for card in KAKKURI_PACK.cards if card not in ("AS", "AD", "AH")))
"""A deck with which the seat after the dealer wins as soon as it is dealt."""


def test_a_board_whose_first_deal_needs_no_decision_is_refused():
    env = rl.env("kakkuri.league_v0", kind="game", options={"seats": 2})
    for hands in (UTAZU,), (UTAZU, KAKKURI_PACK.cards):
        with pytest.raises(RlError, match="decision"):
            env.reset(options={"board": Board("game", 1, "s", hands)})


def test_a_reward_counts_all_deals_that_an_action_ends():
    env = rl.env("kakkuri.league_v0", kind="game", options={"seats": 2, "hands": 2})
    env.reset(options={"board": Board("game", 1, "s", (KAKKURI_PACK.cards, UTAZU))})
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    outcome = env.unwrapped.position.outcome()
    assert len(outcome.deals) == 2
    assert env.rewards == {f"seat_{seat}": stones for seat, stones in outcome.stones.items()}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("kakeya4_v0", {}), ("kakeya6_v0", {"partner": "greedy"}), ("kakkuri_v0", {"kind": "game"})],
)
def test_gymnasium_accepts_the_environment(name, arguments):
    quietly(check_env, rl.gym(name, opponents="rules", render_mode="ansi", **arguments))


def episode(env, seed):
    """Play an episode with random actions; return the seats asked and the sum of rewards."""
    chance, seats, stones = random.Random(seed), [], 0
    _, info = env.reset(seed=seed)
    is_over = False
    while not is_over:
        masks = env.action_masks()
        assert np.array_equal(masks, info["action_mask"].astype(bool))
        seats.append(env.seat)
        _, reward, is_over, _, info = env.step(int(chance.choice(np.flatnonzero(masks))))
        stones += reward
    return seats, stones


def test_the_learner_plays_its_side_or_one_seat_of_it():
    whole, alone = rl.gym("kakeya4_v0", opponents="rules"), rl.gym("kakeya4_v0", partner=KakeyaGreedy)
    for seed in range(4):
        seats, stones = episode(whole, seed)
        assert {*seats} in ({1, 3}, {2, 4})
        assert stones == whole.position.outcome().stones[seats[0]]
        seats, stones = episode(alone, seed)
        assert len({*seats}) == 1
        assert len(seats) in (13, 14)
        assert stones == alone.position.outcome().stones[seats[0]]


class Guest(Bot):
    seats: list[tuple[str, int]] = []

    def on_hello(self, hello):
        self.seats.append((type(self).__name__, hello.seat))

    def act(self, request):
        return request.legal[0]


class Friend(Guest):
    pass


def test_partner_and_opponents_have_their_seats():
    env = rl.gym("kakeya6_v0", opponents=Guest, partner=Friend)
    Guest.seats.clear()
    env.reset(options={"seat": 2, "board": Board("deal", 1, "s")})
    assert sorted(Guest.seats) == [("Friend", 5), *(("Guest", seat) for seat in (1, 3, 4, 6))]


def test_opponents_of_gym_play_as_house_bots():
    """Greedy never prefers to lead, and each seat plays as the bot answers."""
    env = rl.gym("kakeya4_v0", opponents="greedy")
    for seed in range(3):
        seats, _ = episode(env, seed)
        said = env.position.observe(1)["declarations"]
        assert {word for seat, word in said.items() if int(seat) not in seats} <= {"DEFER"}


def test_the_same_seed_plays_the_same_episode():
    for opponents in ("random", "rules"):
        first, second = (rl.gym("kakkuri_v0", opponents=opponents) for _ in range(2))
        for env in (first, second):
            episode(env, 11)
        assert first.position.observe(1) == second.position.observe(1)


def test_a_masked_action_of_a_learner_is_a_fault_as_at_a_table():
    env = rl.gym("kakeya4_v0", opponents="random", partner="random")
    env.reset(options={"board": Board("deal", 1, "s"), "seat": 1})
    index = rl.layout("kakeya4_v0").index["KEEP"]
    with pytest.warns(UserWarning, match="masked"):
        _, _, _, _, info = env.step(index)
    assert "masked" in info["fault"]
    assert env.position.observe(1)["declarations"]["1"] == "DEFER"


class Cheat(Bot):
    def act(self, request):
        return "AS"


def refused(call, *names):
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for name in names:
        assert name in message


def test_bad_arguments_are_refused_with_one_line():
    refused(lambda: rl.env("kakeya9_v0"), "kakeya9", "kakeya4_v0")
    refused(lambda: rl.env("kakeya4"), "kakeya4_v0")
    refused(lambda: rl.env("kakeya4_v0", kind="match"), "match", "deal")
    refused(lambda: rl.env("kakeya4_v0", options={"seats": 5}), "seats")
    refused(lambda: rl.env("kakeya4_v0", options={"sets": 5}), "sets")
    refused(lambda: rl.env("kakeya4_v0", render_mode="rgb_array"), "rgb_array", "ansi")
    refused(lambda: rl.gym("kakeya4_v0", opponents="wizard"), "wizard", "greedy")
    refused(lambda: rl.gym("kakkuri_v0", partner="greedy"), "kakkuri_v0")
    refused(rl.gym("kakeya4_v0", opponents=dict).reset, "dict")
    leaders = {"board": Board("deal", 1, "s"), "seat": 2}
    refused(lambda: rl.gym("kakeya4_v0", opponents=Cheat).reset(options=leaders), "Cheat", "AS")
    gym = rl.gym("kakeya4_v0")
    refused(lambda: gym.step(0), "reset")
    refused(lambda: gym.action_masks(), "reset")
    refused(lambda: gym.reset(options={"seat": 5}), "5")
    refused(lambda: gym.reset(options={"board": Board("game", 0, "s")}), "board")
    refused(lambda: gym.reset(options={"board": 3}), "engine.Board")


@pytest.mark.parametrize("action", [60, 61, -1, 0.5, float("nan"), None, "AS"])
def test_an_action_that_cannot_be_played_changes_nothing(action):
    env = rl.env("kakeya4_v0")
    env.reset(options={"board": Board("deal", 1, "s")})
    before = env.unwrapped.position
    refused(lambda: env.step(action), "mask")
    assert env.unwrapped.position is before
    env.step(rl.layout("kakeya4_v0").index["DEFER"])


def test_without_the_extra_one_line_says_what_to_install(tmp_path):
    for missing in ("pettingzoo", "gymnasium"):
        (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError('x', name={missing!r})")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from bots import rl\n"
        "rl.layout('kakeya4_v0')\n"
        "for make in (rl.env, rl.gym):\n"
        "    try: make('kakeya4_v0')\n"
        "    except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert done.stderr == ""
    assert [line.partition(": ")[2] for line in done.stdout.splitlines()] == ["pip install 'rensho[rl]'"] * 2
