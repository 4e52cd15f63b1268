"""What make mutants plants: enough everywhere, the same each time, and for tests that there are."""

from __future__ import annotations

import pytest

from tests.mutants.__main__ import EACH, SEED, equivalents
from tests.mutants.areas import AREAS, Sources
from tests.mutants.mutants import ROOT, mutants_drawn, mutants_of

ONE = Sources("platform/league/seeding.py", ("tests/league/test_seeding.py",))


def test_there_are_enough_of_each_area() -> None:
    assert list(AREAS) == ["rules", "scoring", "pairing", "leases", "sealing", "verify"]
    assert EACH >= 8
    assert EACH * len(AREAS) >= 60


def test_every_file_and_every_test_of_an_area_is_there() -> None:
    for sources in (sources for area in AREAS.values() for sources in area):
        assert list(ROOT.glob(sources.files)), sources.files
        assert [name for name in sources.tests if not (ROOT / name).exists()] == []


def test_an_equivalent_one_has_a_reason_and_a_place() -> None:
    for name, reason in equivalents().items():
        assert (ROOT / name.partition(" ")[0]).is_file(), name
        assert len(reason) > 20, name


def test_a_fault_changes_its_place_alone() -> None:
    mutants = list(mutants_of("pairing", ONE.files, ONE))
    before = (ROOT / ONE.files).read_text()
    assert len({mutant.name for mutant in mutants}) == len(mutants) > 5
    for mutant in mutants:
        assert mutant.code() != before
        assert mutant.name.startswith(f"{ONE.files} ")


@pytest.mark.full
def test_the_draw_follows_from_the_seed() -> None:
    first = [mutant.name for mutant in mutants_drawn("scoring", 5, SEED)]
    assert [mutant.name for mutant in mutants_drawn("scoring", 5, SEED)] == first
    assert [mutant.name for mutant in mutants_drawn("scoring", 5, SEED + 1)] != first
    assert [mutant.name for mutant in mutants_drawn("scoring", 3, SEED)] == first[:3]
