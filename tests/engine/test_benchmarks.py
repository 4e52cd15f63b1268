"""What the benchmarks of the engine rest on: their policies, their checks and the programs they start."""

import json
import random
import subprocess
import sys

import pytest

from benchmarks import bench_engine, bench_random_games, bench_rules_figures
from benchmarks.bench_rules_figures import KAKKURI_PACK, Line, greedy, longest, mean_line, play_longest
from engine import Board, preset_named
from engine.games.kakeya.scoring import trick_powers


# Source: docs/rules/kakkuri.md#test-vectors.
@pytest.mark.parametrize(
    ("hand", "follow", "most"),
    [
        ("4H 5D 6S 7C 8H 9D", 3, 6),  # T61
        ("QH KS 3D 4C AC 6H", 10, 6),  # T62: the wild is named 5
        ("AH AS 2H 2C 3D 4S", 12, 6),  # T63
        ("KH KD KS KC 4H 5H", 11, 6),  # T57: three kings, then anything
        ("9H JD QS", 9, 2),  # T51: no ten, so nine to jack
        ("5H 9S", 7, 0),
    ],
)
def test_the_longest_turn_of_the_vectors_is_found(hand, follow, most):
    found, melds = longest(KAKKURI_PACK.mask(hand.split()), follow)
    assert found == most
    assert bool(melds) == bool(most)


@pytest.mark.parametrize("policy", [play_longest, bench_rules_figures.play_half])
def test_the_policies_of_kakkuri_give_legal_answers_and_never_drop(policy):
    game, plain = preset_named("kakkuri.league")
    rng = random.Random(1)
    for seats in range(2, 9):
        state = game.start(plain.replace(seats=seats), Board("deal", 1, f"policies {seats}"))
        while state.to_act:
            seat = state.to_act[0]
            action = policy(state, seat, rng)
            assert action in state.legal(seat)
            assert action not in ("DROP", "SANSOKU")
            state = state.apply(seat, action)


def test_greedy_spares_a_partner_and_wins_as_cheaply_as_it_can():
    game, ruleset = preset_named("kakeya4")
    rng, spared, won = random.Random(1), 0, 0
    for number in range(1, 5):
        state = game.start(ruleset, Board("deal", number, f"greedy {number}"))
        while state.to_act:
            for seat in state.to_act:
                seen, legal, action = state.observe(seat), state.legal(seat), greedy(state, seat, rng)
                assert action in legal
                if seen["trick"]:
                    power = trick_powers(seen["trump"], seen["rensho"])[seen["trick"][0][1][1]]
                    best, winning = max((power[card], who) for who, card in seen["trick"])
                    better = [power[card] for card in legal if power[card] > best]
                    if winning == seen["partner"] or not better:
                        assert power[action] == min(power[card] for card in legal)
                        spared += winning == seen["partner"]
                    else:
                        assert power[action] == min(better)
                        won += 1
                state = state.apply(seat, action)
    assert spared > 5
    assert won > 5


@pytest.mark.parametrize(
    ("document", "is_within"), [("10%", True), ("12%", True), ("17%", False), ("5-9%", True)]
)
def test_a_figure_lies_within_if_both_samples_and_rounding_allow_it(document, is_within):
    line = mean_line("x", document, [True] * 100 + [False] * 900, "kakkuri", 1, scale=100)
    assert line.ours == 10
    assert line.is_within == is_within
    assert ("within" in str(line)) == is_within


def test_a_range_of_the_document_is_met_anywhere():
    assert Line("x", "3-5", 4.5, 4.2, 4.8, 3, 5).is_within
    assert not Line("x", "3-5", 5.5, 5.2, 5.8, 3, 5).is_within


def test_random_games_end_without_an_error():
    tally = bench_random_games.play_games("etori.simple", "tests", range(50, 52))
    assert (tally.games, tally.errors) == (2, ())
    assert tally.deals >= tally.longest > 0


def test_an_error_in_a_random_game_is_told_with_its_seed():
    tally = bench_random_games.play_games("kakeya4", "\ud800", range(1, 2))
    assert tally.deals == 0
    assert tally.errors[0].startswith("kakeya4, seed '\\ud800 1': UnicodeEncodeError")


def test_every_preset_that_is_measured_exists_and_plays():
    seconds, decisions = bench_engine.own_slice("kakkuri", {"seats": 5, "fuwaru": False})(2)
    assert seconds >= 0
    assert decisions > 0


def test_the_peers_program_answers_a_line_for_a_line_and_needs_nothing_of_ours(tmp_path):
    """A library of the same shape stands in for the real one."""
    (tmp_path / "pyspiel.py").write_text(
        "class State:\n"
        "    def __init__(self): self.left = 3\n"
        "    def is_terminal(self): return self.left == 0\n"
        "    def is_chance_node(self): return self.left == 3\n"
        "    def chance_outcomes(self): return [(7, 1.0)]\n"
        "    def legal_actions(self): return [1, 2]\n"
        "    def apply_action(self, action): self.left -= 1\n"
        "    def returns(self): return [0]\n"
        "class Game:\n"
        "    def new_initial_state(self): return State()\n"
        "def load_game(name): return Game()\n"
    )
    done = subprocess.run(
        [sys.executable, bench_engine.DRIVE],
        input=json.dumps(["open-spiel", "spades", 5]) + "\n",
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)[1] == 10


def test_without_the_peers_the_benchmark_says_how_to_get_them(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench_engine, "PEERS", tmp_path / "python")
    monkeypatch.setattr(sys, "argv", ["bench_engine.py"])
    assert bench_engine.main() == 2
    assert "make peers" in capsys.readouterr().err
