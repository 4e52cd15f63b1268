"""Board scores and totals: made of what was played, of rulings, and the same however they are made."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.services import round_scores_build, scores_build, standings_rebuild
from tests.arena.play import begun, play_out, play_table, seats_of, waiting
from tests.scores import board_scores


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def scores() -> list[tuple[Any, ...]]:
    """Every board score."""
    return [(score.fixture.pk, score.board, score.entry.pk, score.value) for score in board_scores()]


def totals() -> dict[tuple[int, int], Fraction]:
    """Every total."""
    return {(row.fixture_id, row.entry_id): row.value for row in FixtureScore.objects.all()}


def added_up() -> dict[tuple[int, int], Fraction]:
    """The same from the board scores."""
    found: dict[tuple[int, int], Fraction] = {}
    for row in board_scores():
        key = (row.fixture.pk, row.entry.pk)
        found[key] = found.get(key, Fraction()) + row.value
    return found


def table_of(tournament: Tournament) -> list[tuple[str, int]]:
    """Entries and ranks as stored."""
    rows = StandingRow.objects.filter(stage__tournament=tournament).order_by("rank")
    return list(rows.values_list("entry__public_id", "rank"))


def test_totals_are_the_sums_of_board_scores_however_often_they_are_made(running: Tournament) -> None:
    play_out(running)
    before = scores()
    assert before
    assert totals() == added_up()
    for played in running.stages.get().rounds.all():
        round_scores_build(played)
    for fixture in Fixture.objects.all():
        scores_build(fixture)
    assert scores() == before
    assert totals() == added_up()


def test_a_round_is_scored_in_as_many_queries_whatever_it_holds(db: None) -> None:
    counted = []
    for entries in (2, 6):
        tournament = begun(entries, boards_per_round=1)
        for table in waiting(tournament):
            play_table(table)
        played = tournament.stages.get().rounds.get()
        with CaptureQueriesContext(connection) as captured:
            round_scores_build(played)
        counted.append(len(captured))
    assert counted[0] == counted[1]


def test_a_forfeit_replaces_what_was_played(running: Tournament) -> None:
    fixture = next(f for f in Fixture.objects.all() if f.sides.count() == 2)
    entry = fixture.sides.get(position=0).entry
    for table in waiting(running):
        play_table(table, seats_of(table, entry) if table.rotation == 0 else frozenset())
    tournament_advance(running)
    values = {row.entry_id: row.value for row in fixture.totals.all()}
    assert values[entry.pk] <= -4, "two stones on each of two boards, or what was lost beyond that"
    assert sum(values.values()) == 0


@pytest.mark.parametrize(
    ("kind", "mine", "theirs"), [("forfeit", -4, 4), ("draw", 0, 0), ("void", None, None)]
)
def test_a_ruling_says_what_counts_until_it_is_lifted(
    running: Tournament, kind: str, mine: int | None, theirs: int | None
) -> None:
    for table in waiting(running):
        play_table(table)
    tournament_advance(running)
    before, order = scores(), table_of(running)
    fixture = next(f for f in Fixture.objects.order_by("pk") if f.sides.count() == 2)
    first, second = (side.entry for side in fixture.sides.order_by("position"))
    losers = [first.public_id] if kind == "forfeit" else []
    fixture_adjudicate(fixture, running.organiser, kind, losers, "a bug of ours")
    fixture.refresh_from_db()
    scores_build(fixture)
    standings_rebuild(running.stages.get())
    expected = {} if mine is None else {first.pk: mine, second.pk: theirs}
    assert {row.entry_id: row.value for row in fixture.totals.all()} == expected
    rows = StandingRow.objects.filter(entry=first).get()
    assert rows.values["board_score"] == str(mine or 0)
    fixture_adjudicate(fixture, running.organiser, "lift", (), "it was none")
    fixture.refresh_from_db()
    scores_build(fixture)
    standings_rebuild(running.stages.get())
    assert scores() == before
    assert table_of(running) == order


def test_a_fixture_that_is_open_again_has_no_scores(running: Tournament) -> None:
    for table in waiting(running):
        play_table(table)
    tournament_advance(running)
    fixture = next(f for f in Fixture.objects.order_by("pk") if f.sides.count() == 2)
    Fixture.objects.filter(pk=fixture.pk).update(state=Fixture.State.OPEN)
    fixture.refresh_from_db()
    scores_build(fixture)
    assert not fixture.totals.exists()
    assert not fixture.totals.exists()


def test_rebuilding_reads_totals_and_not_boards(running: Tournament) -> None:
    play_out(running)
    stage = running.stages.get()
    before = table_of(running)
    with CaptureQueriesContext(connection) as captured:
        standings_rebuild(stage)
    assert table_of(running) == before
    assert not any("standings_boardscore" in query["sql"] for query in captured.captured_queries)
    assert len(captured) <= 15
