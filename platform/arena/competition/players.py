"""Players visible to a viewer: those with a visible bot or a visible entry."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import NotFound, quoted
from arena.common.names import row_named
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Series, Subscription, Tournament
from arena.competition.selectors import visible_tournament_filter
from arena.competition.series.services import series_visible_to
from arena.roster.listing import bots_revision
from arena.roster.models import Bot, Player
from arena.roster.selectors import bots_visible_to


def players_visible_to(viewer: Viewer, game: str = "") -> QuerySet[Player]:
    """Return players with a bot or an entry that the viewer may see, by handle; all players for staff.

    With ``game``, only those with a visible bot of this game.
    """
    players = Player.objects.order_by(Lower("handle"))
    owner = OuterRef("pk")
    if game:
        return players.filter(Exists(bots_visible_to(viewer).filter(owner=owner, game=game)))
    if is_staff(viewer):
        return players
    return players.filter(
        Exists(bots_visible_to(viewer).filter(owner=owner)) | Exists(_own_entries(owner, viewer))
    )


def players_revision() -> tuple[object, ...]:
    """Return values that change when a player, a bot or an entry is added, or a bot's visibility changes.

    Four queries.
    """
    rows: tuple[QuerySet[Any], ...] = (Player.objects.all(), Entry.objects.all())
    return bots_revision(), *(every.aggregate(last=Max("pk"))["last"] for every in rows)


def _own_entries(player: Player | OuterRef, viewer: Viewer) -> QuerySet[Entry]:
    return Entry.objects.filter(
        visible_tournament_filter(viewer),
        player=player,
        status__in=FIELD_STATUSES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
    )


def player_named(handle: str) -> Player:
    """Return a player by handle, visible or not. Raises NotFound ``player_not_found``."""
    player = row_named(Player.objects.all(), "handle", handle)
    if player is None:
        raise player_unknown(handle)
    return player


def player_unknown(handle: str) -> NotFound:
    return NotFound(f"There is no player {quoted(handle)} that you can see.", "player_not_found")


def has_entered(player: Player, viewer: Viewer) -> bool:
    """Return whether the player has an entry that the viewer may see. One query."""
    return _own_entries(player, viewer).exists()


Bots = QuerySet[Bot] | Collection[Bot]


def entries_of_player(player: Player, bots: Bots, viewer: Viewer) -> QuerySet[Entry]:
    """Return the player's entries in visible events, alone or as partner, latest change of state first.

    As partner only with one of ``bots``, the player's bots that the viewer may see.
    """
    return Entry.objects.filter(
        Q(player=player) | Q(partner_version__bot__in=_keys(bots)),
        visible_tournament_filter(viewer),
        status__in=FIELD_STATUSES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
    ).order_by("-tournament__state_at", "-id")


def _keys(bots: Bots) -> QuerySet[Bot, Any] | list[int]:
    return bots.values("pk") if isinstance(bots, QuerySet) else [bot.pk for bot in bots]


def event_counts(players: list[Player], viewer: Viewer) -> dict[int, int]:
    rows = Entry.objects.filter(
        visible_tournament_filter(viewer),
        player__in=players,
        status__in=FIELD_STATUSES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
    )
    return dict(rows.order_by().values_list("player").annotate(count=Count("pk")))


def subscriptions_of_bots(bots: Bots, viewer: Viewer) -> QuerySet[Subscription]:
    """Return subscriptions of these bots to visible cups that have not ended. No query without bots."""
    return (
        Subscription.objects.filter(bot__in=_keys(bots), series__in=series_visible_to(viewer))
        .exclude(series__state=Series.State.ENDED)
        .select_related("series", "bot")
        .order_by("series__next_at", "id")
    )
