"""Notes of a record: determinism, cancellation, limits and errors."""

import json

import pytest

from analysis.games import notes_of_game
from analysis.notes import SOLVER, notes_bytes, notes_of_record
from analysis.shapes import NOTES_FORMAT
from analysis.work import AnalysisError, Cancelled, Work
from engine import RecordError
from tests.analysis.records import FEW_NODES, played_record

LIMITS = {"nodes": 3000, "deals": 4}


def test_equal_records_give_equal_bytes():
    record = played_record("kakeya4", (1, 2))
    first, again = (notes_bytes(notes_of_record(record, LIMITS)) for _ in range(2))
    assert first == again
    assert b'"average"' in first
    notes = json.loads(first)
    assert (notes["format"], notes["solver"], notes["limits"]) == (NOTES_FORMAT, SOLVER, LIMITS)
    assert first == json.dumps(notes, sort_keys=True, separators=(",", ":")).encode("ascii")


def test_draws_depend_on_record_and_purpose():
    draws = {
        Work(sha256, LIMITS).rng(*purpose).random()
        for sha256 in ("a", "b")
        for purpose in ((1, 1, 2), (1, 12), (11, 2), (1, 1, 2, "loss"))
    }
    assert len(draws) == 8


def test_progress_is_reported_by_deal():
    seen = []
    record = played_record("kakeya4", (1, 2), kind="game", options={"hand_cap": 2})
    notes = notes_of_record(record, FEW_NODES, progress=lambda done, total: seen.append((done, total)))
    total = len(notes["deals"])
    assert seen == [(done, total) for done in range(1, total + 1)]


class SetAfter:
    """Is set from a certain call on."""

    def __init__(self, calls):
        self.calls = calls
        self.after = 0

    def is_set(self):
        self.calls -= 1
        self.after += self.calls < 0
        return self.calls < 0


@pytest.mark.parametrize("calls", [0, 1, 2, 3, 10, 100, 300])
def test_a_cancelled_analysis_ends_at_once_and_returns_nothing(calls):
    record = played_record("kakeya4", (1, 2, 3))
    cancel = SetAfter(calls)
    with pytest.raises(Cancelled):
        notes_of_record(record, {"nodes": 20_000, "deals": 64}, cancel=cancel)
    assert cancel.after < 300, "each open question of a deal asks once more, without searching"


def test_a_cancel_that_is_never_set_changes_nothing():
    record = played_record("kakeya4", (1,))
    assert notes_of_record(record, LIMITS, cancel=SetAfter(10**9)) == notes_of_record(record, LIMITS)


def test_a_game_without_analysis_is_named():
    with pytest.raises(AnalysisError, match="tarock"):
        notes_of_game("tarock")


@pytest.mark.parametrize(
    "limits", [{"nodes": 0, "deals": 4}, {"nodes": 9, "deals": -1}, {"nodes": 9, "deals": 1}]
)
def test_limits_that_make_no_sense_are_rejected(limits):
    with pytest.raises(AnalysisError, match="limits"):
        notes_of_record(played_record("kakeya4", (1,)), limits)


def without_hands(lines):
    return [line for line in lines if b'"e":"deal"' not in line]


def of_another_game(lines):
    return [lines[0].replace(b'"game":"kakeya"', b'"game":"whist"'), *lines[1:]]


def with_an_illegal_card(lines):
    first = next(index for index, line in enumerate(lines) if b'"phase":"play"' in line)
    return [*lines[:first], lines[first + 1], *lines[first + 1 :]]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (without_hands, 3),
        (of_another_game, 1),
        (with_an_illegal_card, None),
        (lambda lines: lines[:-1], None),
        (lambda lines: [], 1),
    ],
)
def test_a_broken_record_is_named_by_its_line(change, line):
    lines = played_record("kakeya4", (1,)).splitlines(keepends=True)
    with pytest.raises(RecordError) as caught:
        notes_of_record(b"".join(change(lines)), FEW_NODES)
    assert "\n" not in str(caught.value)
    assert line is None or caught.value.line == line


def test_decks_that_do_not_derive_from_the_seed_are_accepted_on_request():
    from engine.cards import KAKEYA_PACK

    record = played_record("kakeya4", (1,), decks=(KAKEYA_PACK.cards,))
    with pytest.raises(RecordError):
        notes_of_record(record, FEW_NODES)
    assert notes_of_record(record, FEW_NODES, decks_from_seed=False)["deals"]
