"""`rensho compare`: stops itself as soon as it can tell."""

import json
from fractions import Fraction

import pytest

from bots.kit.local import compare, runner
from league.sequential import FEWEST_BOARDS, SequentialTest
from tests.bots.kit.conftest import GOOD, LACKS_MODULE, SECOND_CARD

pytestmark = pytest.mark.full


def compared(rensho, *words, status=0):
    found, out, err = rensho("compare", *words, "--no-sandbox", "--json")
    assert (found, err) == (status, "")
    return json.loads(out)


def test_a_better_bot_is_accepted_long_before_the_cap(rensho):
    found = compared(rensho, "house:rules", "house:random", "--cap", 500)
    comparison = found["comparison"]
    assert comparison["verdict"] == "accepted"
    assert FEWEST_BOARDS <= comparison["boards"] < 100
    assert comparison["llr"] >= comparison["upper"]
    assert comparison["expected_remaining"] == 0
    assert [boards for boards, _ in comparison["path"]] == list(range(1, comparison["boards"] + 1))
    assert found["boards"] >= comparison["boards"]


def test_a_worse_bot_is_rejected(rensho):
    comparison = compared(rensho, "house:random", "house:rules", "--cap", 500)["comparison"]
    assert comparison["verdict"] == "rejected"
    assert comparison["llr"] <= comparison["lower"]
    assert comparison["mean"] < 0


def test_the_cap_ends_what_cannot_be_told(rensho):
    words = ("house:greedy", "house:rules", "--cap", 30, "--alpha", "1e-12", "--beta", "1e-12")
    comparison = compared(rensho, *words)["comparison"]
    assert (comparison["verdict"], comparison["boards"]) == ("inconclusive", 30)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("preset", "options"), [("kakeya6", ()), ("etori.simple6", ()), ("kakkuri", ("--option", "seats=3"))]
)
def test_with_more_than_two_sides_half_the_lead_on_the_old_one_counts(rensho, preset, options):
    words = ("house:rules", "house:random", "--preset", preset, *options, "--cap", 30, "--difference", 3)
    found = compared(rensho, *words)
    assert [side["side"] for side in found["sides"]] == ["house:rules", "house:random", "house:greedy"]
    new, old, _ = ([Fraction(score) for score in side["scores"]] for side in found["sides"])
    scores = [(a - b) / 2 for a, b in zip(new, old, strict=True)]
    judged = SequentialTest(3.0, 0.05, 0.05, 30).judge(scores)
    comparison = found["comparison"]
    assert (comparison["mean"], comparison["llr"]) == (judged.mean, judged.llr)
    assert comparison["interval_95"] == list(judged.interval)


def test_any_number_of_jobs_gives_the_same_verdict_on_the_same_boards(rensho_with_workers):
    words = ("house:rules", "house:random", "--cap", 200)
    alone, together = (compared(rensho_with_workers, *words, "--jobs", jobs) for jobs in (1, 3))
    assert alone["comparison"] == together["comparison"]
    assert alone["record_sha256s"] == together["record_sha256s"]
    assert [side["scores"] for side in alone["sides"]] == [side["scores"] for side in together["sides"]]


def test_the_verdict_is_told_in_one_sentence(rensho):
    status, out, err = rensho("compare", "house:rules", "house:random", "--cap", 500, "--no-sandbox")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[-1].startswith("house:rules is better than house:random: ")
    assert any(line.startswith("Mean +") and "95 % [" in line for line in lines)
    assert any(line.startswith("Test: evidence +") for line in lines)
    assert any(line.startswith("Path: ") for line in lines)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--difference", "0"], "must be above 0"),
        (["--alpha", "0.5"], "alpha"),
        (["--beta", "0"], "beta"),
        (["--cap", f"{FEWEST_BOARDS - 1}"], f"{FEWEST_BOARDS} boards or more"),
        (["--cap", "0"], "--cap 0"),
    ],
)
def test_a_test_that_can_decide_nothing_is_refused(rensho, words, complaint):
    status, out, err = rensho("compare", "house:rules", "house:greedy", *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert complaint in err


def test_cut_short_before_the_first_board_it_tells_no_mean(rensho, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(runner, "play_tables", interrupt)
    words = ("house:rules", "house:random")
    status, out, err = rensho("compare", *words, "--no-sandbox")
    assert (status, err) == (130, "")
    assert out.splitlines()[-1] == "Not decided: it was stopped before the first board was finished."
    assert "Mean" not in out
    comparison = compared(rensho, *words, status=130)["comparison"]
    assert (comparison["boards"], comparison["mean"], comparison["interval_95"]) == (0, None, None)


def test_after_a_single_board_there_is_no_interval(rensho):
    test = SequentialTest(0.2, 0.05, 0.05, 100)
    judgement = test.judge([Fraction(1, 2)])
    judged = compare.verdict_text(judgement, test, "new", "old")
    assert judged.startswith("Not decided: it was stopped after 1 board (mean +0.500); more boards")
    assert compare.live_text(judgement).startswith("mean +0.500, evidence ")
    two = test.judge([Fraction(1, 2), Fraction(0)])
    assert "(mean +0.250, 95 % interval -" in compare.verdict_text(two, test, "new", "old")
    assert compare.live_text(two).startswith("mean +0.250 [-")


def test_a_copy_is_not_compared_with_itself(rensho, bot):
    status, _, err = rensho("compare", bot(GOOD), bot(GOOD))
    assert status == 2
    assert "the same bot, byte for byte" in err


def test_a_version_that_does_not_start_gets_one_line(rensho, bot):
    old = bot(SECOND_CARD, "old.py")
    status, out, err = rensho("compare", bot(LACKS_MODULE), old, "--no-sandbox")
    assert (status, out) == (1, "")
    assert "did not start" in err
    assert err.count("\n") == 1
