"""Notes, accuracy and costly plays over the API."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from arena.common.blobs import blob_get
from arena.competition.models import Tournament
from arena.features.analysis.models import CostlyPlay
from arena.features.analysis.selectors import MAX_COSTLY
from arena.matches.models import Fixture, Table
from tests.arena.api.conftest import caller
from tests.arena.features.analysis.notes import analysed, claimed, finish, notes_sha256_of, summary

pytestmark = pytest.mark.django_db


def test_notes_are_given_as_they_are_stored_with_an_etag(table: Table) -> None:
    path = f"/api/v1/tables/{table.public_id}/notes"
    answer = caller().get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "notes_not_found")
    analysed()
    answer = caller().get(path)
    assert answer.content == blob_get(notes_sha256_of(table))
    assert answer.json()["format"] == "rensho-notes/2"
    assert caller().get(path, HTTP_IF_NONE_MATCH=answer["ETag"]).status_code == 304


def test_notes_whose_file_is_lost_are_missing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    analysed()
    table.analyses.update(notes_sha256="0" * 64)
    answer = caller().get(f"/api/v1/tables/{table.public_id}/notes")
    assert (answer.status_code, answer.json()["code"]) == (404, "notes_not_found")


def test_the_costliest_plays_of_a_tournament(event: Tournament) -> None:
    path = f"/api/v1/tournaments/{event.public_id}/costly"
    assert caller().get(path).json() == {"plays": []}
    rows = {row.table.public_id: row for row in analysed()}
    found = caller().get(path).json()["plays"]
    assert len(found) == min(MAX_COSTLY, CostlyPlay.objects.count()) > 3
    assert [play["cost"] for play in found] == sorted((play["cost"] for play in found), reverse=True)
    first = found[0]
    table = rows[first["table"]].table
    expected = next(play for play in summary(table).costly if play.position == first["position"])
    assert (first["action"], first["kind"], first["cost"]) == (expected.action, expected.kind, expected.cost)
    assert first["version"] == table.seats.get(seat=first["seat"]).version.public_id
    assert caller().get(f"/tables/{first['table']}?at={first['position']}").status_code == 200
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    cache.clear()
    left = caller().get(path).json()["plays"]
    assert first["table"] not in {play["table"] for play in left}


def test_the_accuracy_of_a_version_follows_its_tables(event: Tournament, table: Table) -> None:
    version = table.seats.get(seat=1).version
    path = f"/api/v1/versions/{version.public_id}/accuracy"
    nothing = caller().get(path).json()
    assert (nothing["tables"], nothing["decisions"], nothing["cost"], nothing["low"]) == (0, 0, None, None)
    while not version_tables(version.pk):
        assert finish(claimed())
    before = caller().get(path).json()
    analysed()
    after = caller().get(path).json()
    assert after["tables"] == version_tables(version.pk) > before["tables"]
    costs = [
        each
        for table in Table.objects.filter(seats__version=version, analyses__state="ready").distinct()
        for seat, figures in summary(table).seats.items()
        if table.seats.filter(seat=seat, version=version).exists()
        for each in figures
    ]
    assert after["decisions"] == sum(each.decisions for each in costs) > 0
    assert after["cost"] == sum(each.stones for each in costs) / after["decisions"]
    assert after["agreement"] == 1 - sum(each.costly for each in costs) / after["decisions"]
    assert after["low"] <= after["cost"] <= after["high"]


def version_tables(version: int) -> int:
    """How many analysed tables it played at with a decision."""
    rows = Table.objects.filter(analyses__seats__version=version, analyses__state="ready")
    return rows.distinct().count()
