"""A replayed record in plain values."""

from engine import RecordError, preset_named
from engine.played import played_table
from tests.engine.records import DEALS, HASHES, lines_of
from tests.refusals import refusal


def test_a_true_record_gives_what_scoring_needs():
    table = played_table(DEALS)
    ruleset = preset_named("kakeya4.league")[1]
    assert (table.game, table.preset, table.rules_version) == ("kakeya", "kakeya4.league", 1)
    assert (table.ruleset, table.forfeit_stones) == (ruleset.as_dict(), 5)
    assert (table.bundles, table.seeds) == (HASHES, {3: "seed 3", 4: "seed 4"})
    stones_of = {line["board"]: line["stones"] for line in lines_of(DEALS) if line["e"] == "result"}
    assert table.stones == {
        (b, int(seat)): won for b, stones in stones_of.items() for seat, won in stones.items()
    }
    assert table.forfeited == (2,)
    assert table.verdicts == {1: "OK", 2: "OUT_OF_TIME", 3: "OK", 4: "ILLEGAL_ACTION"}
    assert table.kinds == {"deal"}
    acts = [line for line in lines_of(DEALS) if line["e"] == "act"]
    assert table.acts == {
        seat: tuple(act.get("verdict") for act in acts if act["seat"] == seat) for seat in (1, 2, 3, 4)
    }


def test_a_false_record_is_refused():
    refusal(RecordError, played_table, DEALS.replace(b'"pictures":{', b'"pictures":{"9":0,', 1))
