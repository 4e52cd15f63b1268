"""The hub of this process and the functions that open its streams."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.request import Request

from arena.accounts.models import User
from arena.common.serving import EventStream
from arena.matches.changes import Change
from arena.streams import changes, events
from arena.streams.hub import Hub
from arena.streams.slots import caller_of

tournaments = changes.TournamentSource()
log = events.EventSource()
hub = Hub((tournaments, log))


def follow_tournament(
    request: HttpRequest | Request,
    user: User | AnonymousUser,
    tournament_pk: int,
    change: Change,
    *,
    of_settled: bool = False,
) -> EventStream:
    """Stream the version of a tournament, now and after each change. Raises Unavailable without a slot."""
    caller = caller_of(request, user)
    return hub.stream(
        changes.TournamentListener(tournaments, caller, tournament_pk, change, of_settled=of_settled)
    )


def follow_parts(
    request: HttpRequest,
    user: User | AnonymousUser,
    tournament_pk: int,
    change: Change,
    *,
    render: changes.Render,
    language: str,
    have: Collection[str],
) -> EventStream:
    """Stream the parts of a tournament page that the page does not have, now and after each change.

    ``data: {"version": ..., "own": ..., "parts": ["head.1a2b", ...], "html": ...}``: ``own`` changes when
    content for individual visitors may have changed; ``parts`` lists all parts of the page after it applied
    ``html``; both are missing if ``render`` returns None. ``last``: the final message; ``spread_ms``: the
    time over which clients spread their requests. Raises Unavailable without a slot.
    """
    return hub.stream(
        changes.PageListener(
            tournaments,
            caller_of(request, user),
            tournament_pk,
            change,
            render=render,
            language=language,
            have=have,
        )
    )


def follow_events(
    request: HttpRequest | Request,
    user: User | AnonymousUser,
    selection: events.EventSelection,
    after: int | None,
) -> EventStream:
    """Stream the events that the caller may see, after a given event, or from now on. Raises Unavailable."""
    return hub.stream(events.EventListener(log, caller_of(request, user), selection, after))
