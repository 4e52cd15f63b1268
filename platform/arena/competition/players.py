"""Players as others may know of them: by what they have that can be seen."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import NotFound, quoted
from arena.competition.models import Entry, Series, Subscription
from arena.competition.selectors import IN_FIELD, tournaments_listed
from arena.competition.series import series_visible_to
from arena.roster.models import Bot, Player
from arena.roster.selectors import bots_visible_to


def players_known_to(viewer: Viewer) -> QuerySet[Player]:
    """Those who have a bot, or an entry of their own, that the viewer may see; staff know all. By handle."""
    players = Player.objects.order_by("handle")
    if is_staff(viewer):
        return players
    bots = bots_visible_to(viewer).filter(owner=OuterRef("pk"))
    entries = Entry.objects.filter(
        player=OuterRef("pk"), status__in=IN_FIELD, tournament__in=tournaments_listed(viewer)
    )
    return players.filter(Exists(bots) | Exists(entries))


def player_known(handle: str, viewer: Viewer) -> Player:
    """One of ``players_known_to``.

    Raises:
        NotFound: code ``player_unknown``: there is none, or the viewer may not know of it.
    """
    player = players_known_to(viewer).filter(handle=handle).first()
    if player is None:
        raise NotFound(f"No player {quoted(handle)} whom you may know of.", "player_unknown")
    return player


def entries_of_player(player: Player, viewer: Viewer) -> QuerySet[Entry]:
    """Where a player is entered, alone or as somebody's partner, in visible events, the latest first.

    Tournament and bots at hand. As a partner only with a bot the viewer may see: an entry names but the
    player who made it.
    """
    partnered = Q(
        partner_version__bot__owner=player, partner_version__bot__in=bots_visible_to(viewer).values("pk")
    )
    return (
        Entry.objects.filter(
            Q(player=player) | partnered,
            status__in=IN_FIELD,
            tournament__in=tournaments_listed(viewer),
        )
        .select_related("tournament", "player", "version__bot__owner", "partner_version__bot__owner")
        .order_by("-tournament__state_at", "-id")
    )


def event_counts(players: list[Player], viewer: Viewer) -> dict[int, int]:
    """How many entries of their own these players have in events they may see, by key. One query."""
    rows = Entry.objects.filter(
        player__in=players, status__in=IN_FIELD, tournament__in=tournaments_listed(viewer)
    )
    return dict(rows.order_by().values_list("player").annotate(count=Count("pk")))


def cups_of_player(player: Player, viewer: Viewer) -> QuerySet[Subscription]:
    """The visible cups that enter one of the player's visible bots each time; cup and bot at hand."""
    bots: QuerySet[Bot] = bots_visible_to(viewer).filter(owner=player)
    return (
        Subscription.objects.filter(bot__in=bots.values("pk"), series__in=series_visible_to(viewer))
        .exclude(series__state=Series.State.ENDED)
        .select_related("series", "bot")
        .order_by("series__next_at", "id")
    )
