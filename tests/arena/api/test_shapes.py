"""Answers, and the schema made of their shapes."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, NotRequired, TypedDict, cast

import pytest
from django.test import RequestFactory
from rest_framework.serializers import URLField

from arena.api.answers.entries import entry_out
from arena.api.answers.tournaments import TournamentOut
from arena.api.base.shapes import build_shape, schema_of, serializer_of
from arena.competition.event_options import SCORINGS
from arena.competition.selectors import entries_of
from arena.competition.services import entry_create
from tests.factories import a_bot, a_version, an_open_tournament, aya, ben

pytestmark = pytest.mark.django_db


def test_entries_single_and_pair() -> None:
    event = an_open_tournament(entries_per_player=3)
    first, second, third = (a_version(a_bot(owner)) for owner in (aya(), aya(), ben()))
    entry_create(event, first, aya())
    entry_create(event, second, aya(), partner_version=third)
    request = cast(Any, RequestFactory().get("/"))
    request.user = ben()
    rows = [entry_out(entry, request) for entry in entries_of(event)]
    assert [(row["partner"], row["status"], row["allowed_actions"]) for row in rows] == [
        (None, "entered", []),
        ("ben", "pending", ["confirm", "decline", "withdraw"]),
    ]


class Inner(TypedDict):
    """A part."""

    at: datetime.datetime


class Shape(Inner):
    """Some answer."""

    count: Annotated[int | None, "How many."]
    kind: Annotated[str | None, ("one", "other")]
    page: Annotated[str, "Where.", URLField]
    parts: list[Inner]
    named: dict[str, Inner]
    anything: dict[str, Any]
    later: NotRequired[list[str | None]]


def test_the_schema_of_a_shape_follows_from_its_types() -> None:
    fields = serializer_of(Shape)().fields
    assert list(fields) == ["at", "count", "kind", "page", "parts", "named", "anything", "later"]
    assert [name for name, field in fields.items() if not field.required] == ["later"]
    assert [name for name, field in fields.items() if field.allow_null] == ["count", "kind"]
    assert fields["count"].help_text == "How many."
    assert list(fields["kind"].choices) == ["one", "other"]  # type: ignore[attr-defined]
    assert isinstance(fields["page"], URLField)
    assert fields["page"].help_text == "Where."
    assert type(fields["named"].child) is serializer_of(Inner)  # type: ignore[attr-defined]
    assert type(fields["parts"].child) is serializer_of(Inner)  # type: ignore[attr-defined]
    assert fields["later"].child.allow_null  # type: ignore[attr-defined]


def test_an_answer_has_the_fields_of_its_shape_alone() -> None:
    moment = datetime.datetime.now(datetime.UTC)
    assert build_shape(Inner, {"at": moment, "secret": 1}) == {"at": moment}
    assert build_shape(Inner, object(), at=moment) == {"at": moment}
    with pytest.raises(AttributeError, match="at"):
        build_shape(Inner, object())


def test_declared_fields_have_the_types_of_their_columns() -> None:
    fields = serializer_of(TournamentOut)().fields
    assert fields["budget_cpu_s"].allow_null
    assert not fields["min_entries"].allow_null
    assert list(fields["scoring"].choices) == list(SCORINGS)  # type: ignore[attr-defined]
    assert type(fields["starts_at"]).__name__ == "DateTimeField"
    assert fields["starts_at"].allow_null


def test_a_type_without_a_field_is_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        schema_of(list[complex])
