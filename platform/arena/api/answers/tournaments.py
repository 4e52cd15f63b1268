"""Responses: tournaments, including challenges."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.stages import StageOut, stage_out
from arena.api.base.shapes import build_shape, with_columns
from arena.competition.co_organisers import co_organiser_names
from arena.competition.event_options import TIE_BREAKS
from arena.competition.impartiality import ENTRANT_ACTS
from arena.competition.models import Tournament
from arena.competition.permissions import allowed_actions, editable_fields
from arena.competition.rules import sides_of
from arena.competition.selectors import ENDED_STATES, may_organise
from arena.competition.tournament_fields import FIELDS


class EntrantAction(TypedDict):
    """An action of an organiser or staff member who has an entry."""

    action: Annotated[str, ENTRANT_ACTS]
    count: Annotated[int, "Number of times."]
    last_at: Annotated[datetime.datetime, "Time of the last one."]


@with_columns(Tournament, FIELDS)
class TournamentOut(TypedDict):
    """A tournament."""

    id: str
    kind: Annotated[str, Tournament.Kind]
    organiser: str
    series: Annotated[str | None, "Id of the series that it is an edition of."]
    edition: int | None
    state: Annotated[str, Tournament.State]
    state_reason: Annotated[str, "Why it is in its state; may be empty."]
    state_at: datetime.datetime
    created_at: datetime.datetime
    game: str
    rules_version: int
    seats: Annotated[int, "Seats at a table."]
    sides: Annotated[
        list[list[int]],
        "Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for "
        "each side (in a movement one for each seat), and a table for each rotation of them.",
    ]
    preset: str
    ruleset: dict[str, Any]
    clock: dict[str, int]
    tie_breaks: list[Annotated[str, tuple(TIE_BREAKS.items())]]
    co_organisers: Annotated[list[str], "Usernames of the further organisers."]
    course: Annotated[str | None, "Id of the course whose members see and may enter it."]
    house_bots: list[str]
    trial_of: Annotated[str | None, "Id of the tournament that a trial run tries, for its organiser."]
    stages: list[StageOut]
    cpu_s_spent: Annotated[
        float | None, "CPU-seconds used so far; null for everyone but the organiser until it is over."
    ]
    review_until: Annotated[
        datetime.datetime | None,
        "When its review ends or ended; null before or without a review.",
    ]
    commitment: str
    revealed_at: datetime.datetime | None
    entrant_actions: Annotated[
        list[EntrantAction],
        "Actions of organisers or staff who have or had an entry, the latest last.",
    ]
    entries: Annotated[int, "Number of entries now, or at the lock."]
    allowed_actions: Annotated[list[str], "Actions that you may take on it now."]
    editable: Annotated[list[str], "Fields that you may change now."]


def tournament_out(tournament: Tournament, request: Request) -> TournamentOut:
    """Return a tournament of ``tournament_detail`` or ``with_entry_counts`` with the fields that the viewer
    may see.
    """
    viewer = request.user
    sides = [list(side) for side in sides_of(tournament)]
    # While boards are sealed, the sum would reveal the time of single tables.
    shows_cpu = tournament.state in ENDED_STATES or may_organise(viewer, tournament)
    return build_shape(
        TournamentOut,
        tournament,
        organiser=tournament.organiser.username,
        series=tournament.series.public_id if tournament.series else None,
        course=tournament.course.public_id if tournament.course else None,
        seats=sum(map(len, sides)),
        sides=sides,
        co_organisers=co_organiser_names(tournament),
        stages=[stage_out(stage) for stage in tournament.stages.all()],
        cpu_s_spent=tournament.cpu_ms_spent / 1000 if shows_cpu else None,
        trial_of=tournament.trial_of.public_id if tournament.trial_of else None,
        entries=tournament.entry_count,  # type: ignore[attr-defined]
        allowed_actions=allowed_actions(
            tournament,
            viewer,
            has_entry=getattr(tournament, "viewer_has_entry", None),
        ),
        editable=editable_fields(tournament, viewer),
    )
