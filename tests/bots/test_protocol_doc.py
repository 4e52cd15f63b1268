"""docs/bot-protocol.md against the code: every field, type, action, verdict, default and transcript line.

The transcripts are written anew by ``python -m tests.bots.protocol_transcript``.
"""

import dataclasses
import io
import json
import re
import zipfile

import pytest

from bots.sdk import KAKKURI_PACK, PACK, SUITS, Answer, Bot
from engine import Board, all_games, preset_named
from engine.games.kakkuri.notation import MELDS, WORDS
from engine.wire import (
    DEBUG_BYTES,
    NAME_CHARACTERS,
    POLICY_ENTRIES,
    parse_answer,
    parse_ready,
)
from referee import archives, bundle, clocks
from referee.contract import BoardOrder, Clock, Limits, Verdict
from referee.inprocess import InProcessDriver
from referee.runtimes import RUNTIMES
from referee.table import play_table
from tests.bots.asking import hello_for, house_bot, line_for, rules_of
from tests.bots.protocol_transcript import DOCUMENT, blocks, with_blocks, written_blocks
from tests.referee.orders import Store, make_order, silent_progress

TEXT = DOCUMENT.read_text()
PRESETS = {preset: game.key for game in all_games().values() for preset in game.presets}
GAMES = {"kakeya": "Kakeya", "kakkuri": "Kakkuri"}
"""Each game as the headings name it."""


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
    return is_whole(value) and 1 <= value <= 8


def is_value(value):
    return is_whole(value) and 1 <= value <= 12


def is_text(value):
    return isinstance(value, str)


def is_card(value):
    return value in PACK or value in KAKKURI_PACK


def is_meld(value):
    return value in MELDS


def is_action(value):
    return is_text(value) and (is_card(value) or is_meld(value) or value in SUITS or value.isupper())


def pair_of(is_second):
    return lambda value: len(value) == 2 and is_seat(value[0]) and is_second(value[1])


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
        isinstance(value, dict) and all(name in "12345678" and is_item(item) for name, item in value.items())
    )


def or_null(is_item):
    return lambda value: value is None or is_item(value)


TYPES = {
    "integer": is_whole,
    "text": is_text,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "seat": is_seat,
    "seat or null": or_null(is_seat),
    "value or null": or_null(is_value),
    "suit": lambda value: value in SUITS,
    "card": is_card,
    "action": is_action,
    "list of seats": list_of(is_seat),
    "list of cards": list_of(is_card),
    "list of actions": list_of(is_action),
    "list of tricks": list_of(is_trick),
    "list of [seat, card]": list_of(pair_of(is_card)),
    "list of [seat, meld]": list_of(pair_of(is_meld)),
    "list of [seat, value]": list_of(pair_of(is_value)),
    "object: seat to integer": by_seat(is_whole),
    "object: seat to action": by_seat(is_action),
    "object: seat to cards": by_seat(list_of(is_card)),
}


def check(message, described, required=None):
    """The message has exactly the described fields (or at least those required), each of its type."""
    assert message.keys() <= described.keys()
    assert set(described if required is None else required) <= message.keys()
    for name, value in message.items():
        assert TYPES[described[name]](value), f"{name} is {value!r}, described as {described[name]}"


RARELY = 0.2


class Curious(Bot):
    """Hears everything, answers with every remark there is."""

    name = "curious"
    events = True

    def on_hello(self, hello):
        self.player = house_bot(f"{hello.game}_greedy")

    def act(self, request):
        # Words that greedy itself never says.
        rare = [word for word in ("GIVE", "SWAP", "SANSOKU", "DROP") if word in request.legal]
        action = rare[0] if rare and request.rng.random() < RARELY else self.player.act(request)
        return Answer(action, debug="a remark", policy={action: 1.0})


EIGHT = {"seats": 8, "hands": 3, "deal_pass": True}
TABLES = [
    *((preset, "deal", None) for preset in PRESETS),
    ("kakeya4.league", "game", None),
    ("kakeya6.league", "game", {"hand_cap": 6}),
    ("etori.simple", "game", {"hand_cap": 4}),
    ("etori.meiji", "game", {"hands": 4, "meiji_score": "kakeya"}),
    ("kakeya4", "deal", {"lead_protocol": "iku_koi", "schedule": "asahi_tie_only"}),
    ("kakkuri", "game", EIGHT),
    ("kakkuri.league", "game", {"seats": 3, "hands": 3, "wild_mode": "reset", "court_order": "QJK"}),
    ("kakkuri.league", "game", {"seats": 7, "hands": 60}),
]
"""Preset, kind of board, options. The last is long enough for somebody to hold three aces."""


@pytest.fixture(scope="module")
def talk():
    """All that bots are sent and answer under every preset, as (game, who, message)."""
    said = []

    def overheard(game, bot):
        def speak(line):
            answer = bot.reply_to(line)
            said.append((game, "referee", json.loads(line)))
            if answer is not None:
                said.append((game, "bot", json.loads(answer)))
            return answer

        return speak

    for preset, kind, options in TABLES:
        table = make_order(preset=preset, kind=kind, boards=2, options=options)
        drivers = {
            seat: InProcessDriver(overheard(table.game, Curious()), table.limits)
            for seat in range(1, len(table.seats) + 1)
        }
        report = play_table(table, drivers, silent_progress, Store().keep)
        assert {seat.verdict for seat in report.seats} == {Verdict.OK}
    return said


def sent(talk, kind, game=None):
    found = [
        message
        for of, who, message in talk
        if who == "referee" and message["type"] == kind and game in (None, of)
    ]
    assert found
    return found


def test_every_message_of_the_referee_has_a_section(talk):
    kinds = {message["type"] for _, who, message in talk if who == "referee"}
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


def observation_fields(game):
    """Type by field, of every observation and then of the game's."""
    common, own = fields("Every observation"), fields(f"The observation of {GAMES[game]}")
    assert not common.keys() & own.keys()
    return common, own


@pytest.mark.parametrize("game", GAMES)
def test_observations_are_as_described(talk, game):
    common, own = observation_fields(game)
    for message in sent(talk, "request", game):
        check(message["observation"], common | own)


@pytest.mark.parametrize("game", GAMES)
def test_the_order_of_the_fields_is_the_order_sent(talk, game):
    common, own = observation_fields(game)
    told = list(sent(talk, "request", game)[0]["observation"])
    assert [name for name in told if name in common] == list(common)
    assert [name for name in told if name in own] == list(own)
    assert list(sent(talk, "hello", game)[0]) == list(fields("hello"))


@pytest.mark.parametrize("game", GAMES)
def test_no_field_is_described_that_is_empty_for_ever(talk, game):
    common, own = observation_fields(game)
    for name in common | own:
        told = [message["observation"][name] for message in sent(talk, "request", game)]
        assert any(value not in (None, [], {}, 0, False) for value in told), name


def test_answers_are_as_described_and_read_by_the_referee(talk):
    ready, answer = fields("ready"), fields("answer")
    for message in (message for _, who, message in talk if who == "bot"):
        check(message, ready if "type" in message else answer)
    assert parse_ready(b'{"type":"ready"}')
    action = parse_answer(b'{"id":"x","action":"AC"}', "x")
    assert (action.debug, action.policy) == (None, None)


def test_the_limits_of_answers_are_named():
    assert f"at most {NAME_CHARACTERS} characters" in section("ready")
    assert f"beyond {DEBUG_BYTES} bytes" in section("answer")
    assert f"at most {POLICY_ENTRIES} of them" in section("answer")
    assert f"at most {Limits().line_bytes} bytes" in section("answer")


@pytest.mark.parametrize("game", GAMES)
def test_events_are_as_described(talk, game):
    described = {names(row[0])[0]: row[1] for row in tables(f"Events of {GAMES[game]}")[0]}
    heard = sent(talk, "event", game)
    assert {message["e"] for message in heard} == set(described)
    named = set(fields("event"))
    for message in heard:
        cell = described[message["e"]]
        at_times = set(re.findall(r"\[`(\w+)`\]", cell))
        told = set(message) - named
        assert set(names(cell)) - at_times <= told <= set(names(cell)), message
    for kind, cell in described.items():
        for name in re.findall(r"\[`(\w+)`\]", cell):
            assert {name in message for message in heard if message["e"] == kind} == {True, False}


@pytest.mark.parametrize("game", GAMES)
def test_phases_actions_and_fallbacks_are_the_engine_s(talk, game):
    described = {names(row[0])[0]: row for row in tables(f"Phases and actions of {GAMES[game]}")[0]}
    assert {message["phase"] for message in sent(talk, "request", game)} == set(described)
    asked = 0
    for preset, kind, options in TABLES:
        if PRESETS[preset] != game or (options or {}).get("lead_protocol"):
            continue
        _, ruleset = rules_of(preset, options)
        state = all_games()[game].start(ruleset, Board(kind, 1, "seed"))
        while state.to_act and state.observe(1)["deal"] <= 2:
            seat = state.to_act[0]
            _, _, legal, fallback = described[state.phase]
            if state.phase not in ("play", "turn"):
                asked += 1
                assert list(state.legal(seat)) == names(legal)
                assert [state.fallback(seat)] == names(fallback)
            state = state.apply(seat, state.legal(seat)[-1])
    assert asked


def test_the_words_of_kakkuri_are_the_engine_s_in_its_order():
    rows = tables("Phases and actions of Kakkuri")[1]
    *words, meld = (names(row[0])[0] for row in rows)
    assert tuple(words) == WORDS
    assert is_meld(meld)


def test_every_action_named_in_the_text_on_melds_is_one():
    spelt = [name for name in names(section("Melds")) if "@" in name and name not in ("@", "@12")]
    assert len(spelt) >= 3
    assert all(map(is_meld, spelt))


def board_of(kind):
    return Board(kind, 1, "seed")


@pytest.mark.parametrize(("protocol", "words"), [("iku_koi", ("IKU", "KOI")), ("decider", ())])
def test_other_protocols_of_the_lead_are_named(protocol, words):
    text = section("Phases and actions of Kakeya")
    assert f"`{protocol}`" in text
    game, _ = preset_named("kakeya4")
    state = game.start(game.ruleset("kakeya4", {"lead_protocol": protocol}), board_of("deal"))
    assert (state.legal(state.to_act[0]) if state.phase == "lead" else ()) == words
    assert all(f"`{word}`" in text for word in words)


def described_options(game):
    """Every option by name, for each preset that has a column of its own."""
    lines = [line for line in section(f"Options of {GAMES[game]}").splitlines() if line.startswith("|")]
    _, _, *columns, _ = [names(cell) for cell in lines[0].strip("|").split("|")]
    rows = tables(f"Options of {GAMES[game]}")[0]
    return {
        column[0]: {names(row[0])[0]: json.loads(names(row[2 + at])[0]) for row in rows}
        for at, column in enumerate(columns)
    }


def test_the_options_of_every_preset_are_the_ruleset_s():
    described = described_options("kakeya") | described_options("kakkuri")
    rows = {names(row[0])[0]: row for row in tables("Presets")[0]}
    assert list(rows) == list(PRESETS)
    for preset, (_, game, seats, text) in rows.items():
        _, ruleset = preset_named(preset)
        options = ruleset.as_dict()
        assert (names(game), int(seats)) == ([PRESETS[preset]], options["seats"])
        if preset in described:
            told = described[preset]
        else:
            base, option, value = names(text)
            told = described[base] | {option: json.loads(value)}
        assert told == options, preset
        assert list(told) == list(options), preset


@pytest.mark.parametrize("game", GAMES)
def test_every_value_an_option_may_have_is_one_the_ruleset_takes(game):
    presets = list(described_options(game))
    for row in tables(f"Options of {GAMES[game]}")[0]:
        option, values = names(row[0])[0], names(row[1])
        for value in values:
            assert any(takes(preset, option, value) for preset in presets), (option, value)
        if values:
            assert not any(takes(preset, option, "nonsense") for preset in presets)


def takes(preset, option, value):
    try:
        rules_of(preset, {option: value})
    except ValueError:
        return False
    return True


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
    for preset, action in (("kakeya4", "PREFER"), ("kakkuri", "SWAP")):
        game, ruleset = preset_named(preset)
        state = game.start(ruleset, board_of("deal"))
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


def test_headings_linked_to_exist():
    anchors = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
    for target in re.findall(r"\]\(([^#)][^)]*)\)", TEXT):
        assert (DOCUMENT.parent / target).exists(), target
