"""docs/bot-protocol.md against the code: messages, clock, verdicts, limits and every transcript line.

What it says of each game is held in test_protocol_games.py. The transcripts are written anew by
``python -m tests.bots.protocol_transcript``.
"""

import dataclasses
import io
import json
import re
import zipfile

import pytest

from engine import Board, preset_named
from engine.wire import DEBUG_BYTES, NAME_CHARACTERS, POLICY_ENTRIES, parse_answer, parse_ready
from referee import archives, bundle, clocks
from referee.contract import BoardOrder, Clock, Limits, Verdict
from referee.runtimes import all_recipes
from tests.bots.asking import hello_for, line_for
from tests.bots.protocol_talk import sent, talk
from tests.bots.protocol_text import TEXT, check, fields, names, section, tables
from tests.bots.protocol_transcript import blocks, with_blocks, written_blocks

pytestmark = pytest.mark.xdist_group("protocol")  # they play the tables of the document once


def test_every_message_of_the_referee_has_a_section():
    kinds = {message["type"] for _, who, message in talk() if who == "referee"}
    assert kinds == {"hello", "request", "event", "bye"}
    assert all(section(kind) for kind in kinds)
    assert sent("bye")[0] == json.loads(names(section("bye"))[0])


def test_hello_is_as_described():
    for message in sent("hello"):
        check(message, fields("hello"))


def test_requests_are_as_described():
    for message in sent("request"):
        check(message, fields("request"))
        assert set(message["clock"]) == {"bank_ms", "increment_ms"}
        assert message["phase"] == message["observation"]["phase"]
        assert message["legal"] == message["observation"]["legal"]


def test_answers_are_as_described_and_read_by_the_referee():
    ready, answer = fields("ready"), fields("answer")
    for message in (message for _, who, message in talk() if who == "bot"):
        check(message, ready if "type" in message else answer)
    assert parse_ready(b'{"type":"ready"}')
    action = parse_answer(b'{"id":"x","action":"AC"}', "x")
    assert (action.debug, action.policy) == (None, None)


def numbers(heading):
    """The numbers in a section."""
    return set(map(int, re.findall(r"\d+", section(heading))))


def test_the_limits_of_answers_are_named():
    assert NAME_CHARACTERS in numbers("ready")
    assert {DEBUG_BYTES, POLICY_ENTRIES, Limits().line_bytes} <= numbers("answer")


def test_the_clock_is_the_contract_s():
    described = {names(row[0])[0]: names(row[1]) for row in tables("Clock")[0]}
    clock = Clock()
    hello_clock = clocks.hello_clock(clock, [BoardOrder(1, "deal", "s")])
    assert set(described) == set(hello_clock)
    whole_game = clocks.hello_clock(clock, [BoardOrder(1, "game", "s")])["bank_ms"]
    assert {name: [str(value)] for name, value in hello_clock.items() if name != "bank_ms"} == {
        name: value for name, value in described.items() if name != "bank_ms"
    }
    assert described["bank_ms"] == [str(hello_clock["bank_ms"]), str(whole_game)]


def test_the_wall_clock_is_the_referee_s():
    limits = {clocks.WALL_PER_CPU, clocks.WALL_EXTRA_MS // 1000}
    bank = {clocks.WALL_BANK_PER_CPU, clocks.WALL_BANK_EXTRA_MS // 1000}
    assert limits | bank <= numbers("Clock")


def test_the_verdicts_are_the_contract_s():
    assert [names(row[0])[0] for row in tables("Faults and verdicts")[0]] == list(Verdict)


def as_words(value):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value % unit == 0:
            return f"{value // unit} {name}"
    return str(value)


def test_the_limits_are_the_contract_s():
    described = {names(row[0])[0]: row[1] for row in tables("Limits")[0]}
    limits = dataclasses.asdict(Limits())
    assert described == {name: as_words(value) for name, value in limits.items()}


def test_the_bundle_is_the_importer_s():
    text = section("Bundle")
    assert list(fields("Bundle")) == list(bundle.Manifest._fields)
    assert {archives.MAX_MEMBERS, bundle.MAX_FOLDERS, bundle.NAME_CHARACTERS} <= numbers("Bundle")
    assert as_words(archives.MAX_MEMBER_BYTES) in text
    assert as_words(archives.MAX_TOTAL_BYTES) in text
    manifest = re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1]
    assert bundle.import_archive(
        zipped({"rensho.toml": manifest, "main.py": "pass"}), "mine.zip"
    ).manifest == bundle.Manifest("mine", "python/1", "main.py")
    assert all(f"`{runtime}`" in text for runtime in all_recipes())


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_the_example_is_a_bot(tmp_path):
    example = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
    space = {"__name__": "example"}
    exec(compile(example, "example", "exec"), space)
    for preset, action in (("kakeya4", "PREFER"), ("kakkuri", "SWAP")):
        game, ruleset = preset_named(preset)
        state = game.start(ruleset, Board("deal", 1, "seed"))
        bot = space["Mine"]()
        bot.reply_to(hello_for(preset, state.to_act[0]))
        assert json.loads(bot.reply_to(line_for(state, state.to_act[0])))["action"] == action


@pytest.mark.parametrize("name", ["transcript", "trump", "kakkuri"])
def test_the_transcripts_are_what_the_code_says(name):
    assert written_blocks(TEXT)[name] == blocks()[name], "python -m tests.bots.protocol_transcript"


def test_writing_the_transcripts_changes_nothing_else():
    assert with_blocks(TEXT) == TEXT


def test_the_transcript_is_a_whole_deal():
    lines = written_blocks(TEXT)["transcript"]
    sent_lines = [json.loads(line[2:]) for line in lines if line[0] == ">"]
    assert [message["type"] for message in sent_lines] == ["hello", *["request"] * 14, "bye"]
    assert [message["phase"] for message in sent_lines[1:-1]] == ["lead", *["play"] * 13]
    assert sum(line[0] == "<" for line in lines) == 15


def test_the_transcript_of_kakkuri_shows_a_turn_that_comes_back_and_a_way_out():
    lines = [json.loads(line[2:]) for line in written_blocks(TEXT)["kakkuri"]]
    assert [lines[0]["type"], lines[-1]["type"]] == ["hello", "bye"]
    assert lines[0]["seats"] == len(lines[2]["observation"]["stones"]) == 4
    said = [line["action"] for line in lines if "action" in line]
    assert "TURN" in said
    assert "AC" in said[-1] or "2D" in said[-1]
    assert said[-1].count("+") == 2
