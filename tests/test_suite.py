"""How the suite is run: its parts, and groups of tests that share what is costly to start."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PATIENCE_S = 120.0
"""A guard against hanging, not a measure."""
LONGEST_NAME = 400
"""Characters: xdist sends the names of all tests to each worker and back."""


def run(*arguments: str) -> str:
    """What pytest prints."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout + done.stderr


ALWAYS = ["fixture", "through_another", "marker"]
TESTS_OF_PARTS = {
    "quick": [*ALWAYS, "none", "on_sqlite", "on_postgresql", *["case"] * 2, "row_case", *["of_module"] * 2],
    "postgresql": [*ALWAYS, "on_postgresql", "slow", "slow_on_both", *["row_case"] * 4],
    "sqlite": [
        *ALWAYS,
        "none",
        "on_sqlite",
        "slow_on_sqlite",
        "slow_on_both",
        "slow_alone",
        *["case"] * 8,
        "row_case",
        *["of_module"] * 6,
    ],
}
"""Of ``some_tests`` those that each part has."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", TESTS_OF_PARTS)
def test_a_part_has_the_tests_that_ask_for_it(some_tests: Path, part: str) -> None:
    printed = run(f"--part={part}", "--collect-only", "-q", str(some_tests))
    found = [line.partition("::test_")[2] for line in printed.splitlines() if "::" in line]
    wanted = TESTS_OF_PARTS[part]
    assert sorted(re.sub(r"\[.*|_\d+$", "", name) for name in found) == sorted(wanted), printed
    assert f"{len(wanted)}/28 tests collected ({28 - len(wanted)} deselected)" in printed


@pytest.fixture
def some_tests(tmp_path: Path) -> Path:
    """Tests with and without a database and each of the marks of a part, and the hooks of all tests."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "@pytest.fixture\ndef row(db): pass\n"
        "def test_fixture(db): pass\n"
        "def test_through_another(row): pass\n"
        "@pytest.mark.django_db\ndef test_marker(): pass\n"
        "def test_none(): pass\n"
        "@pytest.mark.sqlite_suffices\ndef test_on_sqlite(db): pass\n"
        "@pytest.mark.postgresql_suffices\ndef test_on_postgresql(db): pass\n"
        "@pytest.mark.slow\ndef test_slow(db): pass\n"
        "@pytest.mark.slow\ndef test_slow_alone(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.sqlite_suffices\ndef test_slow_on_sqlite(db): pass\n"
        "@pytest.mark.slow\n@pytest.mark.both_databases\ndef test_slow_on_both(db): pass\n"
        "@pytest.mark.sampled(4)\n@pytest.mark.parametrize('n', range(4))\ndef test_row_case(db, n): pass\n"
        "@pytest.mark.sampled(4)\n@pytest.mark.parametrize('number', range(8))\ndef test_case(number): pass\n"
    )
    (tmp_path / "test_sampled.py").write_text(
        "import pytest\n"
        "pytestmark = pytest.mark.sampled(3)\n"
        + "".join(f"def test_of_module_{number}(): pass\n" for number in range(6))
    )
    return tmp_path


@pytest.mark.slow
def test_the_quick_part_tries_a_quarter_of_the_examples(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_property.py").write_text(
        "from hypothesis import given, strategies\n"
        "from tests import chance\n"
        "tried = {'own': 0, 'usual': 0}\n"
        "@chance.examples(40)\n@given(strategies.integers())\ndef test_own(n): tried['own'] += 1\n"
        "@given(strategies.integers())\ndef test_usual(n): tried['usual'] += 1\n"
        "def test_count(): assert False, (tried, len(chance.some(range(8))), chance.times(3))\n"
    )
    assert "({'own': 10, 'usual': 25}, 2, 1)" in run("--part=quick", str(tmp_path))


@pytest.mark.slow
def test_the_tests_of_a_group_run_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "test_group.py").write_text(
        "import os, pathlib, pytest\n"
        "@pytest.mark.xdist_group('one, two')\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_grouped(number):\n"
        f"    (pathlib.Path({str(tmp_path)!r}) / f'{{os.getpid()}}.pid').touch()\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_alone(number): pass\n"
    )
    printed = run("-n", "2", "--dist", "loadgroup", "--noconftest", str(tmp_path))
    assert "24 passed" in printed
    assert len(list(tmp_path.glob("*.pid"))) == 1, printed


@pytest.mark.slow
def test_the_ids_of_long_values_are_short_and_differ(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_long.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('value', ['x' * 90_000, 'x' * 89_999 + 'y', b'x' * 90_000, 'x' * 80])\n"
        "def test_long(value): pass\n"
    )
    names = {line.strip() for line in run("--collect-only", "-q", str(tmp_path)).splitlines() if "::" in line}
    assert len(names) == 4
    assert sorted(len(name.partition("[")[2]) for name in names)[-1] == len("x" * 80 + "]")
    assert max(len(item.nodeid) for item in request.session.items) < LONGEST_NAME


@pytest.mark.slow
def test_the_tests_have_the_same_names_at_any_time(request: pytest.FixtureRequest) -> None:
    """Of two processes that collect them a second apart, xdist would run none."""
    group = re.compile(r"@[^\]]*$")
    here = {
        group.sub("", item.nodeid) if item.get_closest_marker("xdist_group") else item.nodeid
        for item in request.session.items
    }
    program = (
        "import sys, pytest\n"
        "class Names:\n"
        "    def pytest_collection_finish(self, session):\n"
        "        open(sys.argv[1], 'w').write('\\0'.join(item.nodeid for item in session.items))\n"
        "pytest.main(['-p', 'no:cacheprovider', '-q', '--collect-only', 'tests'], [Names()])\n"
    )
    with tempfile.NamedTemporaryFile() as names:
        subprocess.run(
            [sys.executable, "-c", program, names.name],
            cwd=REPOSITORY,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
        found = set(Path(names.name).read_text().split("\0"))
    assert here - found == set()
