"""Rows of older installations get what newer columns say."""

from __future__ import annotations

import importlib

import pytest
from django.apps import apps

from arena.matches.models import Fixture, FixtureEntry, Table
from arena.roster.models import BotVersion
from tests import factories
from tests.arena.play import begun


@pytest.mark.django_db
def test_sides_tournaments_and_runtimes_are_filled_from_what_the_rows_say() -> None:
    first, second = begun(4), begun(3)
    BotVersion.objects.filter(bot__owner__user=factories.chie()).update(runtime="node/1")
    FixtureEntry.objects.update(side=7)
    for model in (Fixture, Table):
        model.objects.update(tournament=first)
    Table.objects.update(runtimes="")
    for name in ("0004_sides_and_tournaments_filled", "0006_runtimes_of_tables"):
        importlib.import_module(f"arena.matches.migrations.{name}").fill(apps, None)
    assert all(row.side == row.position for row in FixtureEntry.objects.all())
    for tournament in (first, second):
        fixtures = Fixture.objects.filter(tournament=tournament)
        assert set(fixtures.values_list("board_set__round__stage__tournament", flat=True)) == {tournament.pk}
        assert set(fixtures.values_list("tables__tournament", flat=True)) <= {tournament.pk, None}
    for table in Table.objects.prefetch_related("seats__version"):
        runtimes = {seat.version.runtime for seat in table.seats.all()}
        assert table.runtimes == ",".join(sorted(runtimes))
    assert {"python/1", "node/1,python/1"} == set(Table.objects.values_list("runtimes", flat=True))
