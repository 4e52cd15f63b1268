"""`rensho compare`: stops itself as soon as it can tell."""

import re
from fractions import Fraction

import pytest

from bots.kit.local import compare, runner
from league.sequential import MIN_BOARDS, SequentialTest
from tests.bots.kit.conftest import LACKS_MODULE, SECOND_CARD

pytestmark = pytest.mark.full


def compared(rensho, *words, status=0):
    return rensho.json("compare", *words, "--no-sandbox", status=status)


def test_a_better_bot_is_accepted_long_before_the_cap(rensho):
    found = compared(rensho, "house:rules", "house:random", "--cap", 500)
    comparison = found["comparison"]
    assert comparison["verdict"] == "accepted"
    assert MIN_BOARDS <= comparison["boards"] < 100
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
    judged = SequentialTest(3.0, 0.05, 0.05, 30).evaluate(scores)
    comparison = found["comparison"]
    assert (comparison["mean"], comparison["llr"]) == (judged.mean, judged.llr)
    assert comparison["interval_95"] == list(judged.interval)


def test_any_number_of_jobs_gives_the_same_verdict_on_the_same_boards(rensho_with_workers):
    words = ("house:rules", "house:random", "--cap", 200)
    alone, together = (compared(rensho_with_workers, *words, "--jobs", jobs) for jobs in (1, 3))
    assert alone["comparison"] == together["comparison"]
    assert alone["record_sha256s"] == together["record_sha256s"]
    assert [side["scores"] for side in alone["sides"]] == [side["scores"] for side in together["sides"]]


def test_the_verdict_is_told_in_words(rensho):
    out = rensho.prints("compare", "house:rules", "house:random", "--cap", 500, "--no-sandbox")
    assert out.splitlines()[-1].startswith("house:rules ")
    mean = compared(rensho, "house:rules", "house:random", "--cap", 500)["comparison"]["mean"]
    assert set(re.findall(r"verage ([+-][0-9.]+)", out)) == {f"{mean:+.3f}"}
    assert "stones" not in out.partition("Average")[0], "the table counts boards after the decision"


def test_cut_short_before_the_first_board_it_tells_no_mean(rensho, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(runner, "play_tables", interrupt)
    words = ("house:rules", "house:random")
    assert "Average" not in rensho.prints("compare", *words, "--no-sandbox", status=130)
    comparison = compared(rensho, *words, status=130)["comparison"]
    assert (comparison["boards"], comparison["mean"], comparison["interval_95"]) == (0, None, None)


@pytest.mark.parametrize(
    ("scores", "mean", "has_interval"),
    [(["1/2"], "average +0.500", False), (["1/2", "0"], "average +0.250", True)],
)
def test_after_a_single_board_there_is_no_interval(scores, mean, has_interval):
    test = SequentialTest(0.2, 0.05, 0.05, 100)
    judgement = test.evaluate(list(map(Fraction, scores)))
    verdict = compare.verdict_text(judgement, test, "new", "old")
    assert (mean in verdict, "95%" in verdict) == (True, has_interval)
    live = compare.live_text(judgement)
    assert (mean in live, "[" in live) == (True, has_interval)


def test_a_version_that_does_not_start_gets_one_line(rensho, bot):
    new, old = bot(LACKS_MODULE), bot(SECOND_CARD, "old.py")
    rensho.refuses("compare", new, old, "--no-sandbox", names=str(new), status=1)
