"""Who may see which bots and versions."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Model,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import Length, RowNumber

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import Conflict, Forbidden, NotFound, quoted
from arena.common.ids import is_public_id
from arena.common.names import name_folded, row_named
from arena.roster.models import Bot, BotVersion, CheckRun, Player

PASSED_STATES = (BotVersion.State.READY, BotVersion.State.SUSPENDED, BotVersion.State.RETIRED)
"""States of versions whose check has passed, whatever came of them later."""


def is_owner(viewer: Viewer, bot: Bot) -> bool:
    """Whether the bot is the viewer's own. No query if the bot came with its owner."""
    return isinstance(viewer, User) and bot.owner.user_id == viewer.pk


def may_read_private(viewer: Viewer, bot: Bot) -> bool:
    """The owner and staff: notes, reasons, checks, faults and logs are theirs alone."""
    return is_owner(viewer, bot) or is_staff(viewer)


def require_owner(bot: Bot, actor: User) -> None:
    """Raises Forbidden, code ``not_yours``, unless the bot is the actor's or the actor is staff."""
    if not may_read_private(actor, bot):
        raise Forbidden(f"{bot.name} belongs to {bot.owner.handle}: only its owner may do this.", "not_yours")


def bots_of_player(player: Player, viewer: Viewer) -> QuerySet[Bot]:
    """Those of ``bots_visible_to`` that belong to one player."""
    return bots_visible_to(viewer).filter(owner=player)


def bots_visible_to(viewer: Viewer) -> QuerySet[Bot]:
    """Public bots and one's own; staff see all. Owner and active version at hand."""
    bots = Bot.objects.select_related("owner", "active_version")
    if is_staff(viewer):
        return bots
    seen = Q(visibility=Bot.Visibility.PUBLIC)
    if isinstance(viewer, User):
        seen |= Q(owner__user=viewer)
    return bots.filter(seen)


def bot_get(public_id: str, viewer: Viewer) -> Bot:
    """One bot.

    Raises:
        NotFound: there is none, or the viewer may not know of it.
    """
    # A form may send anything, NUL included, which PostgreSQL refuses to look for.
    is_id = is_public_id(public_id)
    bot = bots_visible_to(viewer).filter(public_id=public_id).first() if is_id else None
    if bot is None:
        raise NotFound(f"No bot {quoted(public_id)} that you may see.", "bot_unknown")
    return bot


def versions_visible_to(viewer: Viewer) -> QuerySet[BotVersion]:
    """Versions of the bots one may see, newest first. Others see only what passed its check.

    Bot, owner and checks are at hand.
    """
    versions = BotVersion.objects.select_related("bot__owner", "bot__active_version")
    versions = versions.prefetch_related(_checks())
    if is_staff(viewer):
        return versions
    seen = Q(bot__visibility=Bot.Visibility.PUBLIC, state__in=PASSED_STATES)
    if isinstance(viewer, User):
        seen |= Q(bot__owner__user=viewer)
    return versions.filter(seen)


def versions_of(bot: Bot, viewer: Viewer) -> QuerySet[BotVersion]:
    """Those of ``versions_visible_to`` that are the bot's, of which they have the one at hand."""
    versions = bot.versions.prefetch_related(_checks()).order_by("-number")
    if may_read_private(viewer, bot):
        return versions
    return (
        versions.filter(state__in=PASSED_STATES)
        if bot.visibility == Bot.Visibility.PUBLIC
        else versions.none()
    )


def _checks() -> Prefetch[str]:
    return Prefetch("checks", CheckRun.objects.order_by("-attempt"))


def without_checks(versions: QuerySet[BotVersion]) -> QuerySet[BotVersion]:
    """The same without their checks, for whom they are not."""
    return versions.prefetch_related(None)


def without_check_reports(versions: QuerySet[BotVersion]) -> QuerySet[BotVersion]:
    """The same with their checks at hand, latest first, but for the checks' long reports."""
    checks = CheckRun.objects.defer("report").order_by("-attempt")
    return versions.prefetch_related(None).prefetch_related(Prefetch("checks", checks))


def bots_of(user: User, game: str) -> QuerySet[Bot]:
    """An account's bots of a game, by name, owner at hand."""
    return Bot.objects.filter(owner__user=user, game=game).select_related("owner").order_by("name")


def bots_of_others(viewer: Viewer) -> QuerySet[Bot]:
    """The bots one may see that are not one's own, newest first."""
    bots = bots_visible_to(viewer).order_by("-id")
    return bots.exclude(owner__user=viewer) if isinstance(viewer, User) else bots


def bots_with_latest(user: User) -> list[tuple[Bot, BotVersion | None]]:
    """An account's bots, newest first, each with its last upload and the checks of that. Three queries."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("pk")[:1]
    own = bots_visible_to(user).filter(owner__user=user).order_by("-id")
    bots = list(own.annotate(newest=Subquery(newest)))
    wanted = [bot.newest for bot in bots if bot.newest is not None]
    versions = without_check_reports(BotVersion.objects.all()).in_bulk(wanted)
    return [(bot, versions.get(bot.newest)) for bot in bots]


def bots_owned(user: User) -> QuerySet[Bot]:
    """All bots of an account, newest first."""
    return bots_visible_to(user).filter(owner__user=user).order_by("-id")


def version_counts(bots: Collection[Bot]) -> dict[int, int]:
    """How many versions each bot has, by its key; none of those without. One query."""
    rows = BotVersion.objects.filter(bot__in=bots).order_by()
    return dict(rows.values_list("bot").annotate(count=Count("pk")))


def newest_versions(bots: Collection[Bot], most: int) -> dict[int, list[BotVersion]]:
    """So many last uploads of each bot, newest first, with their checks; by the bot's key. Two queries."""
    place = Window(RowNumber(), partition_by="bot", order_by=F("number").desc())
    rows = BotVersion.objects.filter(bot__in=bots).annotate(place=place).filter(place__lte=most)
    found: dict[int, list[BotVersion]] = {bot.pk: [] for bot in bots}
    for version in without_check_reports(rows.order_by("-number")):
        found[version.bot_id].append(version)
    return found


def selectable_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """Of each of an account's bots of a game the active version, and the newest upload if it is another one.

    By the bots' names, bot and owner at hand. Two queries.
    """
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("pk")[:1]
    bots = list(bots_of(user, game).annotate(newest=Subquery(newest)).values_list("newest", "active_version"))
    wanted = [pk for pair in bots for pk in pair if pk is not None]
    rows = BotVersion.objects.filter(pk__in=wanted).select_related("bot__owner__user", "bot__active_version")
    return list(rows.order_by("bot__name", "-number")[:most])


def partner_versions(player: Player, game: str, most: int) -> list[BotVersion]:
    """The active versions of a player's public bots of a game, by name. One query."""
    rows = BotVersion.objects.filter(
        active_for__owner=player,
        active_for__game=game,
        active_for__visibility=Bot.Visibility.PUBLIC,
        state=BotVersion.State.READY,
    )
    return list(rows.select_related("bot__owner__user").order_by("bot__name")[:most])


def own_ready_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """An account's versions of a game that are ready, newest first, bot and owner at hand. One query."""
    rows = BotVersion.objects.filter(
        bot__owner__user=user, bot__game=game, state=BotVersion.State.READY
    ).select_related("bot__owner__user", "bot__active_version")
    return list(rows.order_by("-pk")[:most])


def others_active_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """The active versions of others' public bots of a game, by name, bot and owner at hand. One query."""
    rows = BotVersion.objects.filter(
        active_for__game=game,
        active_for__visibility=Bot.Visibility.PUBLIC,
        state=BotVersion.State.READY,
    ).exclude(bot__owner__user=user)
    return list(rows.select_related("bot__owner__user", "bot__active_version").order_by("bot__name")[:most])


def version_with_bundle(bot: Bot, bundle_sha256: str) -> BotVersion | None:
    """The latest version of a bot with this bundle that is neither rejected nor retired.

    Inside a transaction: the bot's row is locked to its end, so that no other upload makes one meanwhile.
    """
    list(Bot.objects.select_for_update().filter(pk=bot.pk).values_list("pk"))
    given_up = (BotVersion.State.REJECTED, BotVersion.State.RETIRED)
    rows = bot.versions.filter(bundle_sha256=bundle_sha256).exclude(state__in=given_up)
    return rows.select_related("bot__owner").order_by("-number").first()


def newest_version(bot: Bot, viewer: User) -> BotVersion | None:
    """The last upload of a bot that the viewer may know of; None before the first."""
    return versions_of(bot, viewer).first()


def has_bots(user: User) -> bool:
    """Whether the account has a bot. One query."""
    return Bot.objects.filter(owner__user=user).exists()


def unsettled_versions(user: User, most: int) -> list[BotVersion]:
    """Versions of an account that are being checked, are suspended, or failed as their bot's last upload.

    The newest first, bot and checks at hand. Two queries.
    """
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    open_states = (BotVersion.State.UPLOADED, BotVersion.State.CHECKING, BotVersion.State.SUSPENDED)
    failed = Q(state=BotVersion.State.REJECTED, number=Subquery(newest))
    rows = BotVersion.objects.filter(failed | Q(state__in=open_states), bot__owner__user=user)
    return list(without_check_reports(rows.select_related("bot")).order_by("-id")[:most])


def bots_named(bots: QuerySet[Bot], name: str) -> QuerySet[Bot]:
    """Those of this name in any case and width: at most one of an owner."""
    return bots.filter(name_key=name_folded(name))


def handle_find(handle: str) -> str | None:
    """The handle that is this one, or the only one that differs from it only in case; None without one."""
    player = row_named(Player.objects.only("handle"), "handle", handle)
    return player.handle if player else None


def handle_of(user: User) -> str | None:
    """The account's name as a player; None if it has none. One query."""
    return Player.objects.filter(user=user).values_list("handle", flat=True).first()


def version_get(public_id: str, viewer: Viewer) -> BotVersion:
    """One version.

    Raises:
        NotFound: there is none, or the viewer may not know of it.
    """
    version = versions_visible_to(viewer).filter(public_id=public_id).first()
    if version is None:
        raise NotFound(f"No version {quoted(public_id)} that you may see.", "version_unknown")
    return version


def check_latest(version: BotVersion, viewer: Viewer) -> CheckRun:
    """The last attempt to check a version.

    Raises:
        Forbidden: code ``not_yours``.
    """
    if not may_read_private(viewer, version.bot):
        raise Forbidden("Checks are shown to the bot's owner only.", "not_yours")
    return version.checks.order_by("-attempt")[0]


def waiting_reason(version: BotVersion) -> str:
    """Why the version's waiting check cannot begin, such as ``runtime_unavailable: ...``; else nothing.

    No query if the checks came with the version, latest first, as ``versions_visible_to`` gives them.
    """
    latest = next(iter(version.checks.all()), None)
    return latest.waiting_reason if latest is not None else ""


SUSPENSION_REMEDIES = (
    "Remedies: upload a corrected version, or ask for a new check of this one, at most once a day; "
    "it is ready again if it passes."
)
"""What the owner of a suspended version can do."""


def version_suspended_error(version: BotVersion, verb: str) -> Conflict:
    """The error for what a suspended version may not do."""
    address = f"/api/v1/versions/{version.public_id}"
    return Conflict(
        f"Cannot {verb} {version}: it is suspended, because {version.suspended_reason}. "
        f"{SUSPENSION_REMEDIES}",
        "version_suspended",
        state=version.state,
        suspended_at=version.suspended_at.isoformat() if version.suspended_at else None,
        suspended_reason=version.suspended_reason,
        ways_back=["upload", "reinstate"],
        reinstate=f"{address}/reinstate",
        faults=f"{address}/faults",
    )


Rows = TypeVar("Rows", bound=Model)
MAX_SEARCH_WORDS = 5
"""Of what is looked for; further ones are left out."""


def matching_rows(rows: QuerySet[Rows], query: str, *columns: str) -> QuerySet[Rows]:
    """Those rows of which every word of a query occurs in one of the columns, in any case.

    NUL, which PostgreSQL refuses to look for, is in no name.
    """
    for word in query.replace("\0", "\ufffd").split()[:MAX_SEARCH_WORDS]:
        found = Q()
        for column in columns:
            found |= Q(**{f"{column}__icontains": word})
        rows = rows.filter(found)
    return rows


def order_by_relevance(rows: QuerySet[Rows], query: str, column: str) -> QuerySet[Rows]:
    """The same in the order of what looks for a name: the name itself, names that begin so, short ones."""
    text = " ".join(query.replace("\0", "\ufffd").split())
    nearness = Case(
        When(**{f"{column}__iexact": text}, then=Value(0)),
        When(**{f"{column}__istartswith": text}, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return rows.order_by(nearness, Length(column), column, "-pk")


def bot_counts(players: list[Player], viewer: Viewer) -> dict[int, int]:
    """How many bots of these players the viewer may see, by key. One query."""
    rows = bots_visible_to(viewer).filter(owner__in=players)
    return dict(rows.order_by().values_list("owner").annotate(count=Count("pk")))
