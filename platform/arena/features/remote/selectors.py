"""Selectors of remote bots, their versions and tables."""

from __future__ import annotations

import datetime
from collections.abc import Collection

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import NotFound, quoted
from arena.common.ids import is_public_id
from arena.common.web_presence import last_web_presence
from arena.features.remote.models import (
    RemoteBot,
    RemoteInvitation,
    RemoteSeat,
    RemoteTable,
    RemoteVersion,
)

ALIVE_S = 25.0
"""Seconds after the last sign of life at which a client counts as gone."""
MAX_ONLINE = 200


def online_versions() -> QuerySet[RemoteVersion]:
    """Return the versions whose client is connected, of bots that may play, by name."""
    since = timezone.now() - datetime.timedelta(seconds=ALIVE_S)
    rows = RemoteVersion.objects.filter(
        alive_at__gte=since, disconnected_at=None, bot__paused_at=None, bot__retired_at=None
    )
    return rows.select_related("bot__owner__user").order_by("bot__name_key", "bot_id", "-number")


def is_online(version: RemoteVersion) -> bool:
    """Return whether a version's client is connected. No query."""
    since = timezone.now() - datetime.timedelta(seconds=ALIVE_S)
    return version.disconnected_at is None and version.alive_at is not None and version.alive_at >= since


def only_online(rows: QuerySet[RemoteVersion], *, is_online: bool) -> QuerySet[RemoteVersion]:
    """Return those of the versions whose client is connected, or the others."""
    since = timezone.now() - datetime.timedelta(seconds=ALIVE_S)
    connected = Q(alive_at__isnull=False, alive_at__gte=since, disconnected_at=None)
    return rows.filter(connected if is_online else ~connected)


def web_presence_at() -> datetime.datetime | None:
    """Return when a web process last announced itself or, without the queue server, held any stream."""
    return last_web_presence() or RemoteVersion.objects.aggregate(last=Max("attended_at"))["last"]


def bots_listed() -> QuerySet[RemoteBot]:
    """Return all bots with their owners."""
    return RemoteBot.objects.select_related("owner")


def versions_listed(bot: RemoteBot | None = None) -> QuerySet[RemoteVersion]:
    """Return all versions, or the versions of a bot, with bots and owners."""
    rows = RemoteVersion.objects.select_related("bot__owner")
    return rows if bot is None else rows.filter(bot=bot)


def bots_of(user: User) -> QuerySet[RemoteBot]:
    """Return an account's bots, newest first."""
    return RemoteBot.objects.filter(owner__user=user).select_related("owner__user").order_by("-id")


def bot_get(public_id: str) -> RemoteBot:
    """Return a bot. One query. Raises NotFound (``remote_bot_not_found``)."""
    rows = RemoteBot.objects.select_related("owner__user")
    bot = rows.filter(public_id=public_id).first() if is_public_id(public_id) else None
    if bot is None:
        raise NotFound(f"There is no remote bot {quoted(public_id)}.", "remote_bot_not_found")
    return bot


def version_get(public_id: str) -> RemoteVersion:
    """Return a version. One query. Raises NotFound (``remote_version_not_found``)."""
    rows = RemoteVersion.objects.select_related("bot__owner__user")
    version = rows.filter(public_id=public_id).first() if is_public_id(public_id) else None
    if version is None:
        raise NotFound(f"There is no remote version {quoted(public_id)}.", "remote_version_not_found")
    return version


def newest_version(bot: RemoteBot) -> RemoteVersion:
    """Return the newest version of a bot. One query. Raises NotFound (``remote_version_not_found``)."""
    rows = RemoteVersion.objects.filter(bot=bot).select_related("bot__owner__user")
    version = rows.order_by("-number").first()
    if version is None:
        raise NotFound(f"{bot.name} has no version yet.", "remote_version_not_found")
    return version


def connected_version(bot: RemoteBot) -> RemoteVersion:
    """Return the newest connected version of a bot, or the newest one without a connected version.

    Raises NotFound (``remote_version_not_found``).
    """
    connected = online_versions().filter(bot=bot).first()
    return newest_version(bot) if connected is None else connected


def newest_versions_of(user: User, game: str) -> list[RemoteVersion]:
    """Return the newest version of each bot of an account for a game, by name. One query."""
    rows = RemoteVersion.objects.filter(
        bot__owner__user=user, bot__game=game, bot__retired_at=None
    ).select_related("bot")
    newest = {version.bot_id: version for version in rows.order_by("bot__name_key", "bot_id", "number")}
    return list(newest.values())


def table_get(public_id: str) -> RemoteTable:
    """Return a table with its remote seats. Two queries. Raises NotFound (``remote_table_not_found``)."""
    rows = RemoteTable.objects.prefetch_related(
        "remote_seats__version__bot__owner__user", "remote_seats__person"
    )
    table = rows.filter(public_id=public_id).first() if is_public_id(public_id) else None
    if table is None:
        raise NotFound(f"There is no remote table {quoted(public_id)}.", "remote_table_not_found")
    return table


def table_visible_get(public_id: str, viewer: Viewer) -> RemoteTable:
    """Return a table that is over, or at which the viewer or a bot of the viewer sits; staff get any.

    Raises NotFound (``remote_table_not_found``).
    """
    table = table_get(public_id)
    is_visible = is_over(table) or is_staff(viewer)
    if not is_visible and not any(is_own_seat(viewer, seat) for seat in table.remote_seats.all()):
        raise NotFound(f"There is no remote table {quoted(public_id)}.", "remote_table_not_found")
    return table


def is_own_seat(viewer: Viewer, seat: RemoteSeat) -> bool:
    """Return whether the viewer plays on a seat, or owns its bot."""
    if seat.version is not None:
        return owns(viewer, seat.version.bot)
    return isinstance(viewer, User) and seat.person is not None and seat.person.user_id == viewer.pk


def person_table(user: User) -> RemoteTable | None:
    """Return the table at which a person plays now; None without one. One query."""
    rows = RemoteTable.objects.filter(state__in=RemoteTable.ACTIVE, remote_seats__person__user=user)
    return rows.order_by("-id").first()


def owns(viewer: Viewer, bot: RemoteBot) -> bool:
    return isinstance(viewer, User) and bot.owner.user_id == viewer.pk


def versions_of(bot: RemoteBot) -> QuerySet[RemoteVersion]:
    """Return the versions of a bot, newest first."""
    return bot.versions.order_by("-number")


def tables_of(bot: RemoteBot) -> QuerySet[RemoteTable]:
    """Return the tables of a bot with all remote seats, newest first."""
    own = RemoteSeat.objects.filter(version__bot=bot).values("table")
    return with_seats(RemoteTable.objects.filter(pk__in=own))


def tables_listed() -> QuerySet[RemoteTable]:
    """Return all tables."""
    return RemoteTable.objects.all()


def with_seats(tables: QuerySet[RemoteTable]) -> QuerySet[RemoteTable]:
    """Return the tables with their remote seats, newest first."""
    return tables.prefetch_related("remote_seats__version__bot", "remote_seats__person").order_by("-id")


def active_tables(versions: Collection[RemoteVersion]) -> dict[int, int]:
    """Return the number of tables that each version plays now, by primary key. One query."""
    rows = RemoteSeat.objects.filter(
        version__in=versions, is_active=True, table__state__in=RemoteTable.ACTIVE
    )
    counts = rows.order_by().values("version").annotate(tables=Count("pk"))
    return {row["version"]: row["tables"] for row in counts}


def is_over(table: RemoteTable) -> bool:
    """Return whether a table has ended with a result, so that all may see its cards."""
    return table.state in (RemoteTable.State.PLAYED, RemoteTable.State.FINISHED)


def invitations_to(bot: RemoteBot) -> QuerySet[RemoteInvitation]:
    """Return the open invitations to a bot, newest first."""
    return _with_versions(RemoteInvitation.objects.filter(invited__bot=bot))


def invitations_from(bot: RemoteBot) -> QuerySet[RemoteInvitation]:
    """Return the open invitations that a bot sent, newest first."""
    return _with_versions(RemoteInvitation.objects.filter(inviting__bot=bot))


def invitations_from_person(viewer: Viewer, bot: RemoteBot) -> list[RemoteInvitation]:
    """Return the viewer's own open invitations of a bot to tables with the viewer. At most one query."""
    if not isinstance(viewer, User):
        return []
    rows = RemoteInvitation.objects.filter(person__user=viewer, invited__bot=bot)
    return list(rows.filter(state=RemoteInvitation.State.OPEN))


def _with_versions(rows: QuerySet[RemoteInvitation]) -> QuerySet[RemoteInvitation]:
    return rows.filter(state=RemoteInvitation.State.OPEN).select_related(
        "inviting__bot__owner__user", "invited__bot__owner__user", "person"
    )


def unserved_tables(before: datetime.datetime) -> QuerySet[RemoteTable]:
    """Return tables in play that no service has claimed since this time, oldest first."""
    rows = RemoteTable.objects.filter(state__in=RemoteTable.ACTIVE, created_at__lt=before)
    return rows.filter(Q(claimed_until=None) | Q(claimed_until__lt=before)).order_by("id")
