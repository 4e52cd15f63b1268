"""How the suite is run: its parts, and groups of tests that share what is costly to start."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import parts

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
PATIENCE_S = 300.0
"""A guard against hanging, not a measure."""
LONGEST_NAME = 400
"""Characters: xdist sends the names of all tests to each worker and back."""
LIGHT = ("-p", "no:cacheprovider", "-p", "no:schemathesis")
"""Without a plugin that takes a quarter of a second to load and is nothing to these tests."""


def run(*arguments: str) -> str:
    """What pytest prints."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *LIGHT, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout + done.stderr


def names_by_part(folder: str) -> dict[str, set[str]]:
    """``parts.names_by_part`` of a folder, as another process collects it."""
    program = (
        "import json, sys, pytest\n"
        "from tests import parts\n"
        "class Names:\n"
        "    def pytest_collection_finish(self, session):\n"
        "        names = parts.names_by_part(session.items)\n"
        "        json.dump({key: [*found] for key, found in names.items()}, open(sys.argv[1], 'w'))\n"
        "pytest.main(['-p', 'no:cacheprovider', '-qq', '--collect-only', sys.argv[2]], [Names()])\n"
    )
    with tempfile.NamedTemporaryFile() as names:
        subprocess.run(
            [sys.executable, "-c", program, names.name, folder],
            cwd=REPOSITORY,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return {key: set(found) for key, found in json.loads(Path(names.name).read_text()).items()}


ON_BOTH = ["commits", "on_both"]
ON_EITHER = ["fixture", "through_another", "marker"]
"""Alone in their modules, PostgreSQL shows them."""
ALWAYS = [*ON_BOTH, *ON_EITHER]
TESTS_OF_PARTS = {
    "quick": [
        *ALWAYS,
        *["none", "property", "on_sqlite", "on_postgresql", "row_case"],
        *["case"] * 2,
        "whole_case",
        *["of_module"] * 2,
        *["shown_before"] * 6,
        *["many"] * 8,
    ],
    "postgresql": [
        *ALWAYS,
        *["on_postgresql", "slow", "slow_on_both", "slow_row_case"],
        *["row_case"] * 1,
        *["shown_before"] * 1,
    ],
    "sqlite": [
        *ON_BOTH,
        *["none", "property", "on_sqlite", "row_case", "sampled_inside"],
        *["slow_on_sqlite", "slow_on_both", "slow_alone"],
        *["case"] * 4,
        *["whole_case"] * 4,
        *["of_module"] * 6,
        *["shown_before"] * 5,
        *["many"] * 2,
    ],
    "rest": [
        *ON_EITHER,
        *["sampled_inside", "property"],
        *["row_case"] * 3,
        *["slow_row_case"] * 3,
        *["case"] * 4,
        *["shown_before"] * 1,
        *["many"] * 6,
    ],
    "database": [
        *ALWAYS,
        *["on_postgresql", "slow", "slow_on_both"],
        *["row_case"] * 4,
        *["slow_row_case"] * 4,
        *["shown_before"] * 6,
    ],
}
"""Of ``some_tests`` those that each part has."""
TOTAL = 54


def test_a_part_has_the_tests_that_ask_for_it(some_tests: Path) -> None:
    found = names_by_part(str(some_tests))
    assert set(found) >= set(TESTS_OF_PARTS)
    for part, wanted in TESTS_OF_PARTS.items():
        names = [re.sub(r"\[.*|_\d+$", "", name.partition("::test_")[2]) for name in found[part]]
        assert sorted(names) == sorted(wanted), part
    assert len(found["all"]) == TOTAL


@pytest.mark.slow
def test_a_run_of_a_part_has_no_others(some_tests: Path) -> None:
    printed = run("--part=sqlite", "--collect-only", "-q", str(some_tests))
    wanted = len(TESTS_OF_PARTS["sqlite"])
    assert f"{wanted}/{TOTAL} tests collected ({TOTAL - wanted} deselected)" in printed
    assert len([line for line in printed.splitlines() if "::test_" in line]) == wanted


@pytest.fixture
def some_tests(tmp_path: Path) -> Path:
    """Tests with and without a database and each of the marks of a part, and the hooks of all tests."""
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import *\nimport pytest\n@pytest.fixture\ndef row(db): pass\n"
    )
    texts = {
        "fixture": "def test_fixture(db): pass\n",
        "through_another": "def test_through_another(row): pass\n",
        "marker": "@pytest.mark.django_db\ndef test_marker(): pass\n",
        "row_case": "@pytest.mark.sampled(4)\n@pytest.mark.parametrize('n', range(4))\n"
        "def test_row_case(db, n): pass\n",
        "slow_row_case": "@pytest.mark.slow\n@pytest.mark.sampled(8)\n"
        "@pytest.mark.parametrize('n', range(4))\ndef test_slow_row_case(db, n): pass\n",
        "whole_case": "@pytest.mark.sampled(4, check=1)\n@pytest.mark.parametrize('n', range(4))\n"
        "def test_whole_case(n): pass\n",
        "some": "@pytest.mark.django_db(transaction=True)\ndef test_commits(): pass\n"
        "@pytest.mark.both_databases\ndef test_on_both(db): pass\n"
        "def test_none(): pass\n"
        "@given(integers())\ndef test_property(number): pass\n"
        "@pytest.mark.sqlite_suffices\ndef test_on_sqlite(db): pass\n"
        "@pytest.mark.postgresql_suffices\ndef test_on_postgresql(db): pass\n"
        "@pytest.mark.slow\ndef test_slow(db): pass\n"
        "@pytest.mark.slow\ndef test_slow_alone(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.exhaustive\ndef test_sampled_inside(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.sqlite_suffices\ndef test_slow_on_sqlite(db): pass\n"
        "@pytest.mark.slow\n@pytest.mark.both_databases\ndef test_slow_on_both(db): pass\n"
        "@pytest.mark.sampled(4)\n@pytest.mark.parametrize('number', range(8))\ndef test_case(number): pass\n"
        "@pytest.mark.sampled_in_check(4)\n@pytest.mark.parametrize('n', range(8))\ndef test_many(n): pass\n",
        "sampled": "pytestmark = pytest.mark.sampled(3)\n"
        + "".join(f"def test_of_module_{number}(): pass\n" for number in range(6)),
        "shown_before": "".join(f"def test_shown_before_{number}(db): pass\n" for number in range(6)),
    }
    for name, text in texts.items():
        imports = "import pytest\nfrom hypothesis import given\nfrom hypothesis.strategies import integers\n"
        (tmp_path / f"test_{name}.py").write_text(imports + text)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "counts"),
    [
        ("quick", "({'own': 10, 'usual': 25}, 2, 1)"),
        ("sqlite", "({'own': 10, 'usual': 25}, 2, 1)"),
        ("", "({'own': 40, 'usual': 100}, 8, 3)"),
    ],
)
def test_a_part_tries_its_share_of_the_examples(tmp_path: Path, part: str, counts: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_property.py").write_text(
        "from hypothesis import given, strategies\n"
        "from tests import chance\n"
        "tried = {'own': 0, 'usual': 0}\n"
        "@chance.examples(40)\n@given(strategies.integers())\ndef test_own(n): tried['own'] += 1\n"
        "@given(strategies.integers())\ndef test_usual(n): tried['usual'] += 1\n"
        "def test_count(): assert False, (tried, len(chance.some(range(8))), chance.times(3))\n"
    )
    assert counts in run(*([f"--part={part}"] if part else []), str(tmp_path))


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


@pytest.mark.slow
def test_the_tests_of_a_group_run_in_one_process(two_workers: tuple[Path, str]) -> None:
    folder, printed = two_workers
    assert len(list(folder.glob("*.pid"))) == 1, printed


@pytest.mark.slow
def test_what_a_module_shares_is_made_once(two_workers: tuple[Path, str]) -> None:
    folder, printed = two_workers
    assert len(list(folder.glob("*.made"))) == 1, printed
    assert "test_without[0]@" not in printed, "the others run anywhere"


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_fixtures_of_a_folder_are_found_in_any_order_of_files() -> None:
    files = ["tests/bots/kit/local/test_play.py", "tests/test_docs.py", "tests/bots/kit/test_bad_input.py"]
    printed = run("--setup-only", "-q", *files)
    assert "fixture 'rensho' not found" not in printed
    assert " errors in " not in printed


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


@pytest.fixture(scope="module")
def names(request: pytest.FixtureRequest) -> dict[str, set[str]]:
    """Those of all tests, of the parts and of some marks: as this run has collected them, if it has all.

    That they are the same at any time needs no test: of two processes that collect others xdist runs none.
    """
    collected = request.config.stash.get(parts.COLLECTED, ())
    folders = {item.nodeid.partition("::")[0].split("/")[1] for item in collected}
    if {path.parent.name for path in TESTS.glob("*/__init__.py")} <= folders:
        return parts.names_by_part(collected)
    return names_by_part("tests")


@pytest.mark.slow
def test_what_make_check_leaves_out_is_of_the_rest(names: dict[str, set[str]]) -> None:
    """Each test runs somewhere; never on SQLite only what is slow or says so."""
    found = names
    assert found["postgresql"] | found["sqlite"] | found["rest"] == found["all"]
    on_postgresql_alone = found["postgresql"] - found["sqlite"] - found["rest"]
    assert on_postgresql_alone - found["slow"] <= found["postgresql_suffices"]
    assert found["rest"] - found["sqlite"], "a sample is not all"


@pytest.mark.slow
def test_what_is_passed_over_for_postgresql_has_nothing_for_it(names: dict[str, set[str]]) -> None:
    wanted = {Path(name.partition("::")[0]).parts[1] for name in names["database"]}
    assert wanted.isdisjoint(parts.WITHOUT_DATABASE)
    assert all((TESTS / folder).is_dir() for folder in parts.WITHOUT_DATABASE)


@pytest.mark.slow
def test_make_check_leaves_out_cases_alone_and_shows_on_both_databases_what_differs(
    names: dict[str, set[str]],
) -> None:
    found = names
    checked = found["postgresql"] | found["sqlite"]
    functions = {name.partition("[")[0] for name in found["all"]}
    assert {name.partition("[")[0] for name in checked} == functions, "no behaviour is left out whole"
    assert checked >= found["all"] - found["cases"]
    assert found["postgresql"] >= found["differs"] - found["cases"]
    modules = {name.partition("::")[0] for name in found["differs"]}
    assert modules <= {name.partition("::")[0] for name in found["sqlite"]}
    assert found["postgresql"] <= found["database"]
    for_a_server = {name for name in found["all"] if name.startswith(parts.COMMIT_FOR_A_SERVER)}
    assert for_a_server & found["postgresql"]
    assert for_a_server & found["postgresql"] & found["sqlite"] == set()
