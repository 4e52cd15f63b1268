"""Responses: events of the log."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict, cast

from rest_framework.request import Request

from arena.accounts.events import event_body
from arena.accounts.models import Event


class EventObjectOut(TypedDict):
    """The object that an event concerns."""

    kind: Annotated[str, "tournament, round, fixture, entry, table, botversion, series"]
    id: str


class EventOut(TypedDict):
    """An event. The same object is the body of webhooks and the data of the stream."""

    id: Annotated[int, "Ascending; a stream resumes after Last-Event-ID."]
    type: Annotated[str, "Such as round.closed."]
    timestamp: Annotated[datetime.datetime, "When it happened."]
    tournament: Annotated[str | None, "The tournament it belongs to, if any."]
    object: EventObjectOut
    data: Annotated[dict[str, Any], "Depends on the type. Never contains anything sealed."]


def event_out(event: Event, _: Request) -> EventOut:
    return cast(EventOut, event_body(event))
