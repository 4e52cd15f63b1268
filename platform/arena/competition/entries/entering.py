"""What an account could enter a tournament with, and why not with the rest; nothing is changed here."""

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
    """A version of one's own."""

    version: BotVersion
    refusal: str
    """Why it may not enter, as the service says it; empty if it may."""


def version_eligibility(tournament: Tournament, versions: Sequence[BotVersion]) -> list[VersionEligibility]:
    """Versions of one account, with what ``entry_create`` would refuse each of them for, if entered alone.

    Bot and owner are at hand. Some queries for each version that is ready.
    """
    return [VersionEligibility(version, _refusal(tournament, version)) for version in versions]


def takes_pairs(tournament: Tournament) -> bool:
    """Whether two versions may enter together. At most one query."""
    return per_side_of(tournament) == 2 and not tournament_mixes_partners(tournament)


def tournaments_open_for(game: str, viewer: Viewer, most: int) -> list[Tournament]:
    """Tournaments of a game that take entries, those that close first at the top. One query."""
    rows = tournaments_in_states(viewer, [State.REGISTRATION])
    events = rows.filter(game=game, kind=Tournament.Kind.EVENT)
    return list(events.order_by("closes_at", "-id")[:most])


def is_open_for_entry(tournament: Tournament, viewer: Viewer) -> bool:
    """Whether the viewer could enter something now. No query."""
    is_event = tournament.kind == Tournament.Kind.EVENT
    return is_event and tournament.state == State.REGISTRATION and isinstance(viewer, User)


def _refusal(tournament: Tournament, version: BotVersion) -> str:
    owner = version.bot.owner
    try:
        if version.state != BotVersion.State.READY:
            raise not_ready_error(version)
        if tournament.state != State.REGISTRATION:
            raise wrong_state(tournament, "enter", [State.REGISTRATION])
        require_invited(tournament, owner)
        require_room(Entry(tournament=tournament, player=owner, version=version, status=Entry.Status.ENTERED))
    except ArenaError as error:
        return error.message
    return ""
