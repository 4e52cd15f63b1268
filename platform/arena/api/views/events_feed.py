"""Endpoint: the event log, as pages or as a stream."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from arena.accounts.events import FAMILIES, KINDS, events_settle
from arena.accounts.models import Event
from arena.api.answers.events import EventOut, event_out
from arena.api.base.filters import IdFilter, ListFilters
from arena.api.base.shapes import schema_of
from arena.api.base.views import AnyContentType, ListView
from arena.competition.selectors import events_visible_to
from arena.streams.events import EventSelection
from arena.streams.live import follow_events

EVENT_STREAM = "text/event-stream"
KIND_CHOICES = [(kind, kind) for kind in (*KINDS, *FAMILIES)]
MAX_EVENT_ID = (1 << 63) - 1
EVENT_ID_SCHEMA = {"type": "integer", "format": "int64", "minimum": 0, "maximum": MAX_EVENT_ID}
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    EVENT_ID_SCHEMA,
    OpenApiParameter.HEADER,
    description="For a stream: resume after this event. Events are stored for 14 days.",
)


@extend_schema_field(EVENT_ID_SCHEMA)
class AfterFilter(filters.Filter):
    """The id of an event."""

    field_class = forms.IntegerField


@extend_schema_field({"type": "string", "enum": [kind for kind, _ in KIND_CHOICES]})
class KindsFilter(filters.MultipleChoiceFilter):
    """Kinds of events, and families of kinds."""


class EventFilter(ListFilters):
    kinds = KindsFilter(
        choices=KIND_CHOICES,
        method="among",
        help_text="May be repeated. round.* stands for all kinds of the family.",
    )
    tournament = IdFilter(help_text="Events of this tournament only.")
    after = AfterFilter(
        "id", "gt", min_value=0, max_value=MAX_EVENT_ID, help_text="Events with a greater id."
    )

    def among(self, rows: QuerySet[Event], name: str, value: list[str]) -> QuerySet[Event]:
        return EventSelection(tuple(value)).filtered(rows)


class EventListView(ListView):
    """Events."""

    write = staticmethod(event_out)
    filterset_class = EventFilter
    content_negotiation_class = AnyContentType

    def rows(self) -> QuerySet[Event]:
        """Newest first; stored for 14 days."""
        return events_visible_to(self.request.user)

    @extend_schema(
        parameters=[LAST_EVENT_ID],
        responses={
            (200, "application/json"): schema_of(list[EventOut]),
            (200, EVENT_STREAM): OpenApiTypes.STR,
        },
    )
    def get(  # type: ignore[override]
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """List or follow events.

        With ``Accept: text/event-stream`` the response is a stream of server-sent events.
        """
        after = _last_event_id(request)
        if EVENT_STREAM not in request.headers.get("Accept", "").lower():
            # A caller finds its own recent actions in the list.
            events_settle(wait=True)
            return super().get(request, *args, **kwargs)
        return self.stream(request, after)

    def stream(self, request: Request, after: int | None) -> HttpResponseBase:
        """Return a stream of new events, or of those after the caller's last event."""
        chosen = EventFilter(request.query_params, self.rows())
        # Validated like the list's filters, which reject empty and repeated values.
        if not chosen.is_valid() or chosen.qs is None:
            raise ValidationError(chosen.errors)
        values = chosen.form.cleaned_data
        selection = EventSelection(tuple(values["kinds"]), values["tournament"] or "")
        if after is None and values["after"] is not None:
            after = int(values["after"])
        return follow_events(request, request.user, selection, after)


def _last_event_id(request: Request) -> int | None:
    text = request.headers.get("Last-Event-ID")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > MAX_EVENT_ID:
        raise ValidationError({"Last-Event-ID": ["Not an id of an event: those are whole numbers."]})
    return int(text)
