"""Invitations to tournaments for invited players. An invitation also makes a private tournament visible."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Forbidden, NotFound
from arena.common.names import row_named
from arena.common.notes import time_clause
from arena.competition.courses import require_course_member
from arena.competition.entries.admission import entries_counted_for_player, require_state
from arena.competition.models import Invitation, Tournament
from arena.competition.selectors import may_organise, require_organiser
from arena.roster.models import Player

INVITABLE_STATES = (Tournament.State.DRAFT, Tournament.State.OPEN)
MAX_INVITATIONS = 1000


def player_named(handle: str) -> Player:
    player = row_named(Player.objects.select_related("user"), "handle", handle.strip())
    if player is None:
        raise NotFound(
            f"There is no player {handle!r}. Entries show the handles of players.", "player_not_found"
        )
    return player


def invitations_of(tournament: Tournament, viewer: User) -> QuerySet[Invitation]:
    """Return the invitations, oldest first. Raises Forbidden ``not_organiser``."""
    if not may_organise(viewer, tournament):
        raise Forbidden("Only the organiser can see the invitations.", "not_organiser")
    return tournament.invitations.select_related("player").order_by("id")


@transaction.atomic
def invitation_add(tournament: Tournament, player: Player, actor: User) -> Invitation:
    """Invite a player, notified once entry is open. Idempotent. Raises Forbidden, Conflict."""
    require_organiser(actor, tournament)
    require_state(tournament, "invite players to", INVITABLE_STATES)
    require_course_member(tournament, player)
    if tournament.invitations.count() >= MAX_INVITATIONS:
        raise Conflict(
            f"{tournament.name} has {MAX_INVITATIONS} invitations, which is the limit.",
            "too_many_invitations",
            limit=MAX_INVITATIONS,
        )
    invitation, is_new = Invitation.objects.get_or_create(tournament=tournament, player=player)
    if is_new:
        audit(actor, "invite", tournament, player=player.handle)
        if tournament.state == Tournament.State.OPEN:
            invited_notify(tournament, player)
    return invitation


@transaction.atomic
def invitation_remove(tournament: Tournament, player: Player, actor: User) -> None:
    """Withdraw an invitation. Idempotent. Raises Forbidden, Conflict (also ``already_entered``)."""
    require_organiser(actor, tournament)
    require_state(tournament, "take back invitations to", INVITABLE_STATES)
    if entries_counted_for_player(tournament, player).exists():
        raise Conflict(f"{player} has entered; withdraw the entry first.", "already_entered")
    if tournament.invitations.filter(player=player).delete()[0]:
        audit(actor, "uninvite", tournament, player=player.handle)


def invited_notify(tournament: Tournament, player: Player) -> None:
    notice_create(
        player.user,
        Notice.Kind.INVITED,
        {
            "code": "invited",
            "organiser": str(tournament.organiser),
            "tournament": tournament.name,
            "preset": tournament.preset,
            "seats": tournament.ruleset.get("seats"),
            "until": time_clause("until_time", tournament.closes_at),
        },
        tournament.page,
    )


def invited_notify_all(tournament: Tournament) -> None:
    """Notify all players invited before entry opened."""
    for invitation in tournament.invitations.select_related("player__user"):
        invited_notify(tournament, invitation.player)
