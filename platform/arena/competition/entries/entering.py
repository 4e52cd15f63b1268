"""Which versions of an account could enter a tournament, and why the others could not. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.common.states import wrong_state
from arena.competition.entries.admission import not_ready_error, require_invited, require_room
from arena.competition.models import Entry, Tournament
from arena.competition.rules import per_side_of
from arena.competition.selectors import Viewer, tournament_mixes_partners, tournaments_in_states
from arena.roster.models import BotVersion

State = Tournament.State


class VersionEligibility(NamedTuple):
    version: BotVersion
    refusal: str
    """Message of the service that refuses the version; empty if it may enter."""


def version_eligibility(tournament: Tournament, versions: Sequence[BotVersion]) -> list[VersionEligibility]:
    """Return for each version of an account whether ``entry_create`` would accept it alone."""
    return [VersionEligibility(version, _refusal(tournament, version)) for version in versions]


def takes_pairs(tournament: Tournament) -> bool:
    return per_side_of(tournament) == 2 and not tournament_mixes_partners(tournament)


def tournaments_open_for(game: str, viewer: Viewer, most: int) -> list[Tournament]:
    """Return events of a game open for entry, earliest closing first. One query."""
    rows = tournaments_in_states(viewer, [State.OPEN])
    events = rows.filter(game=game, kind=Tournament.Kind.TOURNAMENT)
    return list(events.order_by("closes_at", "-id")[:most])


def is_open_for_entry(tournament: Tournament, viewer: Viewer) -> bool:
    """Return whether the viewer is signed in and the event is open for entry. No query."""
    is_event = tournament.kind == Tournament.Kind.TOURNAMENT
    return is_event and tournament.state == State.OPEN and isinstance(viewer, User)


def _refusal(tournament: Tournament, version: BotVersion) -> str:
    owner = version.bot.owner
    try:
        if version.state != BotVersion.State.READY:
            raise not_ready_error(version)
        if tournament.state != State.OPEN:
            raise wrong_state(tournament, "enter", [State.OPEN])
        require_invited(tournament, owner)
        require_room(Entry(tournament=tournament, player=owner, version=version, status=Entry.Status.ENTERED))
    except ArenaError as error:
        return error.message
    return ""
