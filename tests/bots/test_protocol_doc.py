"""docs/bot-protocol.md against the code: every field, type, action, verdict, default and transcript line.

The transcripts are written anew by ``python -m tests.bots.protocol_transcript``.
"""

import dataclasses
import io
import json
import re
import zipfile

import pytest

from bots.sdk import PACK, SUITS, Answer, Bot
from engine import Board, all_games, preset_named
from engine.wire import (
    DEBUG_BYTES,
    NAME_CHARACTERS,
    POLICY_ENTRIES,
    parse_answer,
    parse_ready,
)
from referee import archives, bundle, clocks
from referee.contract import BoardOrder, Clock, Limits, Verdict
from referee.runtimes import RUNTIMES
from tests.bots.asking import house_bot, line_for
from tests.bots.protocol_transcript import DOCUMENT, blocks, with_blocks, written_blocks
from tests.referee.orders import play

TEXT = DOCUMENT.read_text()
PRESETS = [preset for game in all_games().values() for preset in game.presets]


def section(heading):
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert found, f"no heading {heading!r}"
    return found[1]


def tables(heading):
    """The tables of a section, each a list of rows of cells, without its head."""
    found, rows = [], []
    for line in [*section(heading).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append(rows[2:])
            rows = []
    return found


def names(cell):
    """Everything in code marks."""
    return re.findall(r"`([^`]+)`", cell)


def fields(heading):
    """Type by field of the first table of a section."""
    return {names(row[0])[0]: row[1] for row in tables(heading)[0]}


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_seat(value):
    return is_whole(value) and 1 <= value <= 4


def is_card(value):
    return value in PACK


def is_action(value):
    return isinstance(value, str) and (is_card(value) or value in SUITS or value.isupper())


def is_play(value):
    return len(value) == 2 and is_seat(value[0]) and is_card(value[1])


def is_trick(value):
    return (
        set(value) == {"leader", "cards", "winner"}
        and is_seat(value["leader"])
        and is_seat(value["winner"])
        and list_of(is_card)(value["cards"])
        and len(value["cards"]) == 4
    )


def list_of(is_item):
    return lambda value: isinstance(value, list) and all(map(is_item, value))


def by_seat(is_item):
    return lambda value: (
        isinstance(value, dict)
        and all(name in ("1", "2", "3", "4") and is_item(item) for name, item in value.items())
    )


TYPES = {
    "integer": is_whole,
    "text": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "seat": is_seat,
    "seat or null": lambda value: value is None or is_seat(value),
    "card": is_card,
    "suit": lambda value: value in SUITS,
    "action": is_action,
    "list of seats": list_of(is_seat),
    "list of cards": list_of(is_card),
    "list of actions": list_of(is_action),
    "list of plays": list_of(is_play),
    "list of tricks": list_of(is_trick),
    "object: seat to integer": by_seat(is_whole),
    "object: seat to action": by_seat(is_action),
    "object: pair to cards": by_seat(list_of(is_card)),
}


def check(message, described, required=None):
    """The message has exactly the described fields (or at least those required), each of its type."""
    assert message.keys() <= described.keys()
    assert set(described if required is None else required) <= message.keys()
    for name, value in message.items():
        assert TYPES[described[name]](value), f"{name} is {value!r}, described as {described[name]}"


class Curious(Bot):
    """Hears everything, answers with every remark there is."""

    name = "curious"
    events = True

    def __init__(self):
        super().__init__()
        self.player = house_bot("kakeya_greedy")

    def act(self, request):
        action = self.player.act(request)
        return Answer(action, debug="a remark", policy={action: 1.0})


@pytest.fixture(scope="module")
def talk():
    """All that four bots are sent and answer on deal boards and game boards, as (who, message)."""
    said = []

    def overheard(bot):
        def speak(line):
            answer = bot.reply_to(line)
            said.append(("referee", json.loads(line)))
            if answer is not None:
                said.append(("bot", json.loads(answer)))
            return answer

        return speak

    for preset, kind in (("kakeya4", "deal"), ("kakeya4.league", "game"), ("kakeya4.nakayoshi", "deal")):
        speakers = {seat: overheard(Curious()) for seat in (1, 2, 3, 4)}
        report, _ = play(speakers, preset=preset, kind=kind, boards=2)
        assert {seat.verdict for seat in report.seats} == {Verdict.OK}
    return said


def sent(talk, kind):
    found = [message for who, message in talk if who == "referee" and message["type"] == kind]
    assert found
    return found


def test_every_message_of_the_referee_has_a_section(talk):
    kinds = {message["type"] for who, message in talk if who == "referee"}
    assert kinds == {"hello", "request", "event", "bye"}
    assert all(section(kind) for kind in kinds)
    assert sent(talk, "bye")[0] == json.loads(names(section("bye"))[0])


def test_hello_is_as_described(talk):
    for message in sent(talk, "hello"):
        check(message, fields("hello"))


def test_requests_are_as_described(talk):
    for message in sent(talk, "request"):
        check(message, fields("request"))
        assert set(message["clock"]) == {"bank_ms", "increment_ms"}
        assert message["phase"] == message["observation"]["phase"]
        assert message["legal"] == message["observation"]["legal"]


def test_observations_are_as_described(talk):
    described = fields("The observation of Kakeya")
    for message in sent(talk, "request"):
        check(message["observation"], described)


def test_the_order_of_the_fields_is_the_order_sent(talk):
    assert list(sent(talk, "request")[0]["observation"]) == list(fields("The observation of Kakeya"))
    assert list(sent(talk, "hello")[0]) == list(fields("hello"))


def test_answers_are_as_described_and_read_by_the_referee(talk):
    ready, answer = fields("ready"), fields("answer")
    for message in (message for who, message in talk if who == "bot"):
        check(message, ready if "type" in message else answer)
    assert parse_ready(b'{"type":"ready"}')
    action = parse_answer(b'{"id":"x","action":"AC"}', "x")
    assert (action.debug, action.policy) == (None, None)


def test_the_limits_of_answers_are_named():
    assert f"at most {NAME_CHARACTERS} characters" in section("ready")
    assert f"beyond {DEBUG_BYTES} bytes" in section("answer")
    assert f"at most {POLICY_ENTRIES} of them" in section("answer")
    assert f"at most {Limits().line_bytes} bytes" in section("answer")


def test_events_are_as_described(talk):
    described = {names(row[0])[0]: names(row[1]) for row in tables("Events")[1]}
    heard = sent(talk, "event")
    assert {message["e"] for message in heard} == set(described)
    for message in heard:
        assert set(message) == {"type", "e", *described[message["e"]]}


def test_phases_actions_and_fallbacks_are_the_engine_s(talk):
    described = {names(row[0])[0]: row for row in tables("Phases and actions")[0]}
    assert {message["phase"] for message in sent(talk, "request")} == set(described)
    for preset, kind in (("kakeya4", "game"), ("kakeya4", "deal")):
        game, ruleset = preset_named(preset)
        from_start = game.start(ruleset, board_of(kind))
        seat = from_start.to_act[0]
        row = described[from_start.phase]
        assert list(from_start.legal(seat)) == names(row[2])
        assert [from_start.fallback(seat)] == names(row[3])


def board_of(kind):
    return Board(kind, 1, "seed")


@pytest.mark.parametrize(("protocol", "words"), [("iku_koi", ("IKU", "KOI")), ("decider", ())])
def test_other_protocols_of_the_lead_are_named(protocol, words):
    text = section("Phases and actions")
    assert f"`{protocol}`" in text
    game, _ = preset_named("kakeya4")
    state = game.start(game.ruleset("kakeya4", {"lead_protocol": protocol}), board_of("deal"))
    assert (state.legal(state.to_act[0]) if state.phase == "lead" else ()) == words
    assert all(f"`{word}`" in text for word in words)


def test_the_options_are_the_ruleset_s():
    _, ruleset = preset_named("kakeya4")
    described = {names(row[0])[0]: json.loads(names(row[1])[0]) for row in tables("Options of the rules")[0]}
    assert described == ruleset.as_dict()
    for preset in PRESETS:
        assert preset == "kakeya4" or preset in section("Options of the rules")


def test_the_clock_is_the_contract_s():
    described = {names(row[0])[0]: names(row[1]) for row in tables("Clock")[0]}
    clock = Clock()
    told = clocks.told_clock(clock, [BoardOrder(1, "deal", "s")])
    assert set(described) == set(told)
    whole_game = clocks.told_clock(clock, [BoardOrder(1, "game", "s")])["bank_ms"]
    assert {name: [str(value)] for name, value in told.items() if name != "bank_ms"} == {
        name: value for name, value in described.items() if name != "bank_ms"
    }
    assert described["bank_ms"] == [str(told["bank_ms"]), str(whole_game)]


def test_the_wall_clock_is_the_referee_s():
    text = " ".join(section("Clock").split())
    assert f"{clocks.WALL_PER_CPU} times its CPU limit and {clocks.WALL_EXTRA_MS // 1000} s" in text
    most = f"{clocks.WALL_BANK_PER_CPU} times the whole bank with all increments so far"
    assert f"{most} and {clocks.WALL_BANK_EXTRA_MS // 1000} s" in text


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
    assert f"At most {archives.MAX_MEMBERS} files" in text
    assert f"{as_words(archives.MAX_MEMBER_BYTES)} each" in text
    assert f"{as_words(archives.MAX_TOTAL_BYTES)} in all" in text
    assert f"at most {bundle.MAX_FOLDERS} deep" in text
    assert f"at most {bundle.NAME_CHARACTERS} characters" in text
    manifest = re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1]
    assert bundle.import_archive(
        zipped({"rensho.toml": manifest, "main.py": "pass"}), "mine.zip"
    ).manifest == bundle.Manifest("mine", "python/1", "main.py")
    assert all(f"`{runtime}`" in text for runtime in RUNTIMES)


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
    state = preset_named("kakeya4")[0].start(preset_named("kakeya4")[1], board_of("deal"))
    line = line_for(state, 1)
    assert json.loads(space["Mine"]().reply_to(line))["action"] == "PREFER"


@pytest.mark.parametrize("name", ["transcript", "trump"])
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


def test_headings_linked_to_exist():
    anchors = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
    for target in re.findall(r"\]\(([^#)][^)]*)\)", TEXT):
        assert (DOCUMENT.parent / target).exists(), target
