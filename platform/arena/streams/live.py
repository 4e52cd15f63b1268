"""The hub of this process, and the two ways into it."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.request import Request

from arena.accounts.models import User
from arena.common.serving import EventStream
from arena.matches.changes import Change
from arena.streams import changes, events
from arena.streams.hub import Hub
from arena.streams.places import caller_of

tournaments = changes.Changes()
log = events.Log()
hub = Hub((tournaments, log))


def follow_tournament(
    request: HttpRequest | Request, user: User | AnonymousUser, tournament_pk: int, change: Change
) -> EventStream:
    """The version of a tournament, now and whenever it changes.

    Raises:
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
    """
    return hub.stream(changes.Listener(tournaments, caller_of(request, user), tournament_pk, change))


def follow_events(
    request: HttpRequest | Request,
    user: User | AnonymousUser,
    selection: events.EventSelection,
    after: int | None,
) -> EventStream:
    """Events of the log that the caller may see, from the last one it has on, or from now on.

    Raises:
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
    """
    return hub.stream(events.Listener(log, caller_of(request, user), selection, after))
