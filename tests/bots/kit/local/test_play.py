"""`rensho play`: real bots in real processes, few boards."""

import gzip
import json
from fractions import Fraction
from types import SimpleNamespace

import pytest

from bots.kit.display.console import console_for
from bots.kit.local.match import Match
from bots.kit.local.match_text import meaning_of, print_match
from bots.kit.local.rules import rules_named
from bots.kit.local.sides import contenders_from
from bots.kit.local.tally import SideResult, Tally
from engine import replay
from tests.bots.kit.conftest import CRASHES, GOOD, ILLEGAL_ONCE, LACKS_MODULE, SECOND_CARD

pytestmark = pytest.mark.full

TIMES = ("median_cpu_ms", "max_cpu_ms")


def played(rensho, *words, status=0):
    found, out, err = rensho("play", *words, "--no-sandbox", "--json")
    assert (found, err) == (status, "")
    return json.loads(out)


def without_times(summary):
    sides = [{name: side[name] for name in side if name not in TIMES} for side in summary["sides"]]
    return {**summary, "sides": sides}


def scores(summary):
    return [[Fraction(score) for score in side["scores"]] for side in summary["sides"]]


def test_boards_are_duplicate_so_their_scores_cancel(rensho):
    summary = played(rensho, "house:rules", "house:random", "--boards", 20)
    ours, theirs = scores(summary)
    assert len(ours) == summary["boards"] == 20
    assert all(a + b == 0 for a, b in zip(ours, theirs, strict=True))
    assert summary["sides"][0]["mean"] > 0
    low, high = summary["sides"][0]["interval_95"]
    assert low < summary["sides"][0]["mean"] < high


def test_a_bot_is_as_strong_as_itself(rensho):
    summary = played(rensho, "house:greedy", "house:greedy", "--boards", 5)
    assert scores(summary) == [[0] * 5, [0] * 5]
    assert [side["side"] for side in summary["sides"]] == ["house:greedy", "house:greedy #2"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("preset", "sides", "options"),
    [
        ("kakeya6", 3, []),
        ("etori.simple", 2, []),
        ("etori.simple6", 3, []),
        ("kakkuri", 3, ["--option", "seats=3"]),
    ],
)
def test_any_number_of_jobs_gives_the_same_results(rensho_with_workers, preset, sides, options):
    words = ("house:rules", *["house:random"] * (sides - 1), "--preset", preset, "--boards", 20, *options)
    alone, together = (played(rensho_with_workers, *words, "--jobs", jobs) for jobs in (1, 3))
    assert without_times(alone) == without_times(together)
    assert all(sum(board) == 0 for board in zip(*scores(alone), strict=True))
    assert len(alone["record_sha256s"]) % sides == 0
    assert len(alone["record_sha256s"]) > sides


def test_another_seed_deals_other_cards(rensho):
    words = ("house:rules", "house:random", "--boards", 3)
    first, again, other = (played(rensho, *words, "--seed", seed) for seed in ("a", "a", "b"))
    assert first["record_sha256s"] == again["record_sha256s"]
    assert first["record_sha256s"] != other["record_sha256s"]


def test_whole_games_are_played(rensho):
    words = ("house:rules", "house:random", "--preset", "kakeya4.league", "--kind", "game", "--boards", 2)
    summary = played(rensho, *words)
    assert (summary["kind"], summary["boards"]) == ("game", 2)


def test_two_versions_share_a_side_the_first_in_the_lower_seat(rensho, bot, tmp_path):
    pair = f"{bot(GOOD, 'low.py')}+{bot(ILLEGAL_ONCE, 'high.py')}"
    summary = played(rensho, pair, "house:greedy", "--boards", 1, "--record", tmp_path / "out")
    side = summary["sides"][0]
    assert [member["name"] for member in side["bots"]] == ["low", "high"]
    assert side["faults"] == {"ILLEGAL_ACTION": 2}
    assert side["first_fault"]["seat"] == 3
    assert (tmp_path / "out" / "boards-1-1.rotation-2.seat-4.log").is_file()


def test_a_plus_sign_in_a_name_that_exists_joins_nothing(rensho, bot):
    summary = played(rensho, bot(GOOD, "a+b.py"), "house:greedy", "--boards", 1)
    assert [member["name"] for member in summary["sides"][0]["bots"]] == ["a+b"]


@pytest.mark.parametrize("name", ["", "+house:greedy", "house:greedy+"])
def test_an_empty_name_is_no_bot(rensho, bot, name):
    status, out, err = rensho("play", name, "house:greedy", "--no-sandbox")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{name!r} has an empty name of a bot" in err


def test_a_seed_that_is_no_text_is_refused(rensho, capsys):
    with pytest.raises(SystemExit) as end:
        rensho("play", "house:greedy", "house:greedy", "--seed", "\udcff")
    assert end.value.code == 2
    assert "'\\udcff' is no text in UTF-8: choose another seed" in capsys.readouterr().err


def test_records_logs_and_a_summary_are_saved(rensho, bot, tmp_path):
    folder = tmp_path / "deep" / "out"
    path = bot(ILLEGAL_ONCE)
    summary = played(rensho, path, "house:greedy", "--boards", 20, "--record", folder)
    assert json.loads((folder / "summary.json").read_text()) == summary
    records = sorted(folder.glob("*.rotation-?.ndjson.gz"))
    assert [path.name.removesuffix(".ndjson.gz") for path in records] == [
        "boards-01-10.rotation-1",
        "boards-01-10.rotation-2",
        "boards-11-20.rotation-1",
        "boards-11-20.rotation-2",
    ]
    boards = [
        board.board.number
        for record in records[::2]
        for board in replay(gzip.decompress(record.read_bytes())).boards
    ]
    assert boards == list(range(1, 21))
    assert (folder / "boards-01-10.rotation-1.timings.ndjson.gz").is_file()
    assert (folder / "boards-01-10.rotation-1.seat-1.log").read_text().startswith("what now?\n")
    assert not (folder / "boards-01-10.rotation-1.seat-2.log").exists()


def test_two_boards_that_end_alike_decide_nothing():
    match = SimpleNamespace(contenders=[SimpleNamespace(label="kita"), SimpleNamespace(label="oni")])
    for boards, words in ((2, "too few to tell who is better"), (6, "kita is ahead")):
        sides = [SideResult(), SideResult()]
        for side, score in zip(sides, (1, -1), strict=True):
            side.scores = [Fraction(score)] * boards
        tally = SimpleNamespace(sides=sides, boards_done=boards)
        assert words in meaning_of(match, tally)


@pytest.mark.parametrize("width", [20, 60, 120])
def test_the_names_of_the_sides_stand_in_the_table_on_a_narrow_screen_too(capsys, width):
    rules = rules_named("kakeya4", (), "deal")
    match = Match(rules, tuple(contenders_from(["house:greedy", "house:rules"], rules)), 6, "s")
    tally = Tally(match)
    for side, score in zip(tally.sides, (1, -1), strict=True):
        side.scores = [Fraction(score)] * 6
    console = console_for()
    console.width = width
    console._force_terminal = True
    print_match(
        console, SimpleNamespace(match=match, tally=tally, sandbox_level="NONE", is_interrupted=False)
    )
    out = capsys.readouterr().out
    assert "house:greedy" in out
    assert "house:rules" in out
    assert "a board      95 % interval   faults   forfeits   median / most" in out
    assert "…" not in out


def test_a_folder_in_use_takes_no_records(rensho, tmp_path):
    (tmp_path / "kept").write_text("mine")
    status, out, err = rensho("play", "house:greedy", "house:random", "--no-sandbox", "--record", tmp_path)
    assert (status, out) == (2, "")
    assert f"--record {tmp_path}: the folder is not empty" in err


def test_the_table_and_the_first_fault_are_told(rensho_with_workers, bot):
    path = bot(ILLEGAL_ONCE)
    status, out, err = rensho_with_workers("play", path, "house:greedy", "--boards", 2, "--no-sandbox")
    assert (status, err) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0] == "kakeya4, 2 deal boards, seed rensho; no sandbox"
    assert f"{path}: 4 ILLEGAL_ACTION. The first, in seat 1:" in lines
    assert "board 1, decision" in out
    request = next(line for line in lines if line.startswith("request: "))
    assert json.loads(request.removeprefix("request: "))["type"] == "request"
    assert any(line.startswith("answer:") and "QQ" in line for line in lines)
    assert any(line.startswith("log:") and "what now?" in line for line in lines)
    assert "--record FOLDER" in out


def test_a_forfeit_is_the_bots_doing_and_ends_with_status_1(rensho, bot, tmp_path):
    path = bot(CRASHES)
    words = ("play", path, "house:greedy", "--boards", 2, "--no-sandbox", "--record", tmp_path / "out")
    status, out, _ = rensho(*words)
    assert status == 1
    assert "2 tables forfeited" in out
    assert "ZeroDivisionError" in out
    log = next(line for line in out.splitlines() if "Whole log: " in line).partition("Whole log: ")[2]
    assert "ZeroDivisionError" in (tmp_path / "out" / log.strip().rpartition("/")[2]).read_text()
    assert f"mend {path} first" in out


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            LACKS_MODULE,
            "the runtime has no module 'nothing_of_this_name'; put it into the bundle or do without",
        ),
        ("x = [\n1,\n\n", "the bot is not valid Python: '[' was never closed"),
        ("a = 1\nb = a / 0\n", "ZeroDivisionError: division by zero (bot.py, line 2)"),
        ("raise SystemExit('I cannot')", "I cannot"),
        ("", "the bot ended before the table did"),
    ],
)
def test_a_bot_that_does_not_start_gets_one_line_with_the_fix(rensho, bot, source, message):
    assert_start_fails(rensho, bot(source), message)


def test_a_bot_that_says_something_else_at_the_start_is_told_so(rensho_with_workers, bot):
    assert_start_fails(rensho_with_workers, bot("print('hello')\ninput()"), "PROTOCOL at the start")


def assert_start_fails(rensho, path, message):
    status, out, err = rensho("play", path, "house:greedy", "--boards", 40, "--no-sandbox")
    assert (status, out) == (1, "")
    assert err.count("\n") == 1
    assert err.startswith(f"rensho: {path} did not start: ")
    assert message in err
    assert f"rensho check {path} --preset kakeya4 --no-sandbox" in err


def test_the_place_in_the_bots_own_code_is_named(rensho, bot):
    _, _, err = rensho("play", bot(LACKS_MODULE), "house:greedy", "--no-sandbox")
    assert "(bot.py, line 2)" in err


def test_a_template_of_another_game_says_so(rensho, tmp_path):
    rensho("new", tmp_path / "kk", "--preset", "kakkuri")
    status, _, err = rensho("play", tmp_path / "kk", "house:greedy", "--no-sandbox")
    assert status == 1
    assert "kk plays kakkuri, not kakeya: choose a preset of kakkuri" in err


def test_the_sandbox_gives_the_same_results(rensho, bot):
    words = ("play", bot(GOOD), bot(SECOND_CARD, "other.py"), "--boards", 4, "--json")
    (status, shut_in, err), (_, free, _) = rensho(*words), rensho(*words, "--no-sandbox")
    assert (status, err) == (0, "")
    shut_in, free = without_times(json.loads(shut_in)), without_times(json.loads(free))
    assert shut_in.pop("sandbox_level") != "NONE"
    assert free.pop("sandbox_level") == "NONE"
    assert shut_in == free


def test_a_bot_that_idles_at_the_start_is_tried_once_more_and_then_charged(rensho_with_workers, bot):
    rensho = rensho_with_workers
    path = bot("import time\ntime.sleep(60)\n")
    status, out, err = rensho("play", path, "house:greedy", "--boards", 1, "--no-sandbox")
    assert (status, out) == (1, "")
    assert "did not start: OUT_OF_TIME at the start: the bot was not ready in time" in err
