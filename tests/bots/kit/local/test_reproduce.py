"""`rensho reproduce`: from a bot that fails to one that does not, as its author would go."""

import json
import shlex
from pathlib import Path

import pytest

from bots.kit.local.pool import play_tables
from bots.kit.local.reproduce import fault_file_at
from tests.bots.kit.conftest import CRASHES, GOOD, ILLEGAL_ONCE, LACKS_MODULE

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
        found, out, err = rensho(
            "play", path, "house:greedy", "--boards", 4, "--no-sandbox", "--record", tmp_path / "rec", *words
        )
        assert (found, err) == (status, ""), out
        return sorted((tmp_path / "rec").glob("*.fault-*.json")), path, out

    return play


class TestByHand:
    def test_a_bug_on_a_third_board_is_found_mended_and_gone(self, rensho, failed, bot, monkeypatch):
        # In a process of its own, as the log of then has its traceback.
        monkeypatch.setattr("bots.kit.local.runner.play_tables", play_tables)
        files, path, out = failed(REMEMBERS)
        (command,) = [line.partition(": ")[2] for line in out.splitlines() if "Try it again: " in line]
        words = shlex.split(command)
        assert words == ["rensho", "reproduce", str(files[0]), str(path), "--no-sandbox"]
        file = fault_file_at(files[0])
        assert file.fault.board == 3
        assert file.fault.decision > 30
        status, out, err = rensho(*words[1:])
        assert (status, err) == (1, "")
        assert "the very bundle that failed; no sandbox.\n" in out
        assert (
            f"It was asked {file.fault.decision - 1} earlier requests and answered as it did then.\n" in out
        )
        assert file.fault.request in out
        assert f"played:  {file.fault.action}, in its place\n" in out
        assert "log:     the same as then\n" in out
        why = "AttributeError: 'Remembers' object has no attribute 'plan' (bot.py, line 11)"
        assert out.endswith(f"Reproduced: CRASHED again: {why}\n")
        bot(REMEMBERS.replace("self.plan[len(self.seen)]", "request.legal[0]"))
        status, out, _ = rensho(*words[1:])
        assert status == 0
        assert "another bundle than the one that failed (" in out
        assert f'answer:  {{"id":"{file.request_ids[-1]}"' in out
        assert "Mended here: it answers " in out

    def test_the_seat_sees_its_position_and_no_other_hand(self, rensho, failed, bot):
        files, path, _ = failed(ILLEGAL_ONCE, status=0)
        file = fault_file_at(files[0])
        seen = json.loads(file.fault.request)["observation"]
        out = rensho("reproduce", files[0], path, "--no-sandbox", "--no-color")[1]
        picture = out[: out.index("request: ")]
        assert f"board {file.fault.board} · seat {file.seat}" in picture
        assert f"Seat {file.seat} (you)" in picture
        hands = [line for line in picture.splitlines() if "♠" in line and "♥" in line]
        assert len(hands) == 1
        cards = sum(hands[0].count(rank) for rank in "AKQJT98765432")
        assert cards == len(seen["hand"])

    def test_in_the_sandbox_as_at_a_table(self, rensho, failed, bot):
        files, path, _ = failed(REMEMBERS)
        status, out, err = rensho("reproduce", files[0], path)
        assert (status, err) == (1, "")
        assert "; sandbox level " in out
        assert "Reproduced: CRASHED again" in out

    def test_the_folder_one_is_in_is_the_bot(self, rensho, failed, tmp_path, monkeypatch):
        files, *_ = failed(CRASHES)
        monkeypatch.chdir(tmp_path)
        status, _, err = rensho("reproduce", files[0], "--no-sandbox")
        assert status == 2
        assert "there is no rensho.toml in this folder: name the bot to try" in err
        home = tmp_path / "mine"
        home.mkdir()
        (home / "rensho.toml").write_text('name = "mine"\nruntime = "python/1"\nentry_point = "bot.py"\n')
        (home / "bot.py").write_text(CRASHES)
        monkeypatch.chdir(home)
        status, out, _ = rensho("reproduce", files[0], "--no-sandbox")
        assert status == 1
        assert "Now mine (bot.py on python/1)" in out

    def test_the_request_alone_can_be_fed_by_hand(self, rensho, failed):
        files, *_ = failed(CRASHES)
        status, out, err = rensho("reproduce", files[0], "--request")
        assert (status, err) == (0, "")
        assert out == fault_file_at(files[0]).fault.request + "\n"


class TestToldAs:
    def test_another_fault_is_status_1_and_says_which(self, rensho, failed, bot):
        files, *_ = failed(REMEMBERS)
        other = bot(ILLEGAL_ONCE.replace("== 5", ">= 5"), "other.py")
        status, out, _ = rensho("reproduce", files[0], other, "--no-sandbox")
        assert status == 1
        assert "otherwise than then; what was played then counts.\n  The first: board 1, decision " in out
        assert "Another fault: ILLEGAL_ACTION where it was CRASHED: " in out

    def test_a_bot_that_ends_on_the_way(self, rensho, failed, bot):
        files, *_ = failed(REMEMBERS)
        status, out, _ = rensho("reproduce", files[0], bot(DIES_EARLY, "other.py"), "--no-sandbox")
        assert status == 1
        assert "Another fault: CRASHED on board 1, decision 1, on the way: " in out

    def test_a_bot_that_does_not_start(self, rensho, failed, bot):
        files, *_ = failed(REMEMBERS)
        status, out, _ = rensho("reproduce", files[0], bot(LACKS_MODULE, "other.py"), "--no-sandbox")
        assert status == 1
        assert "Another fault: CRASHED at the start: " in out
        assert "nothing_of_this_name" in out

    def test_a_fault_at_the_start(self, rensho, bot, tmp_path):
        path = bot(NEVER_READY)
        status, out, _ = rensho("check", path, "--no-sandbox", "--save-fault", tmp_path / "faults")
        assert status == 1
        (file,) = (tmp_path / "faults").iterdir()
        assert f"Try it again: rensho reproduce {file} {path} --no-sandbox\n" in out
        status, out, _ = rensho("reproduce", file, path, "--no-sandbox")
        assert status == 1
        assert out.startswith("PROTOCOL at the start: ")
        assert "Reproduced: PROTOCOL again: " in out
        assert rensho("reproduce", file, "--request")[1] == fault_file_at(file).hello + "\n"
        bot(GOOD)
        status, out, _ = rensho("reproduce", file, path, "--no-sandbox")
        assert (status, "Mended here: it is ready." in out) == (0, True)

    def test_as_json(self, rensho, failed):
        files, path, _ = failed(CRASHES)
        status, out, _ = rensho("reproduce", files[0], path, "--no-sandbox", "--json")
        summary = json.loads(out)
        assert status == 1
        assert summary["fault"]["verdict"] == summary["now"]["verdict"] == "CRASHED"
        assert summary["now"]["is_same"] is True
        assert summary["bot"]["is_same_bundle"] is True
        assert summary["sandbox_level"] == "NONE"
        assert summary["now"]["conclusion"].startswith("Reproduced")

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize(
        ("preset", "options"),
        [
            ("kakkuri", ["--option", "seats=3"]),
            ("kakeya6", []),
            ("etori.simple6", []),
            ("etori.meiji", ["--kind", "game"]),
        ],
    )
    def test_every_game(self, rensho, bot, tmp_path, preset, options):
        source = GOOD.replace(
            "        return request.legal[0]",
            "        self.n = getattr(self, 'n', 0) + 1\n"
            "        if self.n == 25: raise KeyError('x')\n"
            "        return request.legal[0]",
        )
        path = bot(source)
        others = ["house:random"] * {"kakkuri": 2, "kakeya6": 2, "etori.simple6": 2, "etori.meiji": 1}[preset]
        words = ("--preset", preset, *options, "--boards", 6, "--no-sandbox", "--record", tmp_path / "rec")
        assert rensho("play", path, *others, *words)[0] == 1
        files = sorted((tmp_path / "rec").glob("*.fault-*.json"))
        for file in files[:3]:
            status, out, err = rensho("reproduce", file, path, "--no-sandbox")
            assert (status, err) == (1, "")
            assert "Reproduced: CRASHED again: KeyError: 'x' (bot.py, line 6)" in out
            assert "── " + preset in out


class TestFiles:
    def test_match_and_check_save_them(self, rensho, failed, bot, tmp_path):
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
        status, out, _ = rensho(
            "check", path, "--no-sandbox", "--json", "--save-fault", tmp_path / "faults" / "new"
        )
        assert status == 1
        (saved,) = json.loads(out)["fault_files"]
        assert fault_file_at(Path(saved)).origin == {"bot": "bot", "table": "check"}
        assert rensho("reproduce", saved, path, "--no-sandbox")[0] == 1

    def test_no_more_than_so_many_of_a_side_the_first_ones(self, rensho, failed):
        always = GOOD.replace("request.legal[0]", "'QQ'")
        files, path, _ = failed(always, "--boards", 70, "--jobs", 2)
        assert len(files) == 20
        names = [file.name.partition(".")[0] for file in files]
        assert names == sorted(names)
        assert names[0].startswith("boards-01-")
        assert rensho("reproduce", files[0], path, "--no-sandbox")[0] == 1

    def test_a_pair_names_the_bot_that_failed(self, rensho, bot, tmp_path):
        good, bad = bot(GOOD, "good.py"), bot(CRASHES, "bad.py")
        words = ("--boards", 2, "--no-sandbox", "--record", tmp_path / "rec")
        out = rensho("play", f"{good}+{bad}", "house:greedy", *words)[1]
        (command,) = [line for line in out.splitlines() if "Try it again: " in line]
        assert str(bad) in command
        assert str(good) not in command

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [(b"", "it is not JSON"), (b"{}", "its format is None"), (b'{"format":"rensho-fault/1"}', "missing")],
    )
    def test_what_is_none_is_refused_in_one_line(self, rensho, tmp_path, content, complaint):
        (tmp_path / "file.json").write_bytes(content)
        status, out, err = rensho("reproduce", tmp_path / "file.json", "house:greedy")
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert complaint in err

    def test_what_cannot_be_read_is_refused_in_one_line(self, rensho, failed, tmp_path):
        status, _, err = rensho("reproduce", tmp_path / "none.json")
        assert (status, err.count("\n")) == (2, 1)
        files, *_ = failed(CRASHES)
        status, _, err = rensho("reproduce", files[0], tmp_path / "none.py")
        assert (status, err.count("\n")) == (2, 1)
        assert "there is no bot at" in err

    def test_a_folder_for_faults_that_cannot_be_made_is_named(self, rensho, bot, tmp_path):
        (tmp_path / "file").write_text("")
        status, _, err = rensho("check", bot(CRASHES), "--no-sandbox", "--save-fault", tmp_path / "file")
        assert status == 2
        assert "cannot write" in err
