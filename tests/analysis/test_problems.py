"""Proofs of problems: computed twice they are equal, and every changed field is named."""

import hashlib
import json

import pytest

from analysis.position_errors import PositionError
from analysis.position_text import parse_position_text
from analysis.problems import is_problem, parse_problem, problem_bytes, problem_errors, problem_of
from analysis.work import AnalysisError, Cancelled
from tests.analysis.records import PROBLEM_TEXT as TEXT

FEW = {"nodes": 100_000, "deals": 64}


@pytest.fixture(scope="module")
def proof():
    found, reason = problem_of(parse_position_text(TEXT), FEW, source={"table": "abc"})
    assert reason == ""
    return found


def changed(proof, **fields):
    """The bytes of a proof with other fields and the hash of those."""
    content = {name: value for name, value in {**proof, **fields}.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return json.dumps({**content, "sha256": hashlib.sha256(text.encode()).hexdigest()}).encode()


def test_a_proof_has_the_values_of_all_cards_and_is_computed_again(proof):
    assert (proof["seat"], proof["best"]) == (1, "AH")
    assert proof["values"] == {"1": ["AH"], "-1": ["5H", "6H"]}
    assert set(proof["averages"]) == {"5H", "6H"}
    data = problem_bytes(proof)
    assert is_problem(data)
    problem, position = parse_problem(data)
    assert problem == proof
    assert list(problem_errors(problem, position)) == []


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"best": "5H"}, "best"),
        ({"values": {"2": ["AH"], "-1": ["5H", "6H"]}}, "values"),
        ({"averages": {"5H": {"mean": 9.0, "error": 0.1}, "6H": {"mean": 9.0, "error": 0.1}}}, "averages"),
        ({"seat": 2}, "seat"),
    ],
)
def test_a_changed_value_is_named(proof, fields, name):
    problem, position = parse_problem(changed(proof, **fields))
    (wrong,) = problem_errors(problem, position)
    assert wrong.startswith(f"{name} is ")


def test_a_position_of_another_deal_is_no_problem(proof):
    problem, position = parse_problem(changed(proof, position=TEXT.replace("\n       KH", "")))
    (wrong,) = problem_errors(problem, position)
    assert "best" in wrong or "better" in wrong


@pytest.mark.parametrize(
    ("data", "culprit"),
    [
        (b"{", "JSON"),
        (b"[" * 15_000, "JSON"),
        (b"x" * 20_001, "20001 bytes"),
        (b"[1]", "rensho-problem/1"),
        (b'{"format":"rensho-problem/1","solver":"rensho-problems/9"}', "rensho-problems/9"),
    ],
)
def test_other_files_are_refused(data, culprit):
    with pytest.raises(AnalysisError, match=culprit):
        parse_problem(data)


@pytest.mark.parametrize(
    ("fields", "culprit"),
    [
        ({"limits": {"nodes": None, "deals": 64}}, "nodes"),
        ({"limits": {"nodes": 10**12, "deals": 64}}, "nodes"),
        ({"limits": {"nodes": 1000, "deals": 10**9}}, "deals"),
        ({"limits": [1]}, "nodes"),
        ({"position": "preset: kakkuri"}, "kakkuri"),
        ({"position": None}, "position"),
    ],
)
def test_proofs_that_would_take_too_long_or_have_no_position_are_refused(proof, fields, culprit):
    with pytest.raises(AnalysisError, match=culprit):
        parse_problem(changed(proof, **fields))


def test_an_edited_file_is_refused(proof):
    with pytest.raises(AnalysisError, match="hash"):
        parse_problem(problem_bytes(proof).replace(b'"AH"', b'"5H"', 1))


def test_positions_without_a_single_best_card_are_no_problems():
    other = parse_position_text(TEXT.replace("\n       KH", ""))
    assert problem_of(other, FEW).problem is None
    alone = problem_of(parse_position_text(TEXT), {"nodes": 1, "deals": 2})
    assert alone.problem is None
    assert "nodes" in alone.reason


def test_a_deal_that_is_over_is_refused_and_a_cancellation_ends_the_work():
    class Set:
        def is_set(self):
            return True

    with pytest.raises(Cancelled):
        problem_of(parse_position_text(TEXT), FEW, cancel=Set())
    position = parse_position_text(TEXT)
    state = position.state()
    while state.to_act:
        position = position._replace(plays=(*position.plays, state.legal(state.to_act[0])[0]))
        state = position.state()
    with pytest.raises(PositionError):
        problem_of(position, FEW)
