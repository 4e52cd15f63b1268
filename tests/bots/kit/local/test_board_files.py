"""`rensho play --boards FILE`: boards of records, matches, exports, faults, problems and position texts."""

import copy
import functools
import gzip
import io
import json
import random
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from analysis.deal_position import deal_board, deal_position
from analysis.position_text import format_position_text, parse_position_text
from bots.kit.errors import InvalidInput
from bots.kit.local.board_files import ChosenRules, boards_of, on_boards
from bots.kit.local.match import LocalMatch, board_batches
from bots.kit.local.rules import rules_named
from bots.play import play
from engine import Board, replay
from engine.games.kakeya import GAME
from tests.league.events import KAKEYA
from tests.league.sample_events import eventful

TEXT = """\
preset: kakeya4
trump: D
lead: 1
1: S 83 H AQJ97 D KT93 C 83
2: S K52 H 852 D A85 C AT97
3: S JT64 H 6 D J7642 C Q65
4: S AQ97 H KT43 D Q C KJ42
plays: 3C 7C QC 2C
"""


def first(request):
    return request.legal[0]


def last(request):
    return request.legal[-1]


def found(path, lost=None, **wanted):
    return boards_of(Path(path), ChosenRules(**wanted), lost)


def refused(path, lost=None, **wanted):
    with pytest.raises(InvalidInput) as error:
        found(path, lost, **wanted)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture(scope="module")
def match_folder(tmp_path_factory):
    """A match of 24 boards, in three batches, with its records."""
    folder = tmp_path_factory.mktemp("match") / "match"
    match = play(first, last, boards=24, record=folder)
    return match, folder


def test_a_folder_a_summary_and_a_record_have_the_same_boards(match_folder):
    _, folder = match_folder
    boards = found(folder)
    assert [board.board.number for board in boards.boards] == list(range(1, 25))
    assert boards.rules.ruleset.preset == "kakeya4"
    assert [each.board for each in found(folder / "summary.json").boards] == [
        each.board for each in boards.boards
    ]
    record = min(folder.glob("*rotation-1.ndjson.gz"))
    part = [each.board for each in found(record).boards]
    assert part == [each.board for each in boards.boards][: len(part)]
    plain = folder.parent / "plain.ndjson"
    plain.write_bytes(gzip.decompress(record.read_bytes()))
    assert [each.board for each in found(plain).boards] == part
    replayed = replay(plain.read_bytes())
    assert [each.board for each in replayed.boards] == part


@pytest.mark.parametrize("part", ["", "summary.json"])
def test_boards_on_which_a_bot_lost_are_those_with_a_negative_score(match_folder, part):
    match, folder = match_folder
    due = [number for number, score in enumerate(match.sides[0].scores, 1) if score < 0]
    boards = found(folder / part, "first").boards
    assert [each.board.number for each in boards] == due
    assert 0 < len(due) < 24
    sha256 = match.summary["sides"][0]["bots"][0]["sha256"]
    assert found(folder / part, sha256[:8]).boards == boards
    assert "first" in refused(folder / part, "nobody")


def test_the_boards_are_played_again_with_the_same_cards(match_folder, tmp_path):
    match, folder = match_folder
    again = play(first, last, boards=folder, lost_by="first", record=tmp_path / "again")
    lost = [score for score in match.sides[0].scores if score < 0]
    assert list(again.sides[0].scores) == lost
    assert again.summary["lost_by"] == "first"
    assert "first lost on all of these boards" in again.conclusion
    assert f"{len(lost)} deal boards of {folder}" in str(again)
    once_more = found(tmp_path / "again" / "summary.json")
    assert [each.board for each in once_more.boards] == [each.board for each in found(folder, "first").boards]
    assert again.replay(2).names[1] == "first"


def test_texts_become_boards_with_these_hands_trump_and_leaders(tmp_path):
    path = tmp_path / "deals.txt"
    other = (
        TEXT.replace("trump: D", "trump: C").replace("lead: 1", "lead: 2").replace("plays: 3C 7C QC 2C\n", "")
    )
    path.write_text(f"# two deals\n{TEXT}\n{other}{TEXT}")
    boards = found(path).boards
    assert [each.origin for each in boards] == ["line 1", "line 11", "line 18"]
    numbers = [each.board.number for each in boards]
    assert numbers == sorted(set(numbers))
    position = parse_position_text(TEXT)
    state = GAME.start(found(path).rules.ruleset, boards[0].board)
    assert (state.deal.trump, set(state.deal.roles.leaders)) == ("D", {1, 3})
    assert {seat: set(state.observe(seat)["hand"]) for seat in range(1, 5)} == {
        seat: set(hand) for seat, hand in position.hands.items()
    }
    match = play(first, last, boards=path, record=tmp_path / "out")
    record = min((tmp_path / "out").glob("*rotation-1.ndjson.gz"))
    assert [each.board.seed for each in replay(gzip.decompress(record.read_bytes())).boards] == [
        each.board.seed for each in boards
    ]
    assert match.replay(3).html
    assert [each.board for each in found(tmp_path / "out").boards] == [each.board for each in boards]


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_every_position_has_a_board_with_the_same_conditions(preset):
    rng = random.Random(preset)
    for number in range(1, 13):
        state = GAME.start(GAME.presets[preset], Board("deal", number, f"{preset}{number}"))
        while state.phase != "play":
            for seat in state.to_act:
                state = state.apply(seat, rng.choice(state.legal(seat)))
        position = parse_position_text(format_position_text(deal_position(state)))
        board = deal_board(position, number)
        again = GAME.start(position.ruleset, board)
        assert board.number > number
        assert (again.deal.hands, again.deal.trump) == (state.deal.hands, state.deal.trump)
        assert position.leader in again.deal.roles.leaders


def test_a_fault_file_has_the_board_of_the_fault(tmp_path):
    def fails(request):
        return "QQ" if len(request.observation["hand"]) == 3 else request.legal[0]

    play(fails, first, boards=2, record=tmp_path / "out")
    (path, *_) = sorted((tmp_path / "out").glob("*rotation-1.seat-1.fault-*.json"))
    (board,) = found(path).boards
    fault = json.loads(path.read_text())
    assert board.board.number == fault["fault"]["board"]
    assert any(line.get("seed") == board.board.seed for line in fault["record"] if line["e"] == "board")


@functools.cache
def sample_document():
    return eventful().document()


def an_export(tmp_path, **changed):
    document = copy.deepcopy(sample_document())
    document["tournament"]["ruleset"] = GAME.presets[KAKEYA["preset"]].as_dict()
    document["tournament"].update(changed)
    path = tmp_path / "t1.zip"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tournament.json", json.dumps(document))
    path.write_bytes(packed.getvalue())
    return path, document


def test_an_export_has_the_boards_of_its_rounds_with_the_seeds_of_its_records(tmp_path):
    path, document = an_export(tmp_path)
    boards = found(path).boards
    played = [
        (stage["number"], each["number"], each["boards"])
        for stage in document["stages"]
        for each in stage["rounds"]
    ]
    assert [each.origin for each in boards] == [
        f"stage {stage}, round {number}, board {board}"
        for stage, number, count in played
        for board in range(1, count + 1)
    ]
    assert len({each.board.seed for each in boards}) == len(boards)
    won = {}
    for stage in document["stages"]:
        for each in stage["rounds"]:
            for fixture in each["fixtures"]:
                for score in fixture["scores"]:
                    key = f"stage {stage['number']}, round {each['number']}, board {score['board']}"
                    won.setdefault((key, score["entry"]), []).append(Fraction(score["value"]))
    due = [board.origin for board in boards if sum(won.get((board.origin, "c"), [])) < 0]
    assert due
    assert [each.origin for each in found(path, "c").boards] == due


def test_tables_have_ascending_numbers_whatever_the_order_of_the_file(tmp_path):
    path, _ = an_export(tmp_path)
    given = found(path)
    match = on_boards(LocalMatch(given.rules, (), 0, "s"), given, "t1.zip", None)
    batches = board_batches(match)
    assert sum(batch.boards for batch in batches) == match.boards == len(given.boards)
    for batch in batches:
        numbers = [
            match.given[board - 1].order.number for board in range(batch.first_board, batch.last_board + 1)
        ]
        assert numbers == sorted(set(numbers))
    assert len(batches) > 1


def test_rules_that_the_file_does_not_have_are_refused(match_folder, tmp_path):
    _, folder = match_folder
    assert "kakeya4 (deal boards) only" in refused(folder, preset="kakeya6")
    assert "kakeya4" in refused(folder, kind="game")
    assert "kakeya4" in refused(folder, options={"debt": False})
    assert found(folder, preset="kakeya4", kind="deal").boards
    mixed = tmp_path / "mixed.txt"
    mixed.write_text(TEXT + TEXT.replace("kakeya4", "kakeya4.nakayoshi"))
    assert "kakeya4.nakayoshi" in refused(mixed)
    assert len(found(mixed, preset="kakeya4").boards) == 1


def summary(*, preset="kakeya4", kind="deal", scores=(1,), number=1, seed="s"):
    """The summary of a match on one board."""
    document = {
        "format": "rensho-match/1",
        "game": "kakeya",
        "preset": preset,
        "ruleset": GAME.presets["kakeya4"].as_dict(),
        "kind": kind,
        "sides": [{"side": "a", "bots": [], "scores": list(scores)}],
        "given_boards": [{"number": number, "seed": seed, "origin": "board 1"}],
    }
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        (b"", "no line 'preset: ..'"),
        (b"hello\n", "give an export"),
        (b"\xff\xfe\x00", "UTF-16"),
        (b"\x00\x01", "give an export"),
        (b"PK\x03\x04nothing", "not an export of a tournament"),
        (b"\x1f\x8bnothing", "cannot read record"),
        (b"[1, 2]", "JSON list"),
        (b'{"format": "other"}', "format 'other'"),
        (b'{\n"format": \n', "line 3: not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": "rensho-match/1", "game": "kakeya"}', "damaged"),
        (summary(scores=["1e999999999"]), "damaged"),
        (summary(number="7"), "damaged"),
        (summary(seed="deck:AS AS"), "board 1"),
        (summary(preset="kakeya4.week"), "another release"),
        (summary(kind="game"), "may never end"),
        (b'{"format": "rensho-fault/1"}', ""),
        (b'{"format": "rensho-problem/1"}', ""),
        (b'{"statement": {"body": "{}"}, "secret": null}', "damaged"),
        (b'{"type": "tournament"}\n{"type": "end"}\n', "without --ndjson"),
        (b'{"table": "t", "position": "b1t1p1", "file": "f"}\n{}\n', "rensho pull"),
        (TEXT.replace("KT93", "KT9").encode(), "line 4: seat 1 has 12 cards"),
        ((TEXT + "\n" + TEXT.replace("lead: 1", "lead: 7")).encode(), "line 12: seat '7'"),
        (TEXT.replace("lead", "stones: 1 9\nlead").encode(), "remove the stones"),
        (b"preset: kakkuri\n", "no position text"),
        (b"preset: kakeya4\n" * 10_001, "the maximum is 10000"),
    ],
)
def test_a_bad_file_is_one_line_with_the_file_and_the_remedy(tmp_path, content, culprit):
    path = tmp_path / "given"
    path.write_bytes(content)
    message = refused(path)
    assert str(path) in message
    assert culprit in message


def test_a_missing_file_an_open_tournament_and_a_list_without_results_are_refused(tmp_path):
    assert "cannot read" in refused(tmp_path / "nothing")
    path, _ = an_export(tmp_path, secret=None)
    assert "rensho pull" in refused(path)
    text = tmp_path / "deal.txt"
    text.write_text(TEXT)
    assert "omit --lost" in refused(text, "first")
    with pytest.raises(InvalidInput, match="lost_by selects"):
        play(first, last, boards=3, lost_by="first")


def test_the_options_of_the_command(rensho, match_folder):
    _, folder = match_folder
    summary = rensho.json(
        "play", "house:greedy", "house:random", "--boards", folder, "--lost", "first", "--no-sandbox"
    )
    assert summary["boards"] == len(summary["given_boards"]) < 24
    assert rules_named(summary["preset"]).ruleset.as_dict() == summary["ruleset"]
    words = ("play", "house:greedy", "house:random", "--no-sandbox")
    rensho.refuses(*words, "--boards", "nowhere", names="nowhere")
    rensho.refuses(*words, "--boards", 2, "--lost", "first", names="--boards FILE")
    rensho.refuses(*words, "--boards", folder, "--preset", "kakkuri", names="kakeya4")
