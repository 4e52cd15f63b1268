"""House bots play whole boards legally, and each decision follows from its one line."""

import json
import subprocess
import sys
import tomllib

import pytest

from bots.house import house_folders
from engine.wire import BYE, parse_answer, parse_ready
from tests.bots.asking import HOUSE, answer_to, house_bot, house_class, play_board, position, request_for
from tests.bots.test_loop import ROOT, hello
from tests.referee.orders import play


def seats_of(name):
    return {seat: house_bot(name) for seat in (1, 2, 3, 4)}


def test_every_folder_is_a_bundle_with_a_manifest():
    assert list(house_folders()) == sorted(HOUSE)
    for name, folder in house_folders().items():
        manifest = tomllib.loads((folder / "rensho.toml").read_text())
        assert manifest == {"name": name, "runtime": "python/1", "entry_point": "main.py"}
        assert (folder / manifest["entry_point"]).is_file()
        assert house_class(name).name == name


@pytest.mark.parametrize("name", HOUSE)
@pytest.mark.parametrize("number", range(1, 9))
def test_a_deal_board_is_played_without_an_illegal_action(name, number):
    said, state = play_board(seats_of(name), number=number)
    assert len(said) == 2 + 52
    assert sum(state.outcome().stones.values()) == 0


@pytest.mark.parametrize("name", HOUSE)
def test_a_game_board_is_played_to_its_end(name):
    said, state = play_board(seats_of(name), preset="kakeya4.league", kind="game")
    assert {json.loads(line)["phase"] for line, _ in said} == {"trump", "lead", "play"}
    assert state.outcome() is not None


@pytest.mark.parametrize("name", HOUSE)
@pytest.mark.parametrize("protocol", ["iku_koi", "decider"])
def test_other_words_for_the_lead_do_not_trip_a_bot(name, protocol):
    speakers = {seat: bot.reply_to for seat, bot in seats_of(name).items()}
    report, _ = play(speakers, options={"lead_protocol": protocol})
    assert {seat.verdict for seat in report.seats} == {"OK"}


@pytest.mark.parametrize("name", HOUSE)
def test_the_referee_finds_no_fault(name):
    speakers = {seat: bot.reply_to for seat, bot in seats_of(name).items()}
    report, _ = play(speakers, boards=4)
    assert {seat.verdict for seat in report.seats} == {"OK"}
    assert all(not seat.faults for seat in report.seats)


@pytest.mark.parametrize("name", HOUSE)
def test_an_answer_is_a_pure_function_of_one_line(name):
    said, _ = play_board(seats_of(name), number=3)
    for line, action in reversed(said):
        assert answer_to(house_bot(name), line) == action


@pytest.mark.parametrize("name", HOUSE)
def test_the_same_table_gives_the_same_record(name):
    records = {
        play({seat: bot.reply_to for seat, bot in seats_of(name).items()}, boards=2)[0].record_sha256
        for _ in range(2)
    }
    assert len(records) == 1


@pytest.mark.parametrize("name", HOUSE)
def test_a_bot_runs_as_a_program(name):
    said, _ = play_board(seats_of(name), number=2)
    lines = [hello(), *(line for line, _ in said), BYE]
    done = subprocess.run(
        [sys.executable, str(house_folders()[name] / "main.py")],
        input=b"".join(line + b"\n" for line in lines),
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    ready, *answers = done.stdout.splitlines()
    assert parse_ready(ready).name == name
    assert len(answers) == len(said)
    for (line, action), answer in zip(said, answers, strict=True):
        assert parse_answer(answer, json.loads(line)["id"]).action == action


def test_random_plays_different_cards_for_different_requests():
    said, _ = play_board(seats_of("kakeya_random"))
    opening = [action for line, action in said if json.loads(line)["phase"] == "play"]
    assert len(set(opening)) == 52
    free = [
        json.loads(line)["legal"].index(action) for line, action in said if len(json.loads(line)["legal"]) > 5
    ]
    assert len(set(free)) > 3


def greedy(hands, plays=()):
    state = position(hands, plays)
    return house_bot("kakeya_greedy").act(request_for(state, state.to_act[0]))


HEARTS = {3: ["5H", "KH", "2S", "AC"], 4: ["3H", "QH", "AH"], 1: ["4H", "9H", "JH"], 2: ["2H", "7H", "TH"]}


@pytest.mark.parametrize(
    ("plays", "card"),
    [
        (["KH"], "AH"),
        (["5H"], "3H"),
        (["KH", "3H"], "4H"),
        (["KH", "AH"], "4H"),
        (["5H", "QH", "JH"], "2H"),
        (["5H", "3H", "JH"], "2H"),
        (["5H", "3H", "4H"], "2H"),
    ],
)
def test_greedy_takes_pictures_with_its_cheapest_winner_and_else_plays_low(plays, card):
    assert greedy(HEARTS, plays) == card


def test_greedy_takes_a_picture_even_from_its_partner():
    assert greedy({3: ["JH"], 4: ["3H"], 1: ["QH", "KH", "2H"], 2: ["4H"]}, ["JH", "3H"]) == "QH"


def test_greedy_cuts_with_its_lowest_trump_before_rensho():
    void = {2: ["AC", "AS", "3S", *(f"{rank}D" for rank in "23456789TJ")], 3: ["KH"], 4: ["2H"], 1: ["3H"]}
    assert greedy(void, ["KH", "2H", "3H"]) == "3S"


def test_greedy_leads_and_discards_plain_cards_before_trumps():
    assert greedy({3: ["2S", "AC", "4D", "3H", "4H"]}) == "3H"


def test_greedy_neither_changes_trumps_nor_asks_to_lead():
    said, _ = play_board(seats_of("kakeya_greedy"), preset="kakeya4.league", kind="game")
    words = {action for line, action in said if json.loads(line)["phase"] != "play"}
    assert words == {"KEEP", "DEFER"}
