"""Which scores of a fixture are rated after a ruling."""

from __future__ import annotations

import pytest

from league.rating.fixtures import CountedScores, counted_scores


@pytest.mark.parametrize(
    ("ruling", "by_person", "is_whole", "counted"),
    [
        (None, False, True, CountedScores.AS_RULED),
        ("forfeit", False, True, CountedScores.AS_RULED),
        ("forfeit", False, False, CountedScores.AS_RULED),
        ("forfeit", True, True, CountedScores.AS_PLAYED),
        ("forfeit", True, False, CountedScores.NOT),
        ("draw", True, True, CountedScores.AS_PLAYED),
        ("draw", True, False, CountedScores.NOT),
        ("void", True, True, CountedScores.NOT),
        ("void", True, False, CountedScores.NOT),
    ],
)
def test_a_persons_ruling_is_no_evidence_of_strength(
    ruling: str | None, by_person: bool, is_whole: bool, counted: CountedScores
) -> None:
    assert counted_scores(ruling, by_person=by_person, is_whole=is_whole) is counted
