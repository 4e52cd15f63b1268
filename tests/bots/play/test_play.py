"""``bots.play``: matches of functions, folders and house bots, from Python."""

import gzip
import html
import inspect
import json
import os
import subprocess
import sys
import traceback
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import bots.play
from bots.play import CheckFailed, EnvironmentFailure, InvalidInput, compare, play
from bots.sdk import Answer, Bot
from engine import replay as replayed
from referee.contract import Verdict
from tests.bots.kit.conftest import GOOD, LACKS_MODULE

ROOT = Path(__file__).parents[3]


def first(request):
    return request.legal[0]


def last(request):
    return Answer(request.legal[-1], debug="the last one")


class First(Bot):
    def act(self, request):
        return request.legal[0]


class Deep(First):
    def __init__(self, depth):
        super().__init__()
        self.depth = depth


def scores(match):
    return [side.scores for side in match.sides]


def test_functions_and_classes_play_the_same_boards_as_folders(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    folder = play(tmp_path / "good.py", last, boards=2, sandbox=False)
    assert [side.in_process for side in folder.sides] == [False, True]
    for bot in (first, First, lambda request: request.legal[0], partial(Deep, 3), lambda: Deep(2)):
        assert scores(play(bot, last, boards=2)) == scores(folder)
    assert all(sum(board) == 0 for board in zip(*scores(folder), strict=True))


def test_a_result_has_what_the_command_prints_as_json():
    match = play(first, last, boards=12, seed=7, preset="etori.simple")
    assert (match.preset, match.kind, match.boards, match.seed) == ("etori.simple", "deal", 12, "7")
    summary = match.summary
    assert (summary["format"], summary["sandbox_level"]) == ("rensho-match/1", "NONE")
    for side, said in zip(match.sides, summary["sides"], strict=True):
        assert list(side.interval) == said["interval_95"]
        assert [Fraction(score) for score in said["scores"]] == list(side.scores)
        assert [bot["in_process"] for bot in said["bots"]] == [True]
    assert str(match).startswith("etori.simple, 12 deal boards, seed 7; no sandbox")
    assert "first (in process)" in str(match)
    assert match.conclusion in str(match)


def test_the_same_bot_again_gets_a_number_and_names_replace_it():
    assert [side.name for side in play(first, first, boards=1).sides] == ["first", "first #2"]
    named = play(first, lambda request: request.legal[0], boards=1, names=["old", "new"])
    assert [side.name for side in named.sides] == ["old", "new"]
    assert len({bot["sha256"] for side in named.summary["sides"] for bot in side["bots"]}) == 2


def test_a_tuple_has_a_bot_per_seat_of_a_side():
    match = play((first, Deep_two), last, boards=1)
    assert match.sides[0].name == "first+Deep_two"
    assert [bot["name"] for bot in match.summary["sides"][0]["bots"]] == ["first", "Deep_two"]
    with pytest.raises(InvalidInput, match="3 bots, but 2 seats"):
        play((first, last, first), last, boards=1)


def Deep_two():
    return Deep(2)


def test_the_test_of_a_comparison_ends_it(tmp_path):
    found = compare(last, first, difference=2, record=tmp_path / "out")
    assert found.verdict == "rejected"
    assert 0 < found.summary["comparison"]["boards"] <= found.boards
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == found.summary
    assert found.conclusion in str(found)
    assert html.escape(found.conclusion) in found._repr_html_()
    three = compare(
        first, last, preset="kakkuri", options={"seats": 3}, cap=20, sandbox=False, names=["a", "b"]
    )
    assert [side.name for side in three.sides] == ["a", "b", "house:greedy 1"]


def test_a_replay_is_of_the_board_and_rotation_and_names_the_bots(tmp_path):
    match = play(first, last, boards=3, record=tmp_path / "out")
    shown = match.replay(board=2, rotation=2)
    assert shown.names == {1: "last", 2: "first", 3: "last", 4: "first"}
    assert 'data-deal="b2"' in shown.html
    assert 'data-deal="b1"' not in shown.html
    assert shown.save(tmp_path / "page.html").read_text() == shown.html
    worst = match.replay()
    assert match.sides[0].scores[worst.board - 1] == min(match.sides[0].scores)
    assert html.escape(worst.html) in match._repr_html_()
    for board, rotation in ((4, 1), (1, 3), (0, 1)):
        with pytest.raises(InvalidInput, match=f"no board {board} in rotation {rotation}"):
            match.replay(board, rotation)


def test_a_large_replay_is_not_part_of_a_notebook(monkeypatch):
    match = play(first, last, boards=1)
    assert "<iframe" in match._repr_html_()
    monkeypatch.setattr("bots.play.results.MAX_FRAME_CHARS", 10_000)
    shown = match.replay()
    page = html.unescape(match._repr_html_())
    assert "<iframe" not in page
    assert f"match.replay({shown.board}, {shown.rotation}).save(" in page


def test_text_from_outside_is_escaped():
    def bad(request):
        raise ValueError("<img src=x onerror=alert(1)>\x1b[31m")

    name = "<script>alert(1)</script>\x1b[2J"
    match = play(bad, last, boards=1, names=[name, "b&b"], on_error="verdict")
    page = match._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "\x1b" not in page + str(match)
    assert "<script>alert(1)" not in match.replay().html


def boom(request):
    return {}[request.phase]


def test_an_exception_of_a_function_is_raised_with_its_traceback():
    with pytest.raises(KeyError) as caught:
        play(boom, first, boards=1)
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "boom"
    assert "seat 1, phase lead" in caught.value.__notes__[0]

    class Exits(First):
        def on_hello(self, hello):
            sys.exit(3)

    with pytest.raises(SystemExit) as ended:
        play(Exits, first, boards=1)
    assert ended.value.code == 3


def test_as_a_verdict_it_is_a_crash_with_the_traceback_in_the_log():
    match = play(boom, first, boards=1, on_error="verdict")
    side = match.sides[0]
    assert side.faults == {Verdict.CRASHED: 4}
    assert side.forfeits == 2
    assert "KeyError: 'lead'" in side.first_fault.log_tail
    assert "KeyError" in str(match)


@pytest.mark.parametrize(
    ("answer", "verdict"), [("QQ", "ILLEGAL_ACTION"), (None, "CRASHED"), (7, "CRASHED"), (["AS"], "CRASHED")]
)
def test_an_answer_that_is_no_legal_action_is_a_fault(answer, verdict):
    match = play(lambda request: answer, first, boards=1, names=["a", "b"])
    assert set(match.sides[0].faults) == {verdict}
    assert match.sides[1].faults == {}


async def later(request):
    return request.legal[0]


@pytest.mark.parametrize(
    ("sides", "options", "culprit"),
    [
        (("house:nobody", first), {}, "no house bot 'house:nobody'"),
        (("no/such/folder", first), {}, "'no/such/folder'"),
        ((lambda a, b: "", first), {}, "has the parameters (a, b)"),
        ((Deep, first), {}, "functools.partial"),
        ((First(), first), {}, "give its class"),
        ((int, first), {}, "not a subclass"),
        ((7, first), {}, "'7' is no bot"),
        ((later, first), {}, "asynchronous"),
        ((lambda: 3, first), {}, "not int"),
        ((first,), {}, "has 2 sides; 1 given"),
        ((first, last), {"preset": "kakeya5"}, "did you mean kakeya"),
        ((first, last), {"preset": 7}, "preset is '7'"),
        ((first, last), {"kind": "week"}, "'week'"),
        ((first, last), {"kind": "game"}, "hand_cap=60"),
        ((first, last), {"options": {"nothing": 1}}, "'nothing'"),
        ((first, last), {"boards": 0}, "boards 0: give a number from 1"),
        ((first, last), {"boards": 1.5}, "boards is '1.5'"),
        ((first, last), {"jobs": 0}, "jobs 0"),
        ((first, last), {"seed": "\ud800"}, "seed"),
        ((first, last), {"on_error": "ignore"}, "'ignore'"),
        ((first, last), {"names": ["a"]}, "2 names"),
        ((first, last), {"names": ["a", "a"]}, "twice"),
        ((first, last), {"names": ["", "a"]}, "1 to 60"),
        ((lambda request: "", lambda request: ""), {}, "two different bots are named '<lambda>'"),
    ],
)
def test_a_wrong_argument_gets_one_line_that_names_it(sides, options, culprit):
    with pytest.raises(InvalidInput) as refused:
        play(*sides, **{"boards": 1, **options})
    assert culprit in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_without_a_manifest_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"rensho\.toml"):
        play(tmp_path, first, boards=1)


def test_a_comparison_of_a_bot_with_itself_or_without_boards_is_refused():
    with pytest.raises(InvalidInput, match="same bot"):
        compare(first, first)
    with pytest.raises(InvalidInput, match="cap 0"):
        compare(first, last, cap=0)
    with pytest.raises(InvalidInput):
        compare(first, last, difference=-1)


def test_an_interrupted_match_leaves_its_records(tmp_path):
    asked = []

    def interrupts(request):
        asked.append(request)
        if len(asked) == 2000:
            raise KeyboardInterrupt
        return request.legal[0]

    with pytest.raises(KeyboardInterrupt):
        play(interrupts, last, boards=40, record=tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["interrupted"]
    assert 0 < summary["boards"] < 40


@pytest.mark.full
def test_a_script_without_a_main_guard_plays_bots_of_folders(tmp_path):
    (tmp_path / "lacks.py").write_text(LACKS_MODULE)
    script = tmp_path / "script.py"
    script.write_text(
        "from bots.play import CheckFailed, play\n"
        "print(play('house:rules', 'house:random', boards=2, sandbox=False).boards)\n"
        "try:\n    play('lacks.py', 'house:greedy', boards=1, sandbox=False)\n"
        "except CheckFailed as error:\n    print('refused', error)\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'platform'}"}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    boards, refused = done.stdout.splitlines()
    assert (boards, refused.startswith("refused lacks.py did not start")) == ("2", True)


def test_a_record_of_bots_of_this_process_is_a_record(tmp_path):
    match = play(first, last, boards=1, record=tmp_path / "out")
    (record, _) = sorted((tmp_path / "out").glob("*rotation-?.ndjson.gz"))
    read = replayed(gzip.decompress(record.read_bytes()))
    assert read.bots[1] == match.summary["sides"][0]["bots"][0]["sha256"]
    assert read.bots[1] != read.bots[2]


def test_the_public_names_are_stated():
    assert set(bots.play.__all__) == {
        *("CheckFailed", "Comparison", "EnvironmentFailure", "InvalidInput", "KitError", "Match"),
        *("Replay", "Side", "compare", "play"),
    }
    assert issubclass(CheckFailed, bots.play.KitError)
    assert issubclass(EnvironmentFailure, bots.play.KitError)
    assert set(inspect.signature(play).parameters) - set(inspect.signature(compare).parameters) == {
        "sides",
        "boards",
        "lost_by",
    }
