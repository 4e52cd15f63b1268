"""The suite's own chance: the same examples and secrets in every run, others when exploring."""

from __future__ import annotations

import os
import random
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from arena.common.ids import new_public_id
from tests import chance

ROOT = Path(__file__).resolve().parents[1]
PROPERTY = """
import hashlib, sys
from hypothesis import given, seed, strategies as st
from tests import chance
chance.install()
for name in sys.argv[2:]:
    __import__(name)
drawn = []
@chance.examples(100)
@given(st.integers(), st.floats(), st.text(), st.sets(st.text(max_size=3)))
def property(number, fraction, text, texts):
    drawn.append([number, fraction, text, sorted(texts)])
(seed(int(sys.argv[1])) if sys.argv[1] else lambda same: same)(property)()
print(len(drawn), hashlib.sha256(repr(drawn).encode()).hexdigest())
"""


def drawn(*modules: str, hash_seed: str = "0", explore: str = "0", seed: str = "") -> list[str]:
    """How many examples a property was tried on, and their hash."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "RENSHO_EXPLORE": explore}
    env["PYTHONHASHSEED"] = hash_seed
    command = [sys.executable, "-c", PROPERTY, seed, *modules]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()


def test_examples_are_the_same_whatever_else_is_imported_and_however_sets_are_ordered() -> None:
    same = drawn()
    assert same[0] == "100"
    assert drawn("engine", "league.verify.export", "referee.table") == same
    assert drawn(hash_seed="7") == same


@pytest.mark.full
def test_exploring_draws_as_many_more_and_others_with_each_seed() -> None:
    first, second = drawn(explore="2", seed="1"), drawn(explore="2", seed="2")
    assert first[0] == second[0] == "200"
    assert first != second
    assert drawn(explore="2", seed="1") == first


@pytest.mark.skipif(chance.EXPLORE > 0, reason="examples are not fixed when exploring")
def test_properties_have_fixed_examples_no_deadline_and_no_memory() -> None:
    found = settings()
    assert (found.derandomize, found.deadline, found.database) == (True, None, None)


def test_a_test_finds_the_same_secrets_ids_and_numbers_each_time() -> None:
    def found() -> list[object]:
        chance.start("a test")
        return [secrets.token_bytes(32), new_public_id(), random.random(), chance.serial(), chance.serial()]

    first = found()
    assert found() == first
    assert first[-2:] == [1, 2]
    chance.start("another test")
    assert [secrets.token_bytes(32), new_public_id(), random.random()] != first[:3]


def test_properties_take_their_number_of_examples_from_here() -> None:
    own = re.compile(r"max_examples\s*" + "=")
    found = [path for path in (ROOT / "tests").rglob("*.py") if own.search(path.read_text())]
    assert found == [ROOT / "tests" / "chance.py"], "use tests.chance.examples, or exploring draws no more"
