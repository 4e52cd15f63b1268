"""`rensho reproduce`: from a bot that fails to one that does not, as its author would go."""

import json
import re
import shlex
from pathlib import Path

import pytest

from bots.kit.local.pool import play_tables
from bots.kit.local.reproduce import fault_file_at
from referee.position_file import RecordedDecision, position_file
from tests.bots.kit.conftest import CRASHES, GOOD, ILLEGAL_ONCE, LACKS_MODULE
from tests.referee import speakers
from tests.referee.faulty import ORIGIN, decisions_of
from tests.referee.orders import make_order, play

pytestmark = pytest.mark.full

REMEMBERS = """\
from bots.sdk import Bot

class Remembers(Bot):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def act(self, request):
        self.seen.add(str(request.observation["hand"]))
        if len(self.seen) == 36:
            return self.plan[len(self.seen)]
        return request.legal[len(self.seen) % len(request.legal)]

Remembers().run()
"""
"""Fails on its third board, and only if it was asked everything before."""
NEVER_READY = "import sys\nprint('{}', flush=True)\nsys.stdin.read()\n"
DIES_EARLY = GOOD.replace("return request.legal[0]", "raise SystemExit(3)")


@pytest.fixture
def failed(rensho, bot, tmp_path):
    """The fault files of a match a bot of this source plays, and its path."""

    def play(source, *words, status=1):
        path = bot(source)
        out = rensho.prints(
            "play",
            path,
            "house:greedy",
            "--boards",
            4,
            "--no-sandbox",
            "--record",
            tmp_path / "rec",
            *words,
            status=status,
        )
        return sorted((tmp_path / "rec").glob("*.fault-*.json")), path, out

    return play


@pytest.fixture
def tried(rensho):
    """What ``reproduce`` says of a file and a bot as JSON."""

    def trying(file, *bot, status=1, walls=("--no-sandbox",)):
        return rensho.json("reproduce", file, *bot, *walls, status=status)

    return trying


def test_a_bug_on_a_third_board_is_found_mended_and_gone(rensho, failed, bot, monkeypatch):
    # In a process of its own, as the log of then has its traceback.
    monkeypatch.setattr("bots.kit.local.runner.play_tables", play_tables)
    files, path, out = failed(REMEMBERS)
    (command,) = re.findall(r"rensho reproduce .*", out)
    words = shlex.split(command)
    assert words == ["rensho", "reproduce", str(files[0]), str(path), "--no-sandbox"]
    file = fault_file_at(files[0])
    assert file.fault.board == 3
    assert file.fault.decision > 30
    out = rensho.prints(*words[1:], status=1)
    assert file.fault.request in out
    found = rensho.json(*words[1:], status=1)
    now = found["now"]
    assert (found["bot"]["is_same_bundle"], found["sandbox_level"]) == (True, "NONE")
    assert (found["fault"]["verdict"], now["verdict"], now["is_same"]) == ("CRASHED", "CRASHED", True)
    assert (now["asked"], now["deviations"]) == (file.fault.decision - 1, [])
    assert now["log_tail"] == file.fault.log_tail
    assert "'plan' (bot.py, line 11)" in now["conclusion"]
    bot(REMEMBERS.replace("self.plan[len(self.seen)]", "request.legal[0]"))
    found = rensho.json(*words[1:])
    assert (found["bot"]["is_same_bundle"], found["now"]["verdict"]) == (False, "OK")
    assert json.loads(found["now"]["answer"])["id"] == file.request_ids[-1]


def test_the_seat_sees_its_position_and_no_other_hand(rensho, failed):
    files, path, _ = failed(ILLEGAL_ONCE, status=0)
    file = fault_file_at(files[0])
    out = rensho("reproduce", files[0], path, "--no-sandbox", "--no-color")[1]
    picture = out[: out.index("request: ")]
    assert f"Seat {file.seat} (you)" in picture
    (hand,) = [line for line in picture.splitlines() if "♠" in line and "♥" in line]
    seen = json.loads(file.fault.request)["observation"]
    assert sum(hand.count(rank) for rank in "AKQJT98765432") == len(seen["hand"])


def test_in_the_sandbox_as_at_a_table(failed, tried):
    files, path, _ = failed(REMEMBERS)
    found = tried(files[0], path, walls=())
    assert (found["sandbox_level"] != "NONE", found["now"]["is_same"]) == (True, True)


def test_the_folder_one_is_in_is_the_bot(rensho, failed, tried, tmp_path, monkeypatch):
    files, *_ = failed(CRASHES)
    monkeypatch.chdir(tmp_path)
    rensho.refuses("reproduce", files[0], "--no-sandbox", names="rensho.toml")
    home = tmp_path / "mine"
    home.mkdir()
    (home / "rensho.toml").write_text('name = "mine"\nruntime = "python/1"\nentry_point = "bot.py"\n')
    (home / "bot.py").write_text(CRASHES)
    monkeypatch.chdir(home)
    assert tried(files[0])["bot"]["name"] == "mine"


def test_the_request_alone_can_be_fed_by_hand(rensho, failed):
    files, *_ = failed(CRASHES)
    assert rensho.prints("reproduce", files[0], "--request") == fault_file_at(files[0]).fault.request + "\n"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (ILLEGAL_ONCE.replace("== 5", ">= 5"), ("ILLEGAL_ACTION", True, 3)),
        (DIES_EARLY, ("CRASHED", False, 1)),
        (LACKS_MODULE, ("CRASHED", False, 0)),
    ],
    ids=["another", "on the way", "at the start"],
)
def test_another_fault_is_status_1_and_says_which(rensho, failed, tried, bot, source, fault):
    files, *_ = failed(REMEMBERS)
    other = bot(source, "other.py")
    now = tried(files[0], other)["now"]
    assert (now["verdict"], now["is_reached"], now["board"]) == fault
    assert bool(now["deviations"]) == bool(now["board"])
    assert now["verdict"] in rensho.prints("reproduce", files[0], other, "--no-sandbox", status=1)


def test_a_position_without_a_fault_is_asked_again(rensho, tried, bot, tmp_path):
    table = make_order(boards=1)
    report, store = play({each.seat: speakers.Seeded() for each in table.seats}, boards=1)
    record, timings = store.blobs[report.record_sha256], store.blobs[report.timings_sha256]
    path, file = bot(GOOD), tmp_path / "position.json"
    same = set()
    for board, turn, action in decisions_of(record, 1):
        where = RecordedDecision(board, turn, action, "The bot played it, which cost 2 stones")
        file.write_bytes(position_file(table, report.seats[0], where, record, timings, origin=ORIGIN))
        now = tried(file, path, status=0)["now"]
        is_same = now["action"] == action
        if is_same not in same:
            out = rensho.prints("reproduce", file, path, "--no-sandbox")
            assert "which cost 2 stones" in out
            assert ("as recorded" in out) == is_same
            assert (f"recorded: {action}" in out) != is_same
        same.add(is_same)
    assert same == {True, False}


def test_a_fault_at_the_start(rensho, tried, bot, tmp_path):
    path = bot(NEVER_READY)
    out = rensho.prints("check", path, "--no-sandbox", "--save-fault", tmp_path / "faults", status=1)
    (file,) = (tmp_path / "faults").iterdir()
    assert f"rensho reproduce {file} {path} --no-sandbox\n" in out
    now = tried(file, path)["now"]
    assert (now["verdict"], now["is_same"]) == ("PROTOCOL", True)
    assert rensho("reproduce", file, "--request")[1] == fault_file_at(file).hello + "\n"
    bot(GOOD)
    assert tried(file, path, status=0)["now"]["verdict"] == "OK"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("preset", "others", "options"),
    [
        ("kakkuri", 2, ["--option", "seats=3"]),
        ("kakeya6", 2, []),
        ("etori.simple6", 2, []),
        ("etori.meiji", 1, ["--kind", "game"]),
    ],
)
def test_every_game(rensho, tried, bot, tmp_path, preset, others, options):
    source = GOOD.replace(
        "        return request.legal[0]",
        "        self.n = getattr(self, 'n', 0) + 1\n"
        "        if self.n == 25: raise KeyError('x')\n"
        "        return request.legal[0]",
    )
    path = bot(source)
    words = ("--preset", preset, *options, "--boards", 6, "--no-sandbox", "--record", tmp_path / "rec")
    assert rensho("play", path, *["house:random"] * others, *words)[0] == 1
    for file in sorted((tmp_path / "rec").glob("*.fault-*.json"))[:3]:
        now = tried(file, path)["now"]
        assert (now["is_same"], "KeyError: 'x' (bot.py, line 6)" in now["conclusion"]) == (True, True)
        assert f"── {preset}" in rensho("reproduce", file, path, "--no-sandbox")[1]


class TestFiles:
    def test_match_and_check_save_them(self, rensho, failed, tried, tmp_path):
        files, path, _ = failed(ILLEGAL_ONCE, status=0)
        summary = json.loads((tmp_path / "rec" / "summary.json").read_text())
        assert sum(summary["sides"][0]["faults"].values()) == len(files) == 4
        first = summary["sides"][0]["first_fault"]
        assert first["file"] == files[0].name
        assert first["reproduce"] == f"rensho reproduce {files[0]} {path} --no-sandbox"
        assert summary["sides"][1]["first_fault"] is None
        assert [file.name for file in files[:2]] == [
            "boards-1-4.rotation-1.seat-1.fault-1.json",
            "boards-1-4.rotation-1.seat-3.fault-1.json",
        ]
        words = ("check", path, "--no-sandbox", "--save-fault", tmp_path / "faults" / "new")
        (saved,) = rensho.json(*words, status=1)["fault_files"]
        assert fault_file_at(Path(saved)).origin == {"bot": "bot", "table": "check"}
        tried(saved, path)

    def test_no_more_than_so_many_of_a_side_the_first_ones(self, failed, tried):
        always = GOOD.replace("request.legal[0]", "'QQ'")
        files, path, _ = failed(always, "--boards", 70, "--jobs", 2)
        names = [file.name.partition(".")[0] for file in files]
        assert (len(names), names) == (20, sorted(names))
        assert names[0].startswith("boards-01-")
        tried(files[0], path)

    def test_a_pair_names_the_bot_that_failed(self, rensho, bot, tmp_path):
        good, bad = bot(GOOD, "good.py"), bot(CRASHES, "bad.py")
        words = ("--boards", 2, "--no-sandbox", "--record", tmp_path / "rec")
        (command,) = re.findall(
            r"rensho reproduce .*", rensho("play", f"{good}+{bad}", "house:greedy", *words)[1]
        )
        assert str(bad) in command
        assert str(good) not in command

    def test_what_cannot_be_read_or_written_is_named(self, rensho, failed, tmp_path):
        files, path, _ = failed(CRASHES)
        rensho.refuses("reproduce", files[0], tmp_path / "none.py", names=str(tmp_path / "none.py"))
        rensho.refuses("check", path, "--no-sandbox", "--save-fault", path, names=str(path))
