"""What make mutants plants: enough everywhere, the same each time, and for tests that there are."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.areas import AREAS, Sources

ROOT = Path(__file__).resolve().parents[2]
ONE = Sources("platform/league/seeding.py", ("tests/league/test_seeding.py",))


@pytest.fixture(scope="module")
def main() -> ModuleType:
    """``tests.mutants.__main__``, which takes half a second to import: not in every process of a run."""
    return import_module("tests.mutants.__main__")


@pytest.fixture(scope="module")
def mutants(main: ModuleType) -> ModuleType:
    return import_module("tests.mutants.mutants")


def test_there_are_enough_of_each_area(main: ModuleType) -> None:
    assert list(AREAS) == ["rules", "scoring", "pairing", "leases", "sealing", "verify"]
    assert main.EACH >= 8
    assert main.EACH * len(AREAS) >= 60


def test_every_file_and_every_test_of_an_area_is_there() -> None:
    for sources in (sources for area in AREAS.values() for sources in area):
        assert list(ROOT.glob(sources.files)), sources.files
        assert [name for name in sources.tests if not (ROOT / name).exists()] == []


def test_an_equivalent_one_has_a_reason_and_a_place(main: ModuleType) -> None:
    for name, reason in main.equivalents().items():
        assert (ROOT / name.partition(" ")[0]).is_file(), name
        assert len(reason) > 20, name


def test_a_fault_changes_its_place_alone(mutants: ModuleType) -> None:
    planted = list(mutants.mutants_of("pairing", ONE.files, ONE))
    before = (ROOT / ONE.files).read_text()
    assert len({mutant.name for mutant in planted}) == len(planted) > 5
    for mutant in planted:
        assert mutant.code() != before
        assert mutant.name.startswith(f"{ONE.files} ")


@pytest.mark.full
def test_the_draw_follows_from_the_seed(main: ModuleType, mutants: ModuleType) -> None:
    def names(count: int, seed: int) -> list[str]:
        return [mutant.name for mutant in mutants.mutants_drawn("scoring", count, seed)]

    first = names(5, main.SEED)
    assert names(5, main.SEED) == first
    assert names(5, main.SEED + 1) != first
    assert names(3, main.SEED) == first[:3]
