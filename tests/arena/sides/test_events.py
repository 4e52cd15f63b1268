"""Events of every number of sides, from the first round to the export, played without a process."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from collections import Counter
from typing import Any

import pytest

from arena.competition.models import Round, Tournament
from arena.competition.rules import rules_of, sides_of
from arena.matches.models import Fixture, Table, TableSeat
from arena.standings.audit import tournament_audit
from arena.standings.export import tournament_export
from arena.standings.models import StandingRow
from engine.played import played_table
from league.rotation import circular_orders
from league.verify.export import disagreements
from tests import factories
from tests.arena.play import begun, play_out, started
from tests.scores import all_results, board_scores

pytestmark = pytest.mark.django_db
State = Tournament.State

HEATS = [{"format": "heats", "options": {"rounds": 2}}]
"""Fewer rounds than there are by themselves, where so many play."""
EVENTS: list[tuple[int, int, dict[str, Any]]] = [
    (3, 3, {"preset": "kakeya6", "boards_per_round": 6}),
    (4, 3, {"preset": "kakeya6.league", "boards_per_round": 2}),
    (
        3,
        3,
        {"preset": "kakeya6.nakayoshi", "boards_per_round": 1, "ruleset": {"six_dealers": "previous_rest"}},
    ),
    (3, 3, {"preset": "kakeya6", "board_kind": "game", "boards_per_round": 1, "ruleset": {"hand_cap": 5}}),
    (2, 2, {"preset": "kakkuri", "boards_per_round": 2, "ruleset": {"seats": 2}}),
    (3, 3, {"preset": "kakkuri", "boards_per_round": 3, "ruleset": {"seats": 3}}),
    (6, 5, {"preset": "kakkuri.league", "boards_per_round": 1, "ruleset": {"seats": 5}, "stages": HEATS}),
    (8, 8, {"preset": "kakkuri", "boards_per_round": 1, "ruleset": {"seats": 8}, "stages": HEATS}),
    (
        4,
        4,
        {
            "preset": "kakkuri.league",
            "board_kind": "game",
            "boards_per_round": 1,
            "ruleset": {"seats": 4, "hands": 3},
        },
    ),
    (3, 2, {"preset": "etori.simple", "boards_per_round": 4}),
    (
        2,
        2,
        {"preset": "etori.simple", "board_kind": "game", "boards_per_round": 2, "ruleset": {"hand_cap": 3}},
    ),
    (4, 3, {"preset": "etori.simple6", "boards_per_round": 3}),
    (
        3,
        3,
        {"preset": "etori.simple6", "board_kind": "game", "boards_per_round": 1, "ruleset": {"hand_cap": 12}},
    ),
    (3, 2, {"preset": "etori.meiji", "boards_per_round": 4}),
    (2, 2, {"preset": "etori.meiji", "board_kind": "game", "boards_per_round": 2}),
]
"""Entries, sides, plan."""


def named(event: tuple[int, int, dict[str, Any]]) -> str:
    entries, sides, plan = event
    return f"{plan['preset']}-{plan.get('board_kind', 'deal')}-{entries}of{sides}"


def found_wrong(tournament: Tournament) -> list[str]:
    """What ``rensho verify`` says of the export that everybody gets."""
    with zipfile.ZipFile(io.BytesIO(tournament_export(tournament, None))) as archive:
        document = json.loads(archive.read("tournament.json"))
        return disagreements(document, lambda sha256: archive.read(f"records/{sha256}.ndjson"), played_table)


@pytest.mark.full
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("entries", "sides", "plan"), EVENTS, ids=[named(event) for event in EVENTS])
def test_an_event_is_played_audited_and_verified(entries: int, sides: int, plan: dict[str, Any]) -> None:
    tournament = play_out(begun(entries, **plan))
    assert (tournament.state, tournament.state_reason) == (State.FINAL, "")
    assert tournament.stages.get().format == ("round_robin" if sides == 2 else "heats")
    assert tournament_audit(tournament) == []
    assert found_wrong(tournament) == []

    rules = rules_of(tournament)
    assert sides == len(sides_of(tournament))
    places = {seat: number for number, side in enumerate(sides_of(tournament)) for seat in side}
    fixtures = [fixture for fixture in Fixture.objects.all() if fixture.sides.count() > 1]
    assert {fixture.sides.count() for fixture in fixtures} == {sides}
    for fixture in fixtures:
        tables = list(fixture.tables.all())
        assert {table.rotation for table in tables} == set(range(sides))
        for table in tables:
            results = [result[:3] for result in table.results]
            boards = range(table.first_board, table.first_board + table.board_count)
            seats = range(1, rules.game.seats(rules.ruleset) + 1)
            assert [(board, seat) for board, seat, _ in results] == list(itertools.product(boards, seats))
            assert sum(stones for _, _, stones in results) == 0
        # Over the rotations everybody sits once on every side.
        been = Counter(
            (seat.entry_id, places[seat.seat])
            for seat in TableSeat.objects.filter(table__fixture=fixture, table__first_board=1)
        )
        assert set(been.values()) == {rules.game.seats(rules.ruleset) // sides}
        assert len(been) == sides * sides
        scores = board_scores(fixture=fixture)
        assert len(scores) == sides * tournament.boards_per_round
        assert sum(score.value for score in scores) == 0
    rows = list(StandingRow.objects.filter(stage=tournament.stages.get()))
    assert [row.rank for row in rows] == list(range(1, entries + 1))
    played = {row.values["played"] for row in rows}
    assert played == {Round.objects.count()}, "sitting out is counted, and everybody has played as often"


def test_a_round_of_more_entries_than_seats_has_somebody_sit_out() -> None:
    tournament = play_out(
        begun(6, preset="kakkuri", ruleset={"seats": 5}, boards_per_round=1, scoring="board_score")
    )
    rested = Counter(
        fixture.sides.get().entry_id for fixture in Fixture.objects.all() if fixture.sides.count() == 1
    )
    assert sorted(rested.values()) == [1] * 6
    assert not Table.objects.filter(fixture__sides__entry__isnull=True).exists()
    assert tournament.state == State.FINAL


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seats", [3, 5])
def test_over_a_cycle_of_rounds_everybody_follows_everybody_equally_often(seats: int) -> None:
    play_out(begun(seats, preset="kakkuri", ruleset={"seats": seats}, boards_per_round=1))
    rounds = len(circular_orders(seats))
    assert Round.objects.count() == rounds
    right_of: Counter[tuple[int, int]] = Counter()
    for table in Table.objects.all():
        at = dict(TableSeat.objects.filter(table=table).values_list("seat", "entry_id"))
        right_of.update((at[seat], at[seat % seats + 1]) for seat in at)
    assert len(right_of) == seats * (seats - 1)
    assert set(right_of.values()) == {seats * rounds // (seats - 1)}


@pytest.mark.parametrize("preset", ["kakeya6", "etori.simple6"])
def test_the_pair_that_rests_wins_and_pays_nothing(preset: str) -> None:
    play_out(begun(3, preset=preset, boards_per_round=3))
    for _, result in all_results():
        # P3, P1, P2 deal and rest on boards 1, 2, 3; pair p sits on seats p and p + 3.
        # Source: docs/contracts.md#conditions-of-deal-boards.
        pair = (result.seat - 1) % 3 + 1
        rests = pair == (3, 1, 2)[(result.board - 1) % 3]
        assert (result.stones == 0) == rests
    assert {score.value.denominator for score in board_scores()} <= {1, 3}


@pytest.mark.parametrize("preset", ["kakeya6", "etori.simple6"])
def test_a_pair_of_versions_sits_with_the_first_named_lower(preset: str) -> None:
    tournament = factories.an_open_tournament(preset=preset, boards_per_round=1)
    pair = factories.a_pair_entry(tournament, factories.aya())
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(tournament, owner)
    tournament = play_out(started(tournament))
    assert tournament.state == State.FINAL
    assert found_wrong(tournament) == []
    for table in Table.objects.all():
        lower, higher = table.seats.filter(entry=pair).order_by("seat")
        assert higher.seat == lower.seat + 3
        assert (lower.version, higher.version) == (pair.version, pair.partner_version)
    with zipfile.ZipFile(io.BytesIO(tournament_export(tournament, None))) as archive:
        entries = json.loads(archive.read("tournament.json"))["entries"]
    assert [len(entry["versions"]) for entry in entries] == [2, 1, 1]
