"""Which scores of a fixture are rated after a ruling."""

from __future__ import annotations

import pytest

from league.rating.fixtures import Counted, counted_after


@pytest.mark.parametrize(
    ("ruling", "by_person", "is_whole", "counted"),
    [
        (None, False, True, Counted.AS_RULED),
        ("forfeit", False, True, Counted.AS_RULED),
        ("forfeit", False, False, Counted.AS_RULED),
        ("forfeit", True, True, Counted.AS_PLAYED),
        ("forfeit", True, False, Counted.NOT),
        ("draw", True, True, Counted.AS_PLAYED),
        ("draw", True, False, Counted.NOT),
        ("void", True, True, Counted.NOT),
        ("void", True, False, Counted.NOT),
    ],
)
def test_a_persons_ruling_is_no_evidence_of_strength(
    ruling: str | None, by_person: bool, is_whole: bool, counted: Counted
) -> None:
    assert counted_after(ruling, by_person=by_person, is_whole=is_whole) is counted
