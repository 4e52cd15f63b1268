"""Rule-based beats greedy beats random, on fewer boards than `make bench` plays and with a fixed seed."""

from fractions import Fraction

import pytest

from benchmarks import bench_searching
from benchmarks.bench_strength import CONTESTS, PAIRINGS, board_score, house_bot, main, strength
from engine import preset_named
from tests.bots.asking import HOUSE

SEED = "tests"
BOARDS = {"kakeya6": 30, "etori.simple6": 30, "kakkuri 5": 60, "kakkuri 7": 45}


def sides_of(contest):
    game, ruleset = contest.rules()
    return game.sides(ruleset)


TWO_SIDED = [contest for contest in CONTESTS.values() if len(sides_of(contest)) == 2]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("contest", CONTESTS.values(), ids=lambda contest: contest.name)
@pytest.mark.parametrize(("first", "second"), PAIRINGS[:2])
def test_the_stronger_bot_is_ahead_with_its_interval_clear_of_zero(contest, first, second):
    numbers = range(1, BOARDS.get(contest.name, 40) + 1)
    scores = [board_score(contest, first, second, SEED, number) for number in numbers]
    found = strength(contest, first, second, scores)
    assert found.is_clear, str(found)


@pytest.mark.parametrize("contest", TWO_SIDED, ids=lambda contest: contest.name)
def test_a_board_score_changes_its_sign_with_the_sides(contest):
    for number in range(1, 6):
        score = board_score(contest, "rules", "greedy", SEED, number)
        assert score == -board_score(contest, "greedy", "rules", SEED, number)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("contest", CONTESTS.values(), ids=lambda contest: contest.name)
def test_a_bot_is_as_strong_as_itself(contest):
    assert [board_score(contest, "rules", "rules", SEED, number) for number in range(1, 4)] == [0] * 3


def test_a_lead_that_could_be_chance_is_not_clear():
    contest = CONTESTS["kakeya4"]
    assert not strength(contest, "a", "b", [Fraction(1), Fraction(-1), Fraction(1, 2)]).is_clear
    assert not strength(contest, "a", "b", [Fraction(-1), Fraction(-1), Fraction(-3, 2)]).is_clear
    assert strength(contest, "a", "b", [Fraction(1), Fraction(1), Fraction(3, 2)] * 9).is_clear


def test_every_game_with_house_bots_and_number_of_pairs_is_compared():
    assert {contest.preset for contest in CONTESTS.values()} >= {
        "kakeya4",
        "kakeya6",
        "etori.simple",
        "etori.simple6",
    }
    assert {preset_named(contest.preset)[0].key for contest in CONTESTS.values()} == {
        name.partition("_")[0] for name in HOUSE
    }
    assert all(type(house_bot(name)).__name__ == HOUSE[name] for name in HOUSE)


def test_a_contest_nobody_knows_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "poker"])
    assert "no contest begins with 'poker': kakeya4, kakeya6" in capsys.readouterr().err


def test_a_table_or_a_part_that_cannot_be_played_is_refused_by_name(capsys):
    for arguments, culprit in (
        (["--only", "poker"], "no table begins with 'poker': kakeya4, kakkuri 2, kakkuri 3, kakkuri 4"),
        (["--part", "0"], "--part is 1 or more, not 0"),
    ):
        with pytest.raises(SystemExit):
            bench_searching.main(arguments)
        assert culprit in capsys.readouterr().err


def test_a_bot_that_searches_has_to_be_ahead_beyond_chance_and_by_its_bar(monkeypatch, capsys):
    class Here:
        """Plays in this process: every board of a pairing brings the lead, or a tenth more."""

        def __init__(self, _):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def map(self, _, numbers, chunksize):
            return [lead + Fraction(number % 2, 10) for number in numbers]

    monkeypatch.setattr(bench_searching, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(bench_searching, "is_compiled", True)
    for lead, only, status, said in (
        (Fraction(1, 100), "kakkuri", 0, "PASS"),
        (Fraction(-1, 20), "kakkuri", 1, "FAIL"),
        (Fraction(1, 5), "kakeya", 1, "PASS  +0.3 MISSED"),
        (Fraction(3, 10), "kakeya", 0, "PASS  +0.3 reached"),
    ):
        assert bench_searching.main(["--only", only]) == status, (lead, only)
        assert all(line.endswith(said) for line in capsys.readouterr().out.splitlines())
