"""`rensho play`: real bots in real processes, few boards."""

import gzip
import json
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest

from bots.kit.display.console import console_for
from bots.kit.errors import CHECK_FAILED
from bots.kit.local.match import LocalMatch
from bots.kit.local.match_text import conclusion_text, print_match
from bots.kit.local.new import template_folder
from bots.kit.local.rules import rules_named
from bots.kit.local.sides import contenders_from
from bots.kit.local.tally import SideResult, Tally
from engine import replay
from tests.bots.kit.conftest import CRASHES, GOOD, ILLEGAL_ONCE, LACKS_MODULE, SECOND_CARD

pytestmark = pytest.mark.full

TIMES = ("median_cpu_ms", "max_cpu_ms")


def played(rensho, *words, status=0):
    return rensho.json("play", *words, "--no-sandbox", status=status)


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
def test_replays_name_the_bots(rensho, bot, tmp_path):
    folder = tmp_path / "games"
    played(rensho, bot(GOOD), "house:greedy", "--boards", 1, "--record", folder)
    record = folder / "boards-1-1.rotation-1.ndjson.gz"
    names = [side["name"] for side in rensho.json("replay", record)["bots"].values()]
    assert names == [str(bot(GOOD)), "house:greedy"] * 2
    assert "Seat 2 house:greedy" in rensho.prints("replay", record)
    page = tmp_path / "page.html"
    rensho.prints("replay", record, "--html", page)
    assert "house:greedy" in page.read_text()
    (folder / "summary.json").unlink()
    assert rensho.json("replay", record)["bots"]["2"]["name"] is None


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


@pytest.mark.parametrize(("boards", "is_decided"), [(2, False), (6, True)])
def test_two_boards_that_end_alike_decide_nothing(boards, is_decided):
    match = SimpleNamespace(
        contenders=[SimpleNamespace(label="kita"), SimpleNamespace(label="oni")], given=(), lost_by=""
    )
    sides = [SideResult(), SideResult()]
    for side, score in zip(sides, (1, -1), strict=True):
        side.scores = [Fraction(score)] * boards
    meaning = conclusion_text(match, SimpleNamespace(sides=sides, boards_done=boards))
    assert ("kita" in meaning, "--boards" in meaning) == (True, not is_decided)


@pytest.mark.parametrize("width", [20, 60, 120])
def test_the_names_of_the_sides_stand_in_the_table_on_a_narrow_screen_too(capsys, width):
    rules = rules_named("kakeya4", (), "deal")
    match = LocalMatch(rules, tuple(contenders_from(["house:greedy", "house:rules"], rules)), 6, "s")
    tally = Tally(match)
    for side, score in zip(tally.sides, (1, -1), strict=True):
        side.scores = [Fraction(score)] * 6
    console = console_for()
    console.width = width
    console._force_terminal = True
    played_match = SimpleNamespace(match=match, tally=tally, sandbox_level="NONE", is_interrupted=False)
    print_match(console, played_match)
    out = capsys.readouterr().out
    assert [text in out for text in ("house:greedy", "house:rules", "95%", "…")] == [True, True, True, False]


def test_the_table_and_the_first_fault_are_told(rensho_with_workers, bot):
    path = bot(ILLEGAL_ONCE)
    out = rensho_with_workers.prints("play", path, "house:greedy", "--boards", 2, "--no-sandbox")
    lines = [line.strip() for line in out.splitlines()]
    assert "kakeya4" in lines[0]
    assert any(line.startswith(f"{path}: 4 ILLEGAL_ACTION") for line in lines)
    request = next(line for line in lines if line.startswith("request: "))
    assert json.loads(request.removeprefix("request: "))["type"] == "request"
    assert any(line.startswith("answer:") and "QQ" in line for line in lines)
    assert any(line.startswith("log:") and "what now?" in line for line in lines)
    assert "--record FOLDER" in out


def test_a_forfeit_is_the_bots_doing_and_ends_with_status_1(rensho, bot, tmp_path):
    words = (bot(CRASHES), "house:greedy", "--boards", 2, "--record")
    side = played(rensho, *words, tmp_path / "json", status=1)["sides"][0]
    assert (side["forfeited_tables"], side["faults"]["CRASHED"] > 0) == (2, True)
    out = rensho.prints("play", *words, tmp_path / "out", "--no-sandbox", status=1)
    assert "ZeroDivisionError" in out
    (log,) = re.findall(r"\S+\.log\b", out)
    assert "ZeroDivisionError" in (tmp_path / "out" / log.rpartition("/")[2]).read_text()


def assert_start_fails(rensho, path, *names):
    names = (f"{path} ", *names, f"rensho check {path} --preset kakeya4 --no-sandbox")
    words = ("play", path, "house:greedy", "--boards", 40, "--no-sandbox")
    rensho.refuses(*words, names=names, status=CHECK_FAILED)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (LACKS_MODULE, ("'nothing_of_this_name'", "(bot.py, line 2)")),
        ("x = [\n1,\n\n", ("'['",)),
        ("a = 1\nb = a / 0\n", ("ZeroDivisionError", "(bot.py, line 2)")),
        ("raise SystemExit('I cannot')", ("I cannot",)),
        ("", ()),
    ],
)
def test_a_bot_that_does_not_start_gets_one_line_with_the_fix(rensho, bot, source, names):
    assert_start_fails(rensho, bot(source), *names)


@pytest.mark.parametrize(
    ("source", "verdict"),
    [("print('hello')\ninput()", "PROTOCOL"), ("import time\ntime.sleep(60)\n", "OUT_OF_TIME")],
)
def test_a_bot_that_says_something_else_or_nothing_at_the_start(rensho_with_workers, bot, source, verdict):
    assert_start_fails(rensho_with_workers, bot(source), verdict)


def test_the_preset_of_rensho_toml_is_played_unless_another_is_given(rensho, tmp_path):
    made = tmp_path / "six"
    rensho("new", made, "--preset", "kakeya6")
    summary = rensho.json("play", made, "house:greedy", "house:greedy", "--boards", 1, "--no-sandbox")
    assert summary["preset"] == "kakeya6"
    assert len(rensho.json("check", made, "--no-sandbox")["report"]["seats"]) == 6
    status, _, err = rensho(
        "play", made, "house:greedy", "--preset", "kakeya4", "--boards", 1, "--no-sandbox"
    )
    assert (status, err) == (0, "")


def test_a_bot_for_another_game_is_named_and_the_check_refuses_it(rensho, tmp_path):
    made = tmp_path / "generic"
    rensho("new", made, "--preset", "kakkuri")
    (made / "main.py").write_text((template_folder("none") / "main.py").read_text())
    words = ("--preset", "kakeya4", "--no-sandbox")
    status, _, err = rensho("play", made, "house:greedy", "--boards", 1, *words)
    assert status == 0
    assert "kakkuri" in err
    report = rensho.json("check", made, *words, status=1)
    assert [reason["explanation"] for reason in report["reasons"]] == ["other_game"]
    (made / "rensho.toml").write_text((made / "rensho.toml").read_text().replace("kakkuri", "kakkury"))
    rensho.refuses("play", made, "house:greedy", names=("kakkury", "did you mean kakkuri"))


def test_a_template_of_another_game_says_so(rensho, tmp_path):
    rensho("new", tmp_path / "kk", "--preset", "kakkuri")
    words = ("play", tmp_path / "kk", "house:greedy", "--preset", "kakeya4", "--no-sandbox")
    status, out, err = rensho(*words)
    assert (status, out) == (CHECK_FAILED, "")
    assert "plays kakkuri, not kakeya" in err.splitlines()[-1]


def test_the_sandbox_gives_the_same_results(rensho, bot):
    words = ("play", bot(GOOD), bot(SECOND_CARD, "other.py"), "--boards", 4, "--json")
    (status, shut_in, err), (_, free, _) = rensho(*words), rensho(*words, "--no-sandbox")
    assert (status, err) == (0, "")
    shut_in, free = without_times(json.loads(shut_in)), without_times(json.loads(free))
    assert shut_in.pop("sandbox_level") != "NONE"
    assert free.pop("sandbox_level") == "NONE"
    assert shut_in == free
