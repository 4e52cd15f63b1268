"""Records in which something was changed: every field of every line, and lines taken out, doubled, exchanged.

What ``engine.record`` takes as it stands is held here exactly: a changed record is accepted if and only if it
is, byte for byte, the record of a play the rules allow, which ``is_true`` finds out without ``replay``; and
only the places named in ``FREE`` and ``MOVABLE`` can be such.
"""

import json
import random

import pytest

from engine import Board, EngineError, RecordError, RecordWriter, game_named, replay
from engine.lines import format_line
from tests import chance
from tests.strategies import SHORT_PRESETS

pytestmark = pytest.mark.full

CASES = [
    pytest.param(game, ruleset, kind, id=f"{ruleset.preset}-{kind}")
    for game, ruleset in SHORT_PRESETS
    for kind in ("deal", "game")
]
SAMPLE = chance.at_most(200, 80)
"""Changes looked at in a record, drawn with a fixed seed. ``make exhaustive`` changes a deal in every way."""

FREE = {
    ("table", "bots"),  # any text is a hash
    ("table", "ruleset"),  # an option that no deal of the record met, or one added later left out
    ("table", "preset"),  # the options stand beside it, so the name decides nothing
    ("act", "action"),  # another legal answer that leaves every later line as it was, see UNNOTICED
    ("act", "verdict"),  # of a seat's later faults
    ("end", "forfeited"),  # which of the seats with a fault
}
"""Kind of line and field in which a change can leave a true record."""
MOVABLE = {"act"}
"""Kinds of lines that can be exchanged or taken out and leave a true record: two like melds of one turn; a
meld on the way, where the turn could as well have gone on without it."""
UNNOTICED = """
Kakeya and Etori: a declaration or a trump proposal that does not change who leads and what is trumps (both
PREFER for both DEFER; a proposal the other member's outweighs). With early_stop, a small card for another
one that was never played. Else every card of the pack is played, so a changed card is missing later.
Kakkuri: a meld for a like one whose cards were never played; a value after which nobody followed; the value
of the last wild of a deal; swaps of hands none of whose cards came to light; SANSOKU where no card followed.
"""


def recorded(game, ruleset, kind):
    """A table of one board played at random, with faults of two seats; and what else each act could be."""
    seats = range(1, game.seats(ruleset) + 1)
    writer = RecordWriter(game, ruleset, {seat: f"{seat:064x}" for seat in seats})
    rng, first, asked = random.Random(7), {}, dict.fromkeys(seats, 0)
    faults = {(2, 2): "OUT_OF_TIME", (2, 4): "CRASHED", (1, 1): "ILLEGAL_ACTION"}
    board, legal = Board(kind, 3, "seed 3"), []
    state = game.start(ruleset, board)
    writer.start_board(board, state)
    while state.to_act:
        before, substituted = state, {}
        for seat in before.to_act:
            asked[seat] += 1
            action = rng.choice(state.legal(seat))
            if (seat, asked[seat]) in faults:
                substituted[seat] = faults[seat, asked[seat]]
                first.setdefault(seat, substituted[seat])
                action = state.fallback(seat)
            legal.append(state.legal(seat))
            state = state.apply(seat, action)
        writer.add(before, state, substituted)
    writer.end_board(state)
    verdicts = {seat: first.get(seat, "OK") for seat in seats}
    return [json.loads(line) for line in writer.end(sorted(first)[:1], verdicts).splitlines()], legal


def is_true(lines):
    """Whether these lines are what a writer writes when the acts among them are played one after the other.

    The acts are fed to the rules blindly; nothing is compared before the end.
    """
    try:
        table, end = lines[0], lines[-1]
        game = game_named(table["game"])
        ruleset = game.ruleset(table["preset"], table["ruleset"])
        bots = {bot["seat"]: bot["sha256"] for bot in table["bots"]}
        writer = RecordWriter(game, ruleset, bots)
        texts = [*(bot["sha256"] for bot in table["bots"]), *(act.get("verdict", "") for act in lines)]
        if not all(type(text) is str for text in texts) or {type(seat) for seat in end["forfeited"]} - {int}:
            return False
        starts = [at for at, line in enumerate(lines) if line["e"] == "board"]
        for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
            board = Board(lines[start]["kind"], lines[start]["board"], lines[start]["seed"])
            if type(board.number) is not int or type(board.seed) is not str:
                return False
            state = game.start(ruleset, board)
            writer.start_board(board, state)
            acts = [line for line in lines[start:stop] if line["e"] == "act"]
            while acts:
                before, substituted = state, {}
                if not before.to_act:
                    return False
                for seat in before.to_act:
                    act = acts.pop(0)
                    if "by" in act:
                        substituted[seat] = act["verdict"]
                        if act["action"] != state.fallback(seat) or act["verdict"] in ("", "OK"):
                            return False
                    state = state.apply(seat, act["action"])
                writer.add(before, state, substituted)
            writer.end_board(state)
        verdicts = {int(seat): verdict for seat, verdict in end["verdicts"].items()}
        return writer.end(end["forfeited"], verdicts) == joined(lines)
    except (EngineError, LookupError, TypeError, ValueError, AttributeError):
        return False


def joined(lines):
    return b"".join(format_line(line) for line in lines)


def others(value, alike):
    """Other values for a field: of its own kind, of others, and with one part of it changed."""
    if isinstance(value, bool):
        yield from (not value, int(value), None)
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value, float(value), str(value), None, True)
    elif isinstance(value, str):
        yield from (*alike, value + "x", value.lower() + "?", "", None, 0, [value])
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for other in others(item, [v for v in value if isinstance(v, str)][:2]):
                yield [*value[:at], other, *value[at + 1 :]]
            yield [*value[:at], *value[at + 1 :]]
            yield [*value[:at], item, *value[at:]]
            yield [*value[:at], *value[at + 1 : at + 2], item, *value[at + 2 :]]
        yield from ([*value, None], {}, None, "")
    elif isinstance(value, dict):
        for name, item in value.items():
            for other in others(item, []):
                yield {**value, name: other}
            yield {other: inner for other, inner in value.items() if other != name}
        yield from ({**value, "more": 1}, [], None)
    else:
        yield from (0, 1, "x", False)


def changed_fields(lines, legal):
    """Every line with one field changed, taken out or added: the place, the field, the new line."""
    choices = iter(legal)
    for at, line in enumerate(lines):
        could_be = next(choices) if line["e"] == "act" else ()
        for name, value in line.items():
            alike = [*could_be, "AS", "4H@4"] if name == "action" else ["H", "OK", "CRASHED"]
            found = [{**line, name: other} for other in others(value, alike)]
            found.append({other: inner for other, inner in line.items() if other != name})
            yield from ((at, name, new) for new in found if format_line(new) != format_line(line))
        for name, value in (("more", 1), ("by", "referee"), ("verdict", "CRASHED"), ("deck", [])):
            if name not in line:
                yield at, name, {**line, name: value}


def moved_lines(lines):
    """Every line taken out, doubled or exchanged with the next: the places and the new lines."""
    for at, line in enumerate(lines):
        yield (at,), [*lines[:at], *lines[at + 1 :]]
        yield (at,), [*lines[:at], line, *lines[at:]]
        if lines[at + 1 : at + 2] and line != lines[at + 1]:
            yield (at, at + 1), [*lines[:at], lines[at + 1], line, *lines[at + 2 :]]


def looked_at(changes, kind):
    """Some of these changes; see SAMPLE."""
    found = list(changes)
    count = chance.at_most(len(found), SAMPLE) if kind == "deal" else min(len(found), SAMPLE)
    return random.Random(11).sample(found, count)


def is_accepted(lines):
    """Whether the record replays; a refusal must say where and why."""
    try:
        replay(joined(lines))
    except RecordError as error:
        refusal = error
    else:
        return True
    assert 1 <= refusal.line <= len(lines) + 1
    assert refusal.reason
    assert str(refusal) == f"line {refusal.line}: {refusal.reason}"
    return False


def check(changed, places, sure):
    """That the record is accepted just if it is true; gives whether it is accepted.

    Only a part of what was refused is looked at again, for true records among it.
    """
    is_taken = is_accepted(changed)
    if is_taken or sure:
        assert is_taken == is_true(changed), places
    return is_taken


@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_a_changed_field_is_refused_unless_the_record_is_still_true(game, ruleset, kind):
    lines, legal = recorded(game, ruleset, kind)
    assert is_true(lines)
    for count, (at, name, new) in enumerate(looked_at(changed_fields(lines, legal), kind)):
        is_taken = check([*lines[:at], new, *lines[at + 1 :]], (at, name, new), sure=count % 8 == 0)
        assert not is_taken or (lines[at]["e"], name) in FREE, (at, name, new)


@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_a_moved_line_is_refused_unless_the_record_is_still_true(game, ruleset, kind):
    lines, _ = recorded(game, ruleset, kind)
    for places, moved in looked_at(moved_lines(lines), kind):
        is_taken = check(moved, places, sure=True)
        assert not is_taken or all(lines[at]["e"] in MOVABLE for at in places), places
