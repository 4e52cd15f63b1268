"""Records: their bytes, and the refusal of every record that is not what happened.

Source: docs/contracts.md#record.
"""

import json

import pytest

from engine import Board, RecordError, RecordWriter, RulesVersionMismatch, preset_named, replay
from engine.cards import KAKEYA_PACK
from tests import chance
from tests.engine.records import ALL_OK, DEALS, FAULTS, GAME, HASHES, joined, lines_of, recorded
from tests.refusals import refusal


def test_the_lines_are_those_of_the_design():
    lines = lines_of(DEALS)
    assert lines[0] == {
        "bots": [{"seat": seat, "sha256": HASHES[seat]} for seat in (1, 2, 3, 4)],
        "e": "table",
        "format": "rensho-record/1",
        "game": "kakeya",
        "preset": "kakeya4.league",
        "rules_version": 1,
        "ruleset": preset_named("kakeya4.league")[1].as_dict(),
    }
    assert lines[1] == {"board": 3, "e": "board", "kind": "deal", "seed": "seed 3"}
    assert set(lines[2]) == {"deal", "dealers", "deck", "e", "leaders", "trump"}
    assert (lines[2]["deal"], lines[2]["dealers"], lines[2]["leaders"], lines[2]["trump"]) == (
        *(1, [2, 4], [1, 3]),
        "H",
    )
    assert set(lines[3]) == {"action", "e", "phase", "seat"}
    assert [line["e"] for line in lines[3:10]] == ["act", "act", "act", "act", "act", "act", "trick"]
    substituted = [line for line in lines if "by" in line]
    assert [set(line) for line in substituted] == [{"action", "by", "e", "phase", "seat", "verdict"}] * 3
    assert {line["by"] for line in substituted} == {"referee"}
    assert set(lines[-3]) == {"category", "deal", "e", "pictures", "stones", "winner"}
    assert set(lines[-2]) == {"board", "e", "stones"}
    assert lines[-1] == {
        "e": "end",
        "forfeited": [2],
        "verdicts": {"1": "OK", "2": "OUT_OF_TIME", "3": "OK", "4": "ILLEGAL_ACTION"},
    }


def test_a_record_is_ascii_with_sorted_keys_no_spaces_and_line_feeds():
    for data in (DEALS, GAME):
        assert data.isascii()
        assert data.endswith(b"}\n")
        assert b"\r" not in data
        for line in data.splitlines():
            assert b'": ' not in line
            assert list(json.loads(line)) == sorted(json.loads(line))
        assert joined(lines_of(data)) == data


def test_a_seed_outside_ascii_is_escaped():
    game, ruleset = preset_named("kakeya4")
    writer = RecordWriter(game, ruleset, HASHES)
    board = Board("deal", 1, "種")
    writer.start_board(board, game.start(ruleset, board))
    assert writer.written_since(1)[0] == b'{"board":1,"e":"board","kind":"deal","seed":"\\u7a2e"}\n'


@pytest.mark.parametrize("data", [DEALS, GAME, GAME.decode()], ids=["deals", "game", "text"])
def test_a_true_record_is_replayed(data):
    found = replay(data)
    assert (found.game.key, found.ruleset.preset, found.bots) == ("kakeya", "kakeya4.league", HASHES)
    results = [line["stones"] for line in lines_of(data) if line["e"] == "result"]
    assert [{str(s): won for s, won in b.outcome.stones.items()} for b in found.boards] == results
    steps = list(found.steps())
    assert [step.state.outcome() for step in steps if not step.state.to_act] == [
        b.outcome for b in found.boards
    ]
    acts = [act for step in steps for act in step.acts]
    assert len(acts) == sum(line["e"] == "act" for line in lines_of(data))
    assert [act.verdict for act in acts if act.verdict] == [
        line["verdict"] for line in lines_of(data) if "by" in line
    ]
    assert all(found.verdicts[seat] != "OK" for seat in found.forfeited)


@pytest.mark.parametrize("depth", [10, 200, 400, 600, 800, 900, 950, 980, 990, 2000, 50_000])
def test_deep_nesting_is_refused(depth):
    nested = "[" * depth + "]" * depth
    for name in ("deck", "more", "deal"):
        data = DEALS.decode().replace('{"deal":1,', f'{{"{name}":{nested},', 1)
        refusal(RecordError, replay, data)


def test_the_refusal_names_line_field_and_both_values():
    lines = lines_of(DEALS)
    at = next(i for i, line in enumerate(lines) if line["e"] == "trick")
    lines[at]["pictures"] += 1
    refused = refusal(RecordError, replay, joined(lines))
    right = lines[at]["pictures"] - 1
    reason = f"field 'pictures' of 'trick' is {right + 1}, the rules give {right}"
    assert (refused.line, refused.reason) == (at + 1, reason)


def test_an_act_of_the_wrong_seat_is_refused_with_the_right_one():
    lines = lines_of(DEALS)
    lines[3], lines[4] = lines[4], lines[3]
    with pytest.raises(RecordError, match=r"line 4: seat 1 .*\(kakeya4.league, deal 1, lead\)"):
        replay(joined(lines))


def test_another_card_than_was_played_is_refused_for_every_play():
    lines = lines_of(DEALS)[
        : lines_of(DEALS).index({"board": 4, "e": "board", "kind": "deal", "seed": "seed 4"})
    ]
    end = lines_of(DEALS)[-1]
    for at, line in chance.some([(at, line) for at, line in enumerate(lines) if line.get("phase") == "play"]):
        for card in KAKEYA_PACK.cards:
            if card != line["action"]:
                with pytest.raises(RecordError):
                    replay(joined([*lines[:at], {**line, "action": card}, *lines[at + 1 :], end]))


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[1:],
        lambda lines: [],
        lambda lines: [lines[0], lines[-1]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines, lines[1]],
        lambda lines: [*lines[:-1], *lines[1:]],
        lambda lines: [lines[0], *lines],
        lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]],
        lambda lines: [*lines[:20], *lines[21:]],
        lambda lines: [*lines[:20], lines[19], *lines[20:]],
    ],
)
def test_lines_missing_doubled_or_exchanged_are_refused(change):
    refusal(RecordError, replay, joined(change(lines_of(DEALS))))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: b"\n" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b'"e":"act"', b'"e": "act"', 1),
        lambda data: data.replace(b'"e":"act"', b'"e":"act","e":"act"', 1),
        lambda data: data.replace(b'"e":"trick","n":1', b'"n":1,"e":"trick"', 1),
        lambda data: data.replace(b'"n":1,', b'"n":1.0,', 1),
        lambda data: data.replace(b'"seed":"seed', b'"seed":"\\u0073eed', 1),
        lambda data: data.replace(b"seed 3", "sééd".encode(), 1),
        lambda data: data.decode().replace("seed 3", "sééd", 1),
        lambda data: b"[" * 100_000,
        lambda data: b"null\n",
        lambda data: b"",
        lambda data: b"\xff\xfe",
        lambda data: data.replace(b'"forfeited":[2]', b'"forfeited":[2.0]'),
        lambda data: data.replace(b'"forfeited":[2]', b'"forfeited":[[2]]'),
        lambda data: data.replace(b'"stones":5', b'"stones":5.0'),
        lambda data: data.replace(b'"board":3', b'"board":' + b"9" * 5000, 1),
    ],
)
def test_another_spelling_is_refused(change):
    refusal(RecordError, replay, change(DEALS))


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_record_of_other_rules_is_refused_as_such(version):
    lines = lines_of(DEALS)
    lines[0]["rules_version"] = version
    with pytest.raises(RulesVersionMismatch, match=f"{version!r} of kakeya"):
        replay(joined(lines))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("game", "bridge", "'bridge'"),
        ("preset", "kakeya9", "'kakeya9'"),
        ("format", "rensho-record/2", "rensho-record/1"),
        ("ruleset", {}, "'aces_timing'"),
        ("ruleset", [], "field 'ruleset'"),
        ("ruleset", {"stones": 0}, "'stones' .* cannot be 0"),
        ("ruleset", {"no_such": 0}, "'no_such'"),
        ("bots", [], "seats 1 to 4"),
        ("bots", [{"seat": 1}] * 4, "'sha256'"),
        ("bots", [{"seat": 1, "sha256": "x"}] * 4, "field 'bots'"),
    ],
)
def test_a_first_line_that_cannot_be_is_refused(name, value, message):
    lines = lines_of(DEALS)
    lines[0][name] = value
    with pytest.raises(RecordError, match=message):
        replay(joined(lines))


def test_a_deck_that_is_not_the_seed_s_is_refused_unless_decks_are_trusted():
    given = recorded(kind="deal", decks=(KAKEYA_PACK.cards,))
    assert r"'deck' of 'deal'" in str(refusal(RecordError, replay, given))
    found = replay(given, decks_from_seed=False)
    assert found.boards[0].board.decks == (KAKEYA_PACK.cards,)
    assert found.boards[0].outcome is not None
    assert replay(GAME, decks_from_seed=False).verdicts == replay(GAME).verdicts


@pytest.mark.parametrize("deck", [None, "x", [1], ["AS"], [*KAKEYA_PACK.cards[:51], "2S"]])
def test_a_trusted_deck_must_still_be_one(deck):
    lines = lines_of(DEALS)
    lines[2]["deck"] = deck
    refusal(RecordError, replay, joined(lines), decks_from_seed=False)


def test_the_referee_may_only_act_the_fallback():
    lines = lines_of(DEALS)
    lead = next(line for line in lines if line.get("phase") == "lead")
    lead.update(action="PREFER", by="referee", verdict="OUT_OF_TIME")
    assert "'DEFER' for seat 1" in str(refusal(RecordError, replay, joined(lines)))


@pytest.mark.parametrize(
    ("forfeited", "verdicts", "message"),
    [
        ((), {1: "OK"}, "seats"),
        ((), {**ALL_OK, 5: "OK"}, "seats"),
        ((), {**ALL_OK, 1: "CRASHED"}, "seat 1"),
        ((2,), ALL_OK, "forfeited"),
    ],
)
def test_the_writer_refuses_an_end_that_contradicts_the_acts(forfeited, verdicts, message):
    game, ruleset = preset_named("kakeya4")
    with pytest.raises(ValueError, match=message):
        RecordWriter(game, ruleset, HASHES).end(forfeited, verdicts)


def test_the_writer_refuses_missing_bots_and_unfinished_boards():
    game, ruleset = preset_named("kakeya4")
    with pytest.raises(ValueError, match=r"seats \[1, 2, 3, 4\], not \[1\]"):
        RecordWriter(game, ruleset, {1: "x"})
    writer, board = RecordWriter(game, ruleset, HASHES), Board("deal", 7, "x")
    state = game.start(ruleset, board)
    writer.start_board(board, state)
    assert "board 7" in str(refusal(ValueError, writer.end_board, state))


def test_boards_come_in_ascending_order():
    assert "ascending" in str(refusal(RecordError, replay, recorded(kind="deal", boards=(2, 1))))
    assert [board.board.number for board in replay(recorded(kind="deal", boards=(5, 9))).boards] == [5, 9]


def test_the_same_table_gives_the_same_bytes():
    assert recorded(kind="deal", boards=(3, 4), faults=FAULTS) == DEALS
