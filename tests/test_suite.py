"""How the suite is run: its kinds, and groups of tests that share what is costly to start."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import kinds

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
PATIENCE_S = 300.0
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


QUICK = ["none", "property", "fixture", "through_another", "marker", "commits", "processes"]
RUNS = {
    ("quick", ""): [*QUICK, "case"],
    ("full", ""): ["none", "property", "fixture", "through_another", "marker", "full", "case", "case"],
    ("full", "postgres://"): ["commits", "processes"],
    ("nightly", ""): [*QUICK, "full", "nightly", *["case"] * 4],
    ("nightly", "postgres://"): ["fixture", "through_another", "marker", "commits", "processes", "full"],
}
"""Which tests of ``TEXT`` a run of a kind has, by DATABASE_URL."""
TEXT = """
import pytest
from hypothesis import given
from hypothesis.strategies import integers
@pytest.fixture
def row(db): pass
def test_none(): pass
@given(integers())
def test_property(number): pass
def test_fixture(db): pass
def test_through_another(row): pass
@pytest.mark.django_db
def test_marker(): pass
@pytest.mark.django_db(transaction=True)
def test_commits(): pass
def test_processes(migrated_database): pass
@pytest.mark.full
def test_full(db): pass
@pytest.mark.nightly
def test_nightly(): pass
@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", range(4))
def test_case(n): pass
"""


@pytest.mark.parametrize(("kind", "database"), RUNS)
def test_a_run_of_a_kind_has_its_tests(
    kind: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_some.py").write_text(TEXT)
    monkeypatch.setenv("DATABASE_URL", database and f"{database}nobody@/none")
    printed = run(f"--kind={kind}", "--collect-only", "-q", str(tmp_path))
    assert sorted(re.findall(r"::test_(\w+)", printed)) == sorted(RUNS[kind, database]), printed


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("quick", "({'own': 10, 'usual': 25}, 2, 1)"),
        ("full", "({'own': 10, 'usual': 25}, 2, 1)"),
        ("nightly", "({'own': 40, 'usual': 100}, 8, 3)"),
    ],
)
def test_a_run_tries_its_share_of_the_examples(tmp_path: Path, kind: str, counts: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_property.py").write_text(
        "from hypothesis import given, strategies\n"
        "from tests import chance\n"
        "tried = {'own': 0, 'usual': 0}\n"
        "@chance.examples(40)\n@given(strategies.integers())\ndef test_own(n): tried['own'] += 1\n"
        "@given(strategies.integers())\ndef test_usual(n): tried['usual'] += 1\n"
        "def test_count(): assert False, (tried, len(chance.some(range(8))), chance.times(3))\n"
    )
    assert counts in run(f"--kind={kind}", str(tmp_path))


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What two workers left in a folder of a group of tests and of tests that share a fixture, and said."""
    folder = tmp_path_factory.mktemp("workers")
    (folder / "conftest.py").write_text("from tests.conftest import *\n")
    (folder / "test_group.py").write_text(
        "import os, pathlib, pytest\n"
        "@pytest.mark.xdist_group('one, two')\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_grouped(number):\n"
        f"    (pathlib.Path({str(folder)!r}) / f'{{os.getpid()}}.pid').touch()\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_alone(number): pass\n"
    )
    (folder / "test_shared.py").write_text(
        "import pytest, uuid, pathlib\n"
        "@pytest.fixture(scope='module')\n"
        "def costly():\n"
        f"    (pathlib.Path({str(folder)!r}) / f'{{uuid.uuid1()}}.made').touch()\n"
        "@pytest.fixture\n"
        "def copied(costly): pass\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_with_it(number, copied): pass\n"
        "@pytest.mark.parametrize('number', range(12))\n"
        "def test_without(number): pass\n"
    )
    printed = run("-n", "2", "--dist", "loadgroup", "-v", str(folder))
    assert "48 passed" in printed, printed
    return folder, printed


@pytest.mark.full
def test_the_tests_of_a_group_run_in_one_process(two_workers: tuple[Path, str]) -> None:
    folder, printed = two_workers
    assert len(list(folder.glob("*.pid"))) == 1, printed


@pytest.mark.full
def test_what_a_module_shares_is_made_once(two_workers: tuple[Path, str]) -> None:
    folder, printed = two_workers
    assert len(list(folder.glob("*.made"))) == 1, printed
    assert "test_without[0]@" not in printed, "the others run anywhere"


@pytest.mark.full
def test_in_one_process_what_shares_a_fixture_of_its_module_comes_after_the_rest(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    for name in ("a", "b"):
        (tmp_path / f"test_{name}.py").write_text(
            "import pytest\n"
            "@pytest.fixture(scope='module')\n"
            "def rows(): pass\n"
            "def test_with(rows): pass\n"
            "def test_without(): pass\n"
        )
    lines = run("--collect-only", "-q", str(tmp_path)).splitlines()
    found = [line.rpartition("/")[2] for line in lines if "::" in line]
    assert found == [f"test_{module}.py::test_{test}" for module in "ab" for test in ("without", "with")]


@pytest.mark.full
def test_the_fixtures_of_a_folder_are_found_in_any_order_of_files() -> None:
    files = ["tests/bots/kit/local/test_play.py", "tests/test_docs.py", "tests/bots/kit/test_bad_input.py"]
    printed = run("--setup-only", "-q", *files)
    assert "fixture 'rensho' not found" not in printed
    assert " errors in " not in printed


@pytest.mark.full
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


@pytest.mark.full
def test_make_check_runs_each_test_once_and_leaves_out_cases_alone(request: pytest.FixtureRequest) -> None:
    items = request.config.stash[kinds.COLLECTED]
    on_sqlite, on_postgresql = (kinds.chosen("full", items, is_postgresql) for is_postgresql in (False, True))
    assert not on_sqlite & on_postgresql
    assert [item.nodeid for item in on_postgresql if kinds.passes_over("full", item.path, True)] == []
    left_out = set(items) - on_sqlite - on_postgresql
    assert all(item.get_closest_marker("sampled") or item.get_closest_marker("nightly") for item in left_out)
    assert kinds.chosen("nightly", items, False) == set(items)


def test_folders_without_a_test_for_postgresql_exist() -> None:
    assert all((TESTS / folder).is_dir() for folder in kinds.ON_SQLITE)
