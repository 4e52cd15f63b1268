"""The hub of this process, and the two ways into it."""

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
    """The version of a tournament, now and whenever it changes; ``of_settled``: not the progress of tables.

    Raises:
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
    """
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
    """The parts of a tournament's page that differ from those the page has, now and whenever they change.

    ``data: {"version": ..., "own": ..., "parts": ["head.1a2b", ...], "html": ...}``: ``own`` differs when
    what is made for single visitors may; ``parts`` are all that the page has once it took ``html``; both are
    missing where ``render`` gives nothing. ``last``: nothing follows; ``spread_ms``: over this time requests
    are spread.

    Raises:
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
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
    """Events of the log that the caller may see, from the last one it has on, or from now on.

    Raises:
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
    """
    return hub.stream(events.EventListener(log, caller_of(request, user), selection, after))
