"""``rensho analyse``: which plays cost stones, in every form of record, and what is refused."""

import gzip
import json

import pytest

from analysis.notes import notes_bytes, notes_of_record
from analysis.position_text import parse_position_text
from analysis.problems import problem_bytes, problem_of
from analysis.work import AnalysisError
from bots.kit.local import analyse
from bots.kit.local.decisions import decisions_of
from engine import replay
from tests.analysis.records import PROBLEM_TEXT
from tests.bots.kit.replay.records import random_record
from viewer.build import view_of
from viewer.position import parse_position

NODES = 300
"""Solves the last tricks only, which takes a moment."""
LIMITS = {"nodes": NODES, "deals": 0}
FAST = ("--nodes", NODES, "--deals", 0, "--jobs", 1)


@pytest.fixture(scope="module")
def record():
    return random_record("kakeya4", boards=2, seed=5)


@pytest.fixture
def folder(tmp_path, record):
    """A folder as of rensho play: two tables, their timings and a summary."""
    folder = tmp_path / "match"
    (folder / "later").mkdir(parents=True)
    (folder / "a.ndjson.gz").write_bytes(gzip.compress(record))
    (folder / "a.timings.ndjson.gz").write_bytes(gzip.compress(b"{}\n"))
    (folder / "later" / "b.ndjson").write_bytes(random_record("etori.simple", boards=1, seed=2))
    sides = [
        {"side": "kita", "bots": [{"name": "kita", "sha256": "1" * 64}]},
        {"side": "x+y", "bots": [{"name": "x", "sha256": "2" * 64}, {"name": "x", "sha256": "4" * 64}]},
    ]
    (folder / "summary.json").write_text(json.dumps({"sides": sides}))
    return folder


def test_notes_of_single_boards_join_to_the_notes_of_the_record(rensho, tmp_path, record):
    (tmp_path / "table.ndjson").write_bytes(record)
    rensho.json("analyse", tmp_path / "table.ndjson", *FAST, "--notes", tmp_path / "notes")
    written = (tmp_path / "notes" / "table.notes.json").read_bytes()
    assert written == notes_bytes(notes_of_record(record, LIMITS))


def test_each_decision_has_the_cost_and_the_best_cards_of_the_notes(record):
    """Against the record itself: who played what, and which values the cards had."""
    notes, view, replayed = notes_of_record(record, LIMITS), view_of(record), replay(record)
    acts = {
        board.board.number: [acts[0] for acts in board.decisions if len(acts) == 1]
        for board in replayed.boards
    }
    deals = {deal["board"]: deal for deal in notes["deals"]}
    decisions = list(decisions_of("t", view, notes))
    assert decisions
    for decision in decisions:
        costly = decision.costly
        position = parse_position(decision.address, view)
        assert (position.board, position.deal) == (costly.board, costly.deal)
        # Position 0 is before the declarations, 1 after them, 2 after the first card.
        index = position.at - 2
        act = acts[costly.board][index]
        assert (act.seat, act.action) == (costly.seat, costly.action)
        assert decision.trick == index // 4 + 1
        values = {
            card: int(value)
            for value, cards in deals[costly.board]["steps"][str(index)]["values"].items()
            for card in cards
        }
        sign = 1 if costly.seat % 2 else -1
        best = max(sign * value for value in values.values())
        assert costly.cost == best - sign * values[costly.action]
        assert set(decision.best) == {card for card, value in values.items() if sign * value == best}


def test_a_folder_gives_accuracy_by_bot_and_decisions_by_cost(rensho, folder):
    found = rensho.json("analyse", folder, *FAST)
    assert [each["record"] for each in found["records"]] == ["a", "later/b"]
    assert (found["boards"], found["interrupted"]) == (3, False)
    names = {each["sha256"][0]: each["bot"] for each in found["accuracy"]}
    assert names == {"1": "kita", "2": "x 22222222", "3": "33333333", "4": "x 44444444"}
    costs = [each["cost"] for each in found["decisions"]]
    assert costs == sorted(costs, reverse=True)
    assert min(costs) > 0
    for line in found["accuracy"]:
        own = [each for each in found["decisions"] if each["sha256"] == line["sha256"]]
        assert line["costly"] == len(own)
        if not line["decisions"]:
            assert (line["mean_cost"], line["agreement"]) == (None, None)
            continue
        assert line["mean_cost"] * line["decisions"] == pytest.approx(sum(each["cost"] for each in own))
        assert line["agreement"] == pytest.approx(1 - len(own) / line["decisions"])
    means = [each["mean_cost"] or 0 for each in found["accuracy"]]
    assert means == sorted(means)
    assert means[-1] > 0


def test_a_table_lists_the_costliest_and_says_how_many_there_are(rensho, folder):
    out = rensho.prints("analyse", folder, *FAST, "--top", 1)
    first = rensho.json("analyse", folder, *FAST)["decisions"]
    assert first[0]["position"] in out
    assert f"1 of {len(first)} decisions" in out
    assert "kita" in out
    own = rensho.json("analyse", folder, *FAST, "--bot", "kita")["decisions"]
    assert own == [each for each in first if each["bot"] == "kita"]
    assert own == rensho.json("analyse", folder, *FAST, "--bot", "1111")["decisions"]


def test_several_processes_find_the_same(rensho, folder):
    one = rensho.json("analyse", folder, *FAST)
    assert rensho.json("analyse", folder, *FAST[:-1], 3) == one


def test_ctrl_c_prints_the_finished_boards(rensho, folder, monkeypatch):
    whole = analyse.board_notes

    def interrupted(*arguments, **options):
        running = whole(*arguments, **options)
        yield next(running)
        running.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(analyse, "board_notes", interrupted)
    found = rensho.json("analyse", folder, *FAST, status=130)
    assert (found["boards"], found["interrupted"]) == (1, True)
    assert {each["record"] for each in found["records"]} == {"a", "later/b"}
    assert "Interrupted" in rensho.prints("analyse", folder, *FAST, status=130)


def test_what_is_no_record_is_refused_in_one_line(rensho, tmp_path, folder, record, monkeypatch):
    empty = tmp_path / "empty"
    empty.mkdir()
    rensho.refuses("analyse", empty, names=(str(empty), "no records"))
    rensho.refuses("analyse", tmp_path / "nowhere", names="nowhere")
    rensho.refuses("analyse", folder / "summary.json", names=("summary.json", "not a record"))
    rensho.refuses("analyse", folder, "--bot", "aya", names=("aya", "kita"))
    for option, value in (("--top", -1), ("--deals", -1), ("--deals", 1), ("--nodes", 0), ("--jobs", 0)):
        rensho.refuses("analyse", folder, option, value, names=(option, str(value)))
    monkeypatch.setattr("bots.kit.local.note_tasks.notes_of_game", _no_analysis)
    rensho.refuses("analyse", folder / "a.ndjson.gz", names=("a.ndjson.gz", "no analysis of kakeya"))


def _no_analysis(game):
    raise AnalysisError(game)


@pytest.mark.parametrize(
    ("old", "new", "culprit"),
    [
        (b'"deck":["', b'"deck":["XX","', "deck"),
        (b'"action":"', b'"action":"Q', "line 4"),
        (b'"e":"end"', b'"e":"fin"', "forfeited"),
    ],
)
def test_a_broken_record_is_named_with_its_line(rensho, tmp_path, record, old, new, culprit):
    path = tmp_path / "broken.ndjson"
    path.write_bytes(record.replace(old, new, 1))
    rensho.refuses("analyse", path, names=("broken.ndjson", culprit), status=1)


def test_a_record_without_hands_is_refused(rensho, tmp_path, record):
    path = tmp_path / "sealed.ndjson"
    lines = [json.loads(line) for line in record.splitlines()]
    for line in lines:
        line.pop("deck", None)
    path.write_text("".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines))
    rensho.refuses("analyse", path, names=("sealed.ndjson", "line 3", "'deck'", "missing"), status=1)


def test_notes_are_shown_on_the_page_of_the_record(rensho, tmp_path, folder):
    rensho.json("analyse", folder, *FAST, "--notes", tmp_path / "notes")
    words = ("replay", folder / "a.ndjson.gz", "--html", tmp_path / "page.html")
    rensho.prints(*words)
    without = (tmp_path / "page.html").read_text()
    rensho.prints(*words, "--notes", tmp_path / "notes" / "a.notes.json")
    assert (tmp_path / "page.html").read_text() != without
    rensho.refuses(*words, "--notes", tmp_path / "notes" / "later" / "b.notes.json", names="another record")


def test_kakkuri_has_judged_decisions_and_no_double_dummy_costs(rensho, tmp_path):
    path = tmp_path / "kakkuri.ndjson"
    path.write_bytes(random_record("kakkuri", options={"seats": 2}, seed=4))
    found = rensho.json("analyse", path, "--deals", 64, "--jobs", 1)
    assert sum(line["decisions"] for line in found["accuracy"]) > 0
    for line in found["accuracy"]:
        lost = sum(each["average_loss"] for each in found["decisions"] if each["bot"] == line["bot"])
        assert line["mean_cost"] * line["decisions"] == pytest.approx(lost)
        assert (line["interval_95"], line["agreement"]) == (None, None)
    assert all(each["cost"] == 0 < each["average_loss"] for each in found["decisions"])
    rensho.prints("analyse", path, "--deals", 64, "--jobs", 1)


def test_positions_of_a_record_are_written_as_text_and_analysed(rensho, tmp_path, record):
    """The values equal those of the notes on the decision that follows, for both sides."""
    table, text = tmp_path / "table.ndjson", tmp_path / "position.txt"
    table.write_bytes(record)
    (deal,) = notes_of_record(record, LIMITS, boards=(1,))["deals"]
    signs = set()
    for index in map(int, deal["steps"]):
        step = deal["steps"][str(index)]
        address = f"b1t{index // 4 + 1}p{index % 4}" if index % 4 else f"b1t{index // 4}"
        text.write_text(rensho.prints("replay", table, "--text", address))
        found = rensho.json("analyse", text)
        sign = 1 if step["seat"] % 2 else -1
        signs.add(sign)
        values = {card: sign * int(value) for value, cards in step["values"].items() for card in cards}
        assert (found["seat"], found["trick"], found["values"]) == (step["seat"], index // 4 + 1, values)
        assert found["position"] == text.read_text()
        assert set(found["best"]) == {card for card in values if values[card] == max(values.values())}
    assert signs == {1, -1}
    assert " ".join(found["best"]) in rensho.prints("analyse", text)


@pytest.mark.parametrize(("address", "plays"), [("b2", 0), ("b2l", 0), ("b2t1p1", 1), ("b2t13", 52)])
def test_positions_have_the_plays_up_to_their_address(rensho, tmp_path, record, address, plays):
    table = tmp_path / "table.ndjson"
    table.write_bytes(record)
    text = rensho.prints("replay", table, "--text", address)
    assert len(parse_position_text(text).plays) == plays


def test_bad_positions_are_refused_in_one_line(rensho, tmp_path, record):
    table, text = tmp_path / "table.ndjson", tmp_path / "position.txt"
    table.write_bytes(record)
    for address in ("b9", "b1t99", "nowhere", "b1t1p9", "\x1b[2J"):
        rensho.refuses("replay", table, "--text", address)
    rensho.refuses("replay", table, "--text", "b1", "--seat", 1, names="--seat")
    written = rensho.prints("replay", table, "--text", "b1t10")
    for old, new, names in (
        ("trump", "trumps", ("'trumps'",)),
        ("plays: ", "plays: \x1b[2J", ("position.txt", "x1b")),
        ("lead: ", "lead: 9 ", ("position.txt", "'lead'")),
    ):
        text.write_text(written.replace(old, new, 1))
        rensho.refuses("analyse", text, names=names)
    text.write_text(rensho.prints("replay", table, "--text", "b1t13"))
    rensho.refuses("analyse", text, names=("position.txt", "over"))
    text.write_text(rensho.prints("replay", table, "--text", "b1"))
    rensho.refuses("analyse", text, "--nodes", 10, names=("position.txt", "--nodes"))
    kakkuri = tmp_path / "kakkuri.ndjson"
    kakkuri.write_bytes(random_record("kakkuri", options={"seats": 2}))
    rensho.refuses("replay", kakkuri, "--text", "b1", names=("--text", "Kakeya"))


def test_the_proof_of_a_problem_is_computed_again(rensho, tmp_path):
    found = problem_of(parse_position_text(PROBLEM_TEXT), {"nodes": 100_000, "deals": 64}).problem
    assert found is not None
    path = tmp_path / "problem.json"
    path.write_bytes(problem_bytes(found))
    assert rensho.json("analyse", path)["problem"] == found
    assert found["best"] in rensho.prints("analyse", path)
    path.write_bytes(problem_bytes(found).replace(b'"AH"', b'"5H"', 1))
    rensho.refuses("analyse", path, names=("problem.json", "hash"))
