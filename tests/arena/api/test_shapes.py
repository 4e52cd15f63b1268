"""Shapes written out by hand for speed say just what their fields declare."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from arena.api.lists import fixtures_listed
from arena.api.selectors import entries_of, standings_by_stage, tournament_shown
from arena.api.serializers.competition import StageOut, TournamentOut
from arena.api.serializers.entries import EntryOut
from arena.api.serializers.matches import FixtureOut
from arena.api.serializers.standings import StandingOut
from arena.competition.services import entry_create
from tests.arena.api.conftest import World
from tests.factories import a_bot, a_version, an_open_tournament, aya, ben, odo

pytestmark = pytest.mark.django_db


def request_of(user: Any) -> Any:
    request = RequestFactory().get("/")
    request.user = user
    return request


def same_fields(shape: BaseSerializer[Any], told: Any, path: str = "") -> None:
    """Whether what is told has every declared field and no other, all the way down."""
    if isinstance(shape, ListSerializer):
        for row in told:
            same_fields(shape.child, row, f"{path}[]")  # type: ignore[arg-type]
    elif isinstance(shape, Serializer) and told is not None:
        assert set(told) == set(shape.fields), path
        for name, field in shape.fields.items():
            if isinstance(field, BaseSerializer):
                same_fields(field, told[name], f"{path}.{name}")


def same_values(shape: Any, row: Any, names: tuple[str, ...]) -> None:
    """Whether fields that need no more than a column say what the usual way would."""
    told = shape.to_representation(row)
    for name in names:
        usual = shape.fields[name].to_representation(getattr(row, shape.fields[name].source))
        given = (
            told[name].isoformat().replace("+00:00", "Z") if hasattr(told[name], "isoformat") else told[name]
        )
        assert given == usual, name


def test_a_tournament(world: World) -> None:
    event = tournament_shown(world.event.public_id, odo())
    shape = TournamentOut(event, context={"request": request_of(odo())})
    same_fields(shape, shape.to_representation(event))
    plain = tuple(name for name in TournamentOut.PLAIN if getattr(event, name) is not None)
    same_values(shape, event, plain)
    stage = event.stages.all()[0]
    same_fields(StageOut(), StageOut().to_representation(stage))


def test_entries_single_and_pair() -> None:
    event = an_open_tournament(entries_per_player=3)
    first, second, third = (a_version(a_bot(owner)) for owner in (aya(), aya(), ben()))
    entry_create(event, first, aya())
    entry_create(event, second, aya(), partner_version=third)
    shape = EntryOut(context={"request": request_of(ben())})
    rows = [shape.to_representation(entry) for entry in entries_of(event).order_by("id")]
    for row in rows:
        same_fields(shape, row)
    assert [(row["partner"], row["status"], row["verbs"]) for row in rows] == [
        (None, "entered", []),
        ("ben", "pending", ["confirm", "decline", "withdraw"]),
    ]


def test_fixtures_and_standings(world: World) -> None:
    shape = FixtureOut(context={"request": request_of(None)})
    for fixture in fixtures_listed(None, world.event):
        same_fields(shape, shape.to_representation(fixture))
    (stage,) = standings_by_stage(world.event)
    assert len(stage["rows"]) == 2
    for row in stage["rows"]:
        same_fields(StandingOut(), StandingOut().to_representation(row))
