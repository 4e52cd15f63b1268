"""``compare --why`` and ``gauntlet --why``: costs by trick, which add up to the score."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from bots.kit.local import gauntlet, why
from bots.kit.local.why import FirstRecords, Pairing, require_costs, why_of
from engine import Rules, preset_named
from tests.bots.kit.replay.records import random_record

NODES = 300
"""Solves the last tricks only."""


def rules_of(preset, kind="deal"):
    game, ruleset = preset_named(preset)
    return Rules(game, ruleset, kind)


def pairing_of(rules, records, boards, contenders=(frozenset((0,)), frozenset((1,)))):
    """A pairing of random players; ``records`` has pairs of the contender by seat and the record."""
    first_records = FirstRecords(rules)
    for seating, data in records:
        table = SimpleNamespace(batch=SimpleNamespace(first_board=1), seating=seating)
        table.order = SimpleNamespace(table="t")
        report = SimpleNamespace(record_sha256="x")
        first_records.add(SimpleNamespace(table=table, report=report, blobs={"x": data}))
    return Pairing(("new", "old"), contenders, first_records, boards)


def seating4(first):
    return {1: first, 2: 1 - first, 3: first, 4: 1 - first}


@pytest.mark.full
def test_leads_and_tricks_add_up_to_the_average_score(rensho, monkeypatch):
    """A deal with open hands is worth as much at both tables; whatever is missing was lost by a card."""
    monkeypatch.setattr(why, "MAX_WHY_DEALS", 4)
    words = ("house:random", "house:rules", "--cap", 20, "--no-sandbox", "--why")
    found = rensho.json("compare", *words)
    (explained,) = found["why"]
    assert explained["sides"] == ["house:random", "house:rules"]
    assert (explained["boards"], explained["deals"], explained["unsolved_deals"]) == (2, 4, 0)
    gains = [line["gain"] for line in explained["tricks"]]
    assert explained["all"]["gain"] == pytest.approx(sum(gains))
    scores = [Fraction(score) for score in found["sides"][0]["scores"][:2]]
    assert explained["lead"]["gain"] + explained["all"]["gain"] == pytest.approx(float(sum(scores) / 2))
    for side in (0, 1):
        costs = [line["costs"][side] for line in explained["tricks"]]
        assert explained["all"]["costs"][side] == pytest.approx(sum(costs))
    assert {line["trick"] for line in explained["tricks"]} <= set(range(1, 14))


def test_deals_without_an_answer_are_left_out_and_counted(monkeypatch):
    rules = rules_of("kakeya4")
    records = [(seating4(first), random_record("kakeya4", boards=2)) for first in (0, 1)]
    limits = {"nodes": NODES, "deals": 0}
    assert why_of(pairing_of(rules, records, 2), rules, limits, jobs=1) is None


def test_only_boards_that_all_rotations_played_are_analysed(monkeypatch):
    """Bounded by deals, and by the boards that the result counts."""
    chosen = []

    def board_notes(records, limits, *, jobs, on_deal):
        chosen.extend((record.name, record.boards) for record in records)
        yield from ()

    monkeypatch.setattr(why, "board_notes", board_notes)
    monkeypatch.setattr(why, "MAX_WHY_DEALS", 8)
    rules, limits = rules_of("kakeya4"), {"nodes": NODES, "deals": 0}
    long, short = random_record("kakeya4", boards=9), random_record("kakeya4", boards=6)
    for data, boards, expected in ((long, 9, (1, 2, 3, 4)), (short, 9, (1, 2, 3, 4)), (long, 3, (1, 2, 3))):
        chosen.clear()
        records = [(seating4(0), long), (seating4(1), data)]
        why_of(pairing_of(rules, records, boards), rules, limits, jobs=1)
        assert [boards for _, boards in chosen] == [expected] * 2
    chosen.clear()
    games = [(seating4(first), random_record("kakeya4", kind="game", boards=2)) for first in (0, 1)]
    why_of(pairing_of(rules, games, 2), rules, limits, jobs=1)
    assert [boards for _, boards in chosen] == [(1,)] * 2, "one game, however long"


@pytest.mark.full
def test_of_three_sides_only_the_two_compared_are_counted(monkeypatch):
    rules = rules_of("kakeya6")
    seatings = [{s: (s - 1 + turn) % 3 for s in range(1, 7)} for turn in range(3)]
    records = [(seating, random_record("kakeya6", boards=1)) for seating in seatings]
    limits = require_costs(rules)
    solve, solved = why.board_notes, []

    def board_notes(*arguments, **options):
        # Whom a pairing compares has no influence on the costs: they are solved once.
        solved.extend(() if solved else solve(*arguments, **options))
        yield from solved

    monkeypatch.setattr(why, "board_notes", board_notes)
    two = why_of(pairing_of(rules, records, 1), rules, limits, jobs=2)
    field = (frozenset((0,)), frozenset((1, 2)))
    all_sides = why_of(pairing_of(rules, records, 1, field), rules, limits, jobs=2)
    assert (two.boards, two.deals, two.lead) == (1, 3, None)
    assert all_sides.total.costs[0] == two.total.costs[0]
    # The same deal at all tables: the costs of two pairs of seats, of which each side has each once.
    assert two.total.costs == pytest.approx((two.total.costs[0],) * 2)


def test_games_without_costs_are_refused_before_a_card_is_played(rensho):
    words = ("house:rules", "house:greedy", "--preset", "kakkuri", "--option", "seats=2", "--why")
    rensho.refuses("compare", *words, names=("--why", "kakkuri"))
    rensho.refuses(
        *("gauntlet", "house:rules", "--against", "house:greedy", "--preset", "kakkuri"),
        *("--why",),
        names=("--why", "kakkuri"),
    )


def test_the_gauntlet_explains_its_hardest_opponents(rensho, monkeypatch, tmp_path):
    asked = []

    def why_of(pairing, rules, limits, *, jobs):
        asked.append((pairing.names, pairing.boards, len(pairing.first_records.tables)))

    monkeypatch.setattr(why, "why_of", why_of)
    monkeypatch.setattr(gauntlet, "WHY_OPPONENTS", 1)
    words = ("gauntlet", "house:greedy", "--against", "house:random", "house:rules", "--boards", 4)
    words = (*words, "--no-sandbox", "--state", tmp_path / "state", "--why")
    found = rensho.json(*words)
    assert asked == [(("house:greedy", "house:rules"), 4, 2)]
    assert found["why"] == [{"sides": ["house:greedy", "house:rules"], "boards": 0}]
    assert rensho.json(*words)["why"] == [], "all boards were played before"
    assert "--why" in rensho.prints(*words)


def test_ctrl_c_during_the_analysis_keeps_the_result(rensho, monkeypatch):
    def why_of(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(why, "why_of", why_of)
    words = ("house:rules", "house:greedy", "--cap", 20, "--no-sandbox", "--why")
    found = rensho.json("compare", *words, status=130)
    assert found["why"] is None
    assert found["comparison"]["boards"] > 0
    status, out, err = rensho("compare", *words)
    assert (status, err) == (130, "rensho: interrupted\n")
    assert "stones" in out
