"""What the harness of the benchmarks prints, compares and refuses."""

from __future__ import annotations

import json

import pytest

from benchmarks.harness import Row, arguments, at_least, at_most, interleave, rates, ratio, report


def test_a_missed_bar_is_printed_and_is_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Row("one", {"ms": 1.5, "count": 3}, *at_most(1.5, 2))
    missed = Row("another", {"ms": 12345.6, "count": 4}, *at_least(1, 2))
    assert report("head", [kept]) == 0
    assert report("head", [kept, missed, Row("no bar", {"other": "text"})]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith("another")] == [
        ["another", "12,346", "4", "at", "least", "2:", "MISSED"]
    ]
    assert [line.split() for line in lines if line.startswith("no bar")] == [["no", "bar", "text"]]


def test_json_has_every_cell_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    report("head", [Row("one", {"ms": 1.5}, *at_most(1.5, 1))], as_json=True)
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["name"], row["cells"], row["is_kept"]) == ("one", {"ms": 1.5}, False)


def test_subjects_take_turns_and_are_compared_round_by_round() -> None:
    order: list[str] = []
    numbers = iter(range(1, 7))

    def turn(name: str) -> float:
        order.append(name)
        return next(numbers)

    found = interleave({name: lambda name=name: turn(name) for name in "ab"}, 3)  # type: ignore[misc]
    assert order == ["a", "b"] * 3
    assert found == {"a": [1, 3, 5], "b": [2, 4, 6]}
    assert ratio(found["a"], found["b"]) == 3 / 4


def test_a_slice_is_as_long_as_asked_for() -> None:
    played: list[int] = []

    def play(deals: int) -> tuple[float, int]:
        played.append(deals)
        return deals / 1000, 5 * deals

    found = rates({"thousand a second": play}, 2, 0.1)["thousand a second"]
    assert played[-2:] == [100, 100]
    assert found.deals == pytest.approx([1000, 1000])
    assert found.cells()["decisions/s"] == pytest.approx(5000)


@pytest.mark.parametrize("rounds", ["0", "-1", "two"])
def test_a_number_of_rounds_that_cannot_be_is_refused(
    rounds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments("doc", rounds=3).parse_args([f"--rounds={rounds}"])
    assert "is not a whole number from 1 on" in capsys.readouterr().err
