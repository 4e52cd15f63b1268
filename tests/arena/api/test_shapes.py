"""Shapes written out by hand for speed say just what their fields declare."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
from django.test import RequestFactory
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from arena.api.answers.entries import entry_out
from arena.api.base.shapes import schema_of, serializer_of
from arena.api.serializers.competition import TournamentOut
from arena.competition.selectors import entries_of, tournament_detail
from arena.competition.services import entry_create
from tests.arena.api.conftest import World
from tests.factories import a_bot, a_version, an_open_tournament, aya, ben, odo

pytestmark = pytest.mark.django_db


def request_of(user: Any) -> Any:
    request = RequestFactory().get("/")
    request.user = user
    return request


def same_fields(shape: BaseSerializer[Any], value: Any, path: str = "") -> None:
    """Whether what is told has every declared field and no other, all the way down."""
    if isinstance(shape, ListSerializer):
        for row in value:
            same_fields(shape.child, row, f"{path}[]")  # type: ignore[arg-type]
    elif isinstance(shape, Serializer) and value is not None:
        assert set(value) == set(shape.fields), path
        for name, field in shape.fields.items():
            if isinstance(field, BaseSerializer):
                same_fields(field, value[name], f"{path}.{name}")


def same_values(shape: Any, row: Any, names: tuple[str, ...]) -> None:
    """Whether fields that need no more than a column say what the usual way would."""
    given_row = shape.to_representation(row)
    for name in names:
        usual = shape.fields[name].to_representation(getattr(row, shape.fields[name].source))
        given = given_row[name]
        if hasattr(given, "isoformat"):
            given = given.isoformat().replace("+00:00", "Z")
        assert given == usual, name


def test_a_tournament(world: World) -> None:
    event = tournament_detail(world.event.public_id, odo())
    shape = TournamentOut(event, context={"request": request_of(odo())})
    same_fields(shape, shape.to_representation(event))
    plain = tuple(name for name in TournamentOut.PLAIN if getattr(event, name) is not None)
    same_values(shape, event, plain)


def test_entries_single_and_pair() -> None:
    event = an_open_tournament(entries_per_player=3)
    first, second, third = (a_version(a_bot(owner)) for owner in (aya(), aya(), ben()))
    entry_create(event, first, aya())
    entry_create(event, second, aya(), partner_version=third)
    rows = [entry_out(entry, ben()) for entry in entries_of(event)]
    assert [(row["partner"], row["status"], row["verbs"]) for row in rows] == [
        (None, "entered", []),
        ("ben", "pending", ["confirm", "decline", "withdraw"]),
    ]


class Inner(TypedDict):
    """A part."""

    at: datetime.datetime


class Shape(Inner):
    """Some answer."""

    count: Annotated[int | None, "How many."]
    kind: Annotated[str, ("one", "other")]
    parts: list[Inner]
    named: dict[str, Inner]
    anything: dict[str, Any]
    later: NotRequired[list[str | None]]


def test_the_schema_of_a_shape_follows_from_its_types() -> None:
    fields = serializer_of(Shape)().fields
    assert list(fields) == ["at", "count", "kind", "parts", "named", "anything", "later"]
    assert [name for name, field in fields.items() if not field.required] == ["later"]
    assert [name for name, field in fields.items() if field.allow_null] == ["count"]
    assert fields["count"].help_text == "How many."
    assert list(fields["kind"].choices) == ["one", "other"]  # type: ignore[attr-defined]
    assert type(fields["named"].child) is serializer_of(Inner)  # type: ignore[attr-defined]
    assert type(fields["parts"].child) is serializer_of(Inner)  # type: ignore[attr-defined]
    assert fields["later"].child.allow_null  # type: ignore[attr-defined]


def test_a_type_without_a_field_is_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        schema_of(list[complex])
