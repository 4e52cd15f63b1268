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


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("quick", ["fixture", "through_another", "marker", "none", "on_sqlite", "on_postgresql"]),
        ("postgresql", ["fixture", "through_another", "marker", "on_postgresql", "slow"]),
        ("sqlite", ["fixture", "through_another", "marker", "none", "on_sqlite", "slow"]),
    ],
)
def test_a_part_has_the_tests_that_ask_for_it(some_tests: Path, part: str, names: list[str]) -> None:
    printed = run(f"--part={part}", "--collect-only", "-q", str(some_tests))
    found = [line.partition("::test_")[2] for line in printed.splitlines() if "::" in line]
    assert sorted(found) == sorted(names), printed
    assert f"{len(names)}/7 tests collected ({7 - len(names)} deselected)" in printed


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
    )
    return tmp_path


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
