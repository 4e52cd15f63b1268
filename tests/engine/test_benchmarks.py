"""The parts of the benchmarks of the engine, and the program that drives other libraries."""

import json
import subprocess
import sys

from benchmarks.bench_engine import own_slice
from benchmarks.harness import PEER_PROGRAMS, PeerProcess
from tests.refusals import refusal


def test_every_preset_that_is_measured_exists_and_plays():
    seconds, decisions = own_slice("kakkuri", {"seats": 5, "fuwaru": False})(2)
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
        [sys.executable, PEER_PROGRAMS / "drive.py"],
        input=json.dumps(["open-spiel", "spades", 5]) + "\n",
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)[1] == 10


def test_without_the_peers_the_benchmark_says_how_to_get_them(tmp_path):
    assert "make peers" in str(refusal(SystemExit, PeerProcess, python=tmp_path / "python"))
