"""Draws of one seating per board, from the results of a final tournament."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.models import Stage, Tournament
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings import luck
from arena.standings.luck import SeatingDraws, stage_seating_draws
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.scores import board_scores

pytestmark = pytest.mark.django_db

rows_of_four = made_once(lambda: play_out(begun(4, boards_per_round=2)))


@pytest.fixture
def final(rows_of_four: Tournament, db: None) -> Tournament:
    process_cache.clear()
    return given(rows_of_four)


def draws_of(tournament: Tournament) -> SeatingDraws:
    draws = stage_seating_draws(tournament, Stage.objects.get(tournament=tournament))
    assert draws is not None
    return draws


def test_averages_are_those_of_the_board_scores(final: Tournament) -> None:
    scores = defaultdict(list)
    for score in board_scores(fixture__tournament=final):
        scores[str(score.entry.pk)].append(score.value)
    draws = draws_of(final)
    assert {row.entry: row.boards for row in draws.entries} == {key: len(row) for key, row in scores.items()}
    for row in draws.entries:
        assert row.mean == pytest.approx(float(sum(scores[row.entry], Fraction()) / row.boards))
        assert len(row.draws) == 100
        assert len(set(row.draws)) > 1
    assert [row.mean for row in draws.entries] == sorted((row.mean for row in draws.entries), reverse=True)


def test_draws_are_cached_until_the_revision_changes(final: Tournament) -> None:
    stage = Stage.objects.get(tournament=final)
    with CaptureQueriesContext(connection) as first:
        draws = stage_seating_draws(final, stage)
    with CaptureQueriesContext(connection) as second:
        assert stage_seating_draws(final, stage) is draws
    assert len(first) <= 7
    assert len(second) == 0
    final.revision += 1
    again = stage_seating_draws(final, stage)
    assert again == draws
    assert again is not draws


def test_a_fixture_with_a_ruling_is_left_out(final: Tournament) -> None:
    before = {row.entry: row.boards for row in draws_of(final).entries}
    fixture = Fixture.objects.filter(tournament=final).order_by("pk")[0]
    Tournament.objects.filter(pk=final.pk).update(state=Tournament.State.RUNNING)
    fixture_adjudicate(fixture, factories.odo(), "draw", [], "a protest")
    final.refresh_from_db()
    process_cache.clear()
    after = {row.entry: row.boards for row in draws_of(final).entries}
    sides = {str(entry) for entry in fixture.sides.values_list("entry_id", flat=True)}
    assert after == {entry: boards - 2 * (entry in sides) for entry, boards in before.items()}


def test_a_large_stage_has_no_draws(final: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage.objects.get(tournament=final)
    results = Fixture.objects.filter(tournament=final).count() * 2 * 2 * 2
    monkeypatch.setattr(luck, "MAX_DRAWN_RESULTS", results - 1)
    assert stage_seating_draws(final, stage) is None
    monkeypatch.setattr(luck, "MAX_DRAWN_RESULTS", results)
    assert stage_seating_draws(final, stage) is not None
