"""docs/adding-a-game.md, tried: its game is added as one folder, and nothing else is told of it."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.template.loader import render_to_string

from bots.kit.display.console import console_for
from bots.kit.replay.command import replay_pages
from bots.kit.replay.presenter import Presenter
from bots.kit.replay.scene_renderer import SceneRenderer
from bots.kit.replay.stops import board_stops
from bots.sdk import ProtocolError, Request, WorldError, determinize, view_of
from engine import Board, RecordWriter, all_games, preset_named, replay
from engine.playthrough import KINDS, SEED, playthrough, playthrough_name
from referee.contract import BoardOrder, Clock, FaultPolicy, Limits, SeatOrder, TableOrder, Verdict
from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.engine.added_game import FILES, PAGE, ROOT, on_the_path, written
from tests.refusals import refusal
from tests.strategies import play, random_choice
from viewer.position_scene import position_of

# The folder is not there, so ruff cannot tell by itself whose it would be.
FIRST_PARTY = ("--config", 'lint.isort.known-first-party = ["arena", "bots", "engine"]')
CONTRACT = ("contract", "hidden", "tampered", "observation_text", "playthroughs")


def run(folder, *arguments):
    """A Python process that knows the folder; gives its status and what it said."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": f"{folder}:{ROOT}:{ROOT / 'platform'}", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def added(tmp_path):
    with on_the_path(written(tmp_path)):
        yield tmp_path


def contract_tests(folder, names=CONTRACT):
    """The tests of the contract run in a process that knows the folder."""
    with on_the_path(folder):
        (folder / "playthroughs").mkdir()
        for preset in all_games()["highcard"].presets:
            for kind in KINDS:
                text = playthrough(preset, kind, SEED)
                (folder / "playthroughs" / playthrough_name(preset, kind, SEED)).write_text(text)
    files = [f"tests/engine/test_{name}.py" for name in names]
    plugins = ("-p", "no:cacheprovider")
    return run(folder, "-m", "pytest", "-q", "-rA", *plugins, "-k", "highcard", *files)


def test_the_page_shows_every_file_of_the_folder():
    assert sorted(FILES) == [
        "bots/highcard_careful/main.py",
        "bots/highcard_careful/rensho.toml",
        "bots/sdk/games/highcard.py",
        "docs/rules/highcard.md",
        *(f"engine/games/highcard/{name}" for name in ("__init__.py", "ruleset.py", "state.py")),
        "platform/viewer/games/highcard.py",
    ]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py")])
@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_the_code_of_the_page_is_in_the_style_of_the_house(name, command):
    ruff = Path(sys.executable).parent / "ruff"
    done = subprocess.run(
        [ruff, *command, "--no-cache", *FIRST_PARTY, "--stdin-filename", name, "-"],
        cwd=ROOT,
        input=FILES[name],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_found_by_its_folder_alone(added):
    assert "highcard" in all_games()
    game, ruleset = preset_named("highcard.duel")
    assert (game.key, game.seats(ruleset)) == ("highcard", 2)


def test_it_is_gone_when_its_folder_is(tmp_path):
    with on_the_path(written(tmp_path)):
        assert "highcard" in all_games()
    assert "highcard" not in all_games()


@pytest.mark.full
def test_the_contract_holds_for_it_with_no_test_written(tmp_path):
    code, said = contract_tests(written(tmp_path))
    assert code == 0, said
    passed = set(re.findall(r"^PASSED tests/engine/test_(\w+)\.py", said, re.MULTILINE))
    assert passed == set(CONTRACT), said
    assert "highcard.duel-game" in said


@pytest.mark.full
def test_the_page_of_contracts_asks_nothing_of_it(tmp_path):
    code, said = run(
        written(tmp_path), "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "tests/test_contracts_page.py", "-k", "deal_boards",
    )  # fmt: skip
    assert code == 0, said


@pytest.mark.full
def test_the_contract_notices_when_it_is_broken(tmp_path):
    def one_pays_double(text):
        return text.replace("if seat == winner else -1", "if seat == winner else -2")

    code, said = contract_tests(written(tmp_path, one_pays_double), ("contract",))
    assert code == 1
    assert "FAILED tests/engine/test_contract.py::test_results_sum_to_zero" in said


def record_of_a_game():
    """A game of the preset played at random, and its record."""
    game, ruleset = preset_named("highcard")
    board = Board("game", 7, "added")
    played = play(game, ruleset, board, random_choice(random.Random(1)))
    writer = RecordWriter(game, ruleset, {seat: f"{seat:064x}" for seat in (1, 2, 3)})
    writer.start_board(board, played.states[0])
    writer.add(played.states[0], played.last)
    writer.end_board(played.last)
    return played, replay(writer.end((), dict.fromkeys((1, 2, 3), "OK")))


def test_its_records_replay(added):
    played, found = record_of_a_game()
    assert found.boards[0].outcome == played.last.outcome()
    assert len(found.boards[0].outcome.deals) == 4


def test_records_show_its_tricks(added):
    _, found = record_of_a_game()
    console, ink = console_for(has_color=False), SceneRenderer("ascii")
    present = Presenter(found, ink, None)
    stops = list(board_stops(found, found.boards[0], None))
    with console.capture() as captured:
        for part in replay_pages(found, stops, present, ink, console, None):
            console.print(part)
    tricks = re.findall(r"^ +(\d)( +\w\w\*?){3} *$", captured.get(), re.MULTILINE)
    assert [number for number, _ in tricks] == [*"12345"] * 4


def test_positions_are_shown_as_its_scene(added):
    played, _ = record_of_a_game()
    observation = played.states[0].observe(2)
    legal = observation["legal"]
    position = position_of({"observation": observation}, legal[1], legal[0])
    assert [chip.code for chip in position.legal if chip.is_answer] == [legal[1]]
    html = render_to_string("web/positions/_position.html", {"position": position, "report": None})
    assert "Deal 1, Trick 1" in html


def test_bots_read_it_through_its_view(added):
    played, _ = record_of_a_game()
    observation = played.states[0].observe(3)
    request = Request({"legal": observation["legal"], "observation": observation})
    view = view_of(request)
    assert (type(view).__name__, view.hand) == ("HighCardView", tuple(observation["hand"]))
    assert view.is_ahead
    assert "highcard" in str(refusal(WorldError, determinize, view, random.Random(1)))


def test_nothing_shows_it_once_it_is_gone(tmp_path):
    with on_the_path(written(tmp_path)):
        observation = record_of_a_game()[0].states[0].observe(1)
    assert position_of({"observation": observation}, None, None).kind == "plain"
    with pytest.raises(ProtocolError, match="'highcard'"):
        view_of(Request({"legal": [], "observation": observation}))


def test_bots_play_it_under_the_referee(added):
    space = {"__name__": "careful"}
    exec(FILES["bots/highcard_careful/main.py"], space)
    game, ruleset = preset_named("highcard")
    order = TableOrder(
        table="t1",
        attempt=1,
        game=game.key,
        preset=ruleset.preset,
        ruleset=ruleset.as_dict(),
        boards=tuple(BoardOrder(number, "game", f"seed-{number}") for number in (1, 2)),
        seats=tuple(SeatOrder(seat, f"{seat}" * 64, "python/1", "main.py") for seat in (1, 2, 3)),
        clock=Clock(),
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="5a" * 32,
        wall_limit_s=60.0,
    )
    kept = []
    drivers = {seat: InProcessDriver(space["Careful"]().reply_to) for seat in (1, 2, 3)}
    report = play_table(order, drivers, lambda *_: None, lambda data: str(kept.append(data)))
    assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 3
    assert {result.board for result in report.results} == {1, 2}
    assert sum(result.stones for result in report.results) == 0
    assert any(result.stones for result in report.results)
    assert sum(data.startswith(b'{"bots"') and len(replay(data).boards) == 2 for data in kept) == 1


@pytest.mark.full
def test_the_rensho_command_checks_starts_plays_and_replays_it(tmp_path):
    folder = written(tmp_path)
    command, bot, mine = folder / "command.py", folder / "bots" / "highcard_careful", folder / "mine"
    preset, trusted = ("--preset", "highcard"), "--no-sandbox"
    code, said = run(folder, command, "check", bot, *preset, trusted)
    assert code == 0, said
    code, said = run(folder, command, "new", mine, *preset)
    assert code == 0, said
    records = folder / "records"
    match = ("play", bot, mine, mine, *preset, "--record", records, trusted)
    code, said = run(folder, command, *match)
    assert code == 0, said
    (record,) = re.findall(r"^    rensho replay records/(\S+)$", PAGE, re.MULTILINE)
    code, said = run(folder, command, "replay", records / record)
    assert code == 0, said
    assert "deal_end 1: stones" in said
    assert re.search(r"^ +1( +\w.\*?){3} *$", said, re.MULTILINE)
