"""``rensho replay``: what is printed, for every preset, and what is refused."""

import gzip
import json
import os
import re
import subprocess
import sys

import pytest

from bots.kit.cli import main
from engine import all_games
from tests.bots.kit.replay.records import random_record
from tests.viewer.noted import noted_table
from viewer.build import view_of

PRESETS = [preset for game in all_games().values() for preset in game.presets]


def run(capsys, *argv):
    status = main([str(argument) for argument in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "table.ndjson"
    path.write_bytes(random_record("kakeya4", boards=2))
    return path


@pytest.fixture
def kakkuri(tmp_path):
    path = tmp_path / "kakkuri.ndjson"
    path.write_bytes(random_record("kakkuri", kind="game", seed=3, options={"hands": 3, "seats": 5}))
    return path


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", ["deal", "game"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_told_from_every_seat_and_from_none(capsys, tmp_path, preset, kind):
    path = tmp_path / "r"
    options = {"hands": 2} if preset.startswith("kakkuri") else {}
    path.write_bytes(random_record(preset, kind=kind, options=options))
    for view in ([], ["--seat", 1], ["--seat", 2, "--json"]):
        status, out, err = run(capsys, "replay", path, *view)
        assert (status, err) == (0, "")
        assert out


def test_a_deal_is_told_with_hands_tricks_pictures_and_payment(capsys, record):
    status, out, _ = run(capsys, "replay", record)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "kakeya4 · rules_version 1 · all hands open"
    assert lines[1] == "  seat 1  bot 111111111111  OK"
    assert sum(line.startswith("── Board ") for line in lines) == 2
    assert sum("Rensho: A♣" in line for line in lines) == 2
    assert len(re.findall("♠[^ ]+ ♥[^ ]+ ♦[^ ]+ ♣", out)) == 8, "four hands a board"
    tricks = [line.split() for line in lines if "▸" in line]
    assert [int(words[0]) for words in tricks] == 2 * list(range(1, 14))
    assert all(line.count("▸") == line.count("*") == 1 for line in lines if "▸" in line)
    assert [sum(map(int, tricks[last][-2:])) for last in (12, 25)] == [16, 16]
    assert sum(line.startswith("  Seats ") and "Rensho" in line for line in lines) == 2


def test_a_game_of_kakkuri_is_told_turn_by_turn(capsys, kakkuri):
    status, out, _ = run(capsys, "replay", kakkuri)
    assert status == 0
    assert [line for line in out.splitlines() if line.startswith("  Deal ")] == [
        "  Deal 1",
        "  Deal 2",
        "  Deal 3",
    ]
    assert out.count("  Turned up: ") == 3
    assert out.count(" Stones: 1 ") == 3
    assert "to follow" in out
    assert " turned up, " in out
    assert "\n  Board 1: stones 1 " in out


def test_a_seat_sees_its_own_hand_alone(capsys, record, kakkuri):
    _, out, _ = run(capsys, "replay", record, "--seat", 2, "--board", 1)
    assert "as seat 2 saw it" in out
    assert out.count("13 cards") == 3
    assert "seed" not in out
    assert "bot 1" not in out
    _, out, _ = run(capsys, "replay", kakkuri, "--seat", 4, "--deal", 2)
    assert out.count("6 cards") == 4
    assert "Seat 4 (you)" in out


def test_boards_and_deals_are_chosen_by_number(capsys, record, kakkuri):
    _, out, _ = run(capsys, "replay", record, "--board", 2)
    assert "Board 2" in out
    assert "Board 1" not in out
    _, out, _ = run(capsys, "replay", kakkuri, "--deal", 2)
    assert "  Deal 2" in out
    assert "  Deal 1" not in out


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--seat", 5], "there is no seat 5: this table has seats 1 to 4"),
        (["--seat", 0], "there is no seat 0"),
        (["--board", 3], "there is no board 3 in this record: it has 1 to 2"),
        (["--deal", 2], "has a deal 2: omit --deal"),
        (["--step"], "--step requires a terminal"),
    ],
)
def test_a_view_that_cannot_be_is_refused(capsys, record, argv, complaint):
    status, out, err = run(capsys, "replay", record, *argv)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_json_holds_every_event_and_one_seat_s_observations(capsys, record):
    _, out, _ = run(capsys, "replay", record, "--json")
    replayed = json.loads(out)
    assert (replayed["preset"], replayed["seat"], replayed["bots"]["3"]["verdict"]) == ("kakeya4", None, "OK")
    events = [event for stop in replayed["boards"][0]["stops"] for event in stop["events"]]
    assert sum(event["e"] == "act" for event in events) == 54
    assert {seat: len(hand) for seat, hand in events[0]["hands"].items()} == dict.fromkeys("1234", 13)
    assert sum(replayed["boards"][0]["stones"].values()) == 0
    _, out, _ = run(capsys, "replay", record, "--json", "--seat", 3)
    stops = json.loads(out)["boards"][0]["stops"]
    assert {stop["observation"]["seat"] for stop in stops} == {3}
    assert set(stops[0]["events"][0]["hands"]) == {"3"}


def test_an_output_without_suit_symbols_gets_letters(record):
    argv = [sys.executable, "-m", "bots.kit.cli", "replay", str(record)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(argv, env=environment, capture_output=True, check=True)
    out = done.stdout.decode("ascii")
    assert "Rensho: AC" in out
    assert out.count(" C:") == 8


def test_a_gzipped_record_is_read_alike(capsys, record):
    _, plain, _ = run(capsys, "replay", record)
    record.write_bytes(gzip.compress(record.read_bytes()))
    assert run(capsys, "replay", record) == (0, plain, "")


@pytest.mark.parametrize("preset", ["kakeya4", "kakkuri.league"])
def test_an_act_of_the_referee_is_marked_and_counted(capsys, tmp_path, preset):
    path = tmp_path / "r"
    path.write_bytes(random_record(preset, silent=(3,)))
    _, out, _ = run(capsys, "replay", path)
    assert "seat 3  bot 333333333333  OUT_OF_TIME, forfeited" in out
    assert "! The referee acted for seat 3, " in out
    _, own, _ = run(capsys, "replay", path, "--seat", 3)
    assert "! The referee acted for seat 3, " in own
    _, other, _ = run(capsys, "replay", path, "--seat", 1)
    assert "OUT_OF_TIME" not in other


def test_a_record_that_disagrees_with_the_rules_is_refused_in_one_line(capsys, record):
    record.write_bytes(record.read_bytes().replace(b'"pictures":0', b'"pictures":1', 1))
    status, out, err = run(capsys, "replay", record)
    assert (status, out) == (1, "")
    assert str(record) in err
    assert "line " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "content", [b"", b"# Notes\n", b"[]\n", b'{"e":"table"}\n', b'{"format":"rensho-fault/1"}\n', b"\xff\xfe"]
)
def test_a_file_that_is_no_record_is_invalid_input(capsys, tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    status, out, err = run(capsys, "replay", path)
    assert (status, out) == (2, "")
    assert err.startswith(f"rensho: {path} is not a record (line 1: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [None, b"\x1f\x8bbroken"])
def test_a_file_that_cannot_be_read_is_named(capsys, tmp_path, content):
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    status, out, err = run(capsys, "replay", path)
    assert (status, out) == (2, "")
    assert str(path) in err


def test_a_page_has_every_deal_in_it_and_asks_no_server(capsys, record, tmp_path):
    page = tmp_path / "pages" / "table.html"
    status, out, _ = run(capsys, "replay", record, "--html", page)
    assert status == 0
    assert str(page) in out
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'"replay" data-deal="(b\d)"', html) == ["b1", "b2"]
    assert 'data-for="b2"' in html
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', html) == []
    assert "11111111" in html
    assert html.count("</script>") == 3


def test_a_page_holds_the_board_that_was_asked_for(capsys, kakkuri, record, tmp_path):
    page = tmp_path / "table.html"
    assert run(capsys, "replay", record, "--html", page, "--board", 2, "--language", "ja")[0] == 0
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'"replay" data-deal="(\w+)"', html) == ["b2"]
    assert '<html lang="ja">' in html
    assert run(capsys, "replay", kakkuri, "--html", page, "--deal", 2)[0] == 0
    assert 'aria-label="Board 1: ' in page.read_text(encoding="utf-8")


def notes_on(path, **changes):
    view = view_of(path.read_bytes())
    return noted_table(view, {(1, 1): {5: 1}}) | changes


def test_a_page_shows_notes_on_its_record(capsys, record, tmp_path):
    page, notes = tmp_path / "table.html", tmp_path / "notes.json"
    notes.write_text(json.dumps(notes_on(record)))
    assert run(capsys, "replay", record, "--html", page, "--notes", notes)[0] == 0
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'replay-note[^"]*" data-note="(\d+)"', html) == ["7"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": "rensho-notes/1"}, "rensho-notes/1"),
        ({"record_sha256": "0" * 64}, "another record"),
        ({"deals": [{"board": 1, "deal": 1}]}, "damaged"),
        ({"deals": 3}, "damaged"),
    ],
)
def test_other_notes_are_refused_in_one_line(capsys, record, tmp_path, changes, says):
    page, notes = tmp_path / "table.html", tmp_path / "notes.json"
    notes.write_text(json.dumps(notes_on(record, **changes)))
    status, _, err = run(capsys, "replay", record, "--html", page, "--notes", notes)
    assert status == 2
    assert str(notes) in err
    assert says in err
    assert err.count("\n") == 1
    assert not page.exists()


@pytest.mark.parametrize("content", [None, b"", b"[]", b"\xff", b"[" * 99_999])
def test_a_file_without_notes_is_refused_in_one_line(capsys, record, tmp_path, content):
    notes = tmp_path / "notes.json"
    if content is not None:
        notes.write_bytes(content)
    status, _, err = run(capsys, "replay", record, "--html", tmp_path / "x.html", "--notes", notes)
    assert status == 2
    assert str(notes) in err
    assert err.count("\n") == 1


def test_notes_need_a_page(capsys, record):
    status, _, err = run(capsys, "replay", record, "--notes", "notes.json")
    assert status == 2
    assert "--html" in err


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--seat", 2], "omit --seat"), (["--board", 7], "no board 7"), (["--deal", 9], "has a deal 9")],
)
def test_a_page_that_cannot_be_is_refused_and_not_written(capsys, record, tmp_path, options, says):
    page = tmp_path / "table.html"
    status, _, err = run(capsys, "replay", record, "--html", page, *options)
    assert status == 2
    assert says in err
    assert not page.exists()
