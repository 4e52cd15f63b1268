"""Queries for bots and versions, with the rules of who may see them."""

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

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import Conflict, Forbidden, NotFound, quoted
from arena.common.ids import is_public_id
from arena.common.names import name_folded, row_named
from arena.roster.models import Bot, BotVersion, CheckRun, Player

PASSED_STATES = (BotVersion.State.READY, BotVersion.State.SUSPENDED, BotVersion.State.RETIRED)
"""States of versions that have passed their check, whatever happened later."""


def is_owner(viewer: Viewer, bot: Bot) -> bool:
    return isinstance(viewer, User) and bot.owner.user_id == viewer.pk


def may_read_private(viewer: Viewer, bot: Bot) -> bool:
    """Return whether the viewer is owner or staff, and so may read notes, reasons, checks and logs."""
    return is_owner(viewer, bot) or is_staff(viewer)


def require_owner(bot: Bot, actor: User) -> None:
    """Raise Forbidden, code ``not_owner``, unless the actor is the bot's owner or staff."""
    if not may_read_private(actor, bot):
        raise Forbidden(f"{bot.name} belongs to {bot.owner.handle}; only the owner can do this.", "not_owner")


def bots_of_player(player: Player, viewer: Viewer) -> QuerySet[Bot]:
    return bots_visible_to(viewer).filter(owner=player)


def bots_visible_to(viewer: Viewer) -> QuerySet[Bot]:
    """Return public bots and the viewer's own, or all for staff, with owner and active version."""
    bots = Bot.objects.select_related("owner", "active_version")
    if is_staff(viewer):
        return bots
    visible = Q(visibility=Bot.Visibility.PUBLIC)
    if isinstance(viewer, User):
        visible |= Q(owner__user=viewer)
    return bots.filter(visible)


def bot_get(public_id: str, viewer: Viewer) -> Bot:
    """Return a bot. Raises NotFound (``bot_not_found``)."""
    # A form may send anything, including NUL, which PostgreSQL cannot search for.
    is_id = is_public_id(public_id)
    bot = bots_visible_to(viewer).filter(public_id=public_id).first() if is_id else None
    if bot is None:
        raise NotFound(f"There is no bot {quoted(public_id)} that you can see.", "bot_not_found")
    return bot


def versions_visible_to(viewer: Viewer) -> QuerySet[BotVersion]:
    """Return the visible versions, newest first, with bot, owner and checks; others' only if passed."""
    versions = BotVersion.objects.select_related("bot__owner", "bot__active_version")
    versions = versions.prefetch_related(_checks())
    if is_staff(viewer):
        return versions
    visible = Q(bot__visibility=Bot.Visibility.PUBLIC, state__in=PASSED_STATES)
    if isinstance(viewer, User):
        visible |= Q(bot__owner__user=viewer)
    return versions.filter(visible)


def versions_of(bot: Bot, viewer: Viewer) -> QuerySet[BotVersion]:
    """Return the visible versions of a bot, newest first, with checks and the given bot."""
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
    """Do not load the checks, for viewers who may not read them."""
    return versions.prefetch_related(None)


def without_check_reports(versions: QuerySet[BotVersion]) -> QuerySet[BotVersion]:
    """Load the checks, latest first, without their long reports."""
    checks = CheckRun.objects.defer("report").order_by("-attempt")
    return versions.prefetch_related(None).prefetch_related(Prefetch("checks", checks))


def bots_of(user: User, game: str) -> QuerySet[Bot]:
    """Return an account's bots of a game, by name, with owner."""
    return Bot.objects.filter(owner__user=user, game=game).select_related("owner").order_by("name")


def bots_of_others(viewer: Viewer) -> QuerySet[Bot]:
    """Return the visible bots of other players, newest first."""
    bots = bots_visible_to(viewer).order_by("-id")
    return bots.exclude(owner__user=viewer) if isinstance(viewer, User) else bots


def bots_with_latest(user: User) -> list[tuple[Bot, BotVersion | None]]:
    """Return an account's bots, newest first, each with its latest version and checks. Three queries."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("pk")[:1]
    own = bots_visible_to(user).filter(owner__user=user).order_by("-id")
    bots = list(own.annotate(newest=Subquery(newest)))
    version_ids = [bot.newest for bot in bots if bot.newest is not None]
    versions = without_check_reports(BotVersion.objects.all()).in_bulk(version_ids)
    return [(bot, versions.get(bot.newest)) for bot in bots]


def bots_owned(user: User) -> QuerySet[Bot]:
    return bots_visible_to(user).filter(owner__user=user).order_by("-id")


def version_counts(bots: Collection[Bot]) -> dict[int, int]:
    rows = BotVersion.objects.filter(bot__in=bots).order_by()
    return dict(rows.values_list("bot").annotate(count=Count("pk")))


def newest_versions(bots: Collection[Bot], most: int) -> dict[int, list[BotVersion]]:
    """Return up to ``most`` versions by the bot's primary key, newest first, with checks. Two queries."""
    rank = Window(RowNumber(), partition_by="bot", order_by=F("number").desc())
    rows = BotVersion.objects.filter(bot__in=bots).annotate(place=rank).filter(place__lte=most)
    versions: dict[int, list[BotVersion]] = {bot.pk: [] for bot in bots}
    for version in without_check_reports(rows.order_by("-number")):
        versions[version.bot_id].append(version)
    return versions


def selectable_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """Return the active, and the latest, version of each of an account's bots of a game. Two queries."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("pk")[:1]
    bots = list(bots_of(user, game).annotate(newest=Subquery(newest)).values_list("newest", "active_version"))
    version_ids = [pk for pair in bots for pk in pair if pk is not None]
    rows = BotVersion.objects.filter(pk__in=version_ids).select_related(
        "bot__owner__user", "bot__active_version"
    )
    return list(rows.order_by("bot__name", "-number")[:most])


def partner_versions(player: Player, game: str, most: int) -> list[BotVersion]:
    """Return the active versions of a player's public bots of a game, by name. One query."""
    rows = BotVersion.objects.filter(
        active_for__owner=player,
        active_for__game=game,
        active_for__visibility=Bot.Visibility.PUBLIC,
        state=BotVersion.State.READY,
    )
    return list(rows.select_related("bot__owner__user").order_by("bot__name")[:most])


def own_ready_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """Return an account's ready versions of a game, newest first, with bot and owner. One query."""
    rows = BotVersion.objects.filter(
        bot__owner__user=user, bot__game=game, state=BotVersion.State.READY
    ).select_related("bot__owner__user", "bot__active_version")
    return list(rows.order_by("-pk")[:most])


def others_active_versions(user: User, game: str, most: int) -> list[BotVersion]:
    """Return the active versions of other players' public bots of a game, by name. One query."""
    rows = BotVersion.objects.filter(
        active_for__game=game,
        active_for__visibility=Bot.Visibility.PUBLIC,
        state=BotVersion.State.READY,
    ).exclude(bot__owner__user=user)
    return list(rows.select_related("bot__owner__user", "bot__active_version").order_by("bot__name")[:most])


def house_bots_ready(game: str) -> list[Bot]:
    """Return the public house bots of a game whose active version is ready, by name. One query."""
    owner = "owner__user__username"
    of_house = Q(**{owner: HOUSE_USERNAME}) | Q(**{f"{owner}__startswith": f"{HOUSE_USERNAME}-"})
    rows = Bot.objects.filter(
        of_house,
        game=game,
        visibility=Bot.Visibility.PUBLIC,
        active_version__state=BotVersion.State.READY,
    )
    return list(rows.select_related("owner__user", "active_version__bot__owner__user").order_by("name", "pk"))


def version_with_bundle(bot: Bot, bundle_sha256: str) -> BotVersion | None:
    """Return the latest version of a bot with this bundle that is neither rejected nor retired.

    Call it inside a transaction: it locks the bot's row.
    """
    list(Bot.objects.select_for_update().filter(pk=bot.pk).values_list("pk"))
    given_up = (BotVersion.State.REJECTED, BotVersion.State.RETIRED)
    rows = bot.versions.filter(bundle_sha256=bundle_sha256).exclude(state__in=given_up)
    return rows.select_related("bot__owner").order_by("-number").first()


def versions_uploaded_by(user: User) -> QuerySet[BotVersion]:
    """Return the versions that the account uploaded, without archives that were rejected unread."""
    return BotVersion.objects.filter(bot__owner__user=user).exclude(bundle_sha256="")


def newest_version(bot: Bot, viewer: User) -> BotVersion | None:
    """Return the latest version of a bot that the viewer may see, or None."""
    return versions_of(bot, viewer).first()


def active_versions(owner: User, at_most: int) -> list[int]:
    """Return the primary keys of the active versions of an account's newest bots. One query."""
    bots = Bot.objects.filter(owner__user=owner, active_version__isnull=False).order_by("-id")
    return list(bots.values_list("active_version", flat=True)[:at_most])


def has_bots(user: User) -> bool:
    return Bot.objects.filter(owner__user=user).exists()


def unsettled_versions(user: User, most: int) -> list[BotVersion]:
    """Return an account's newest versions that are in a check, suspended, or the latest and rejected."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("number")[:1]
    open_states = (BotVersion.State.UPLOADED, BotVersion.State.CHECKING, BotVersion.State.SUSPENDED)
    failed = Q(state=BotVersion.State.REJECTED, number=Subquery(newest))
    rows = BotVersion.objects.filter(failed | Q(state__in=open_states), bot__owner__user=user)
    return list(without_check_reports(rows.select_related("bot")).order_by("-id")[:most])


def bots_named(bots: QuerySet[Bot], name: str) -> QuerySet[Bot]:
    """Filter bots by name, ignoring case and width: at most one per owner."""
    return bots.filter(name_key=name_folded(name))


def handle_find(handle: str) -> str | None:
    """Return the existing handle that equals this one, else the only one that differs in case, or None."""
    player = row_named(Player.objects.only("handle"), "handle", handle)
    return player.handle if player else None


def handle_of(user: User) -> str | None:
    """Return the account's handle; None if it is not a player. One query."""
    return Player.objects.filter(user=user).values_list("handle", flat=True).first()


def version_get(public_id: str, viewer: Viewer) -> BotVersion:
    """Return a version. Raises NotFound (``version_not_found``)."""
    version = versions_visible_to(viewer).filter(public_id=public_id).first()
    if version is None:
        raise NotFound(f"There is no version {quoted(public_id)} that you can see.", "version_not_found")
    return version


def check_latest(version: BotVersion, viewer: Viewer) -> CheckRun:
    """Return the latest check of a version. Raises Forbidden (``not_owner``)."""
    if not may_read_private(viewer, version.bot):
        raise Forbidden("Only the bot's owner and staff can see its checks.", "not_owner")
    return version.checks.order_by("-attempt")[0]


def waiting_reason(version: BotVersion) -> str:
    """Return why the version's waiting check cannot start, or "". No query if the checks are loaded."""
    latest = next(iter(version.checks.all()), None)
    return latest.waiting_reason if latest is not None else ""


SUSPENSION_REMEDIES = (
    "To fix this, upload a corrected version, or request a new check of this one (at most once a day), which "
    "ends the suspension if it passes."
)
"""Advice to the owner of a suspended version."""


def version_suspended_error(version: BotVersion, verb: str) -> Conflict:
    address = f"/api/v1/versions/{version.public_id}"
    return Conflict(
        f"Cannot {verb} {version}: it is suspended because {version.suspended_reason}. {SUSPENSION_REMEDIES}",
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
"""Maximum words of a search; further words are ignored."""


def matching_rows(rows: QuerySet[Rows], query: str, *columns: str) -> QuerySet[Rows]:
    """Filter rows: every word of the query must occur in one of the columns, ignoring case."""
    for word in query.replace("\0", "\ufffd").split()[:MAX_SEARCH_WORDS]:
        condition = Q()
        for column in columns:
            condition |= Q(**{f"{column}__icontains": word})
        rows = rows.filter(condition)
    return rows


def order_by_relevance(rows: QuerySet[Rows], query: str, column: str) -> QuerySet[Rows]:
    """Order rows of a search by name: exact matches, then prefixes, then others; short names first."""
    text = " ".join(query.replace("\0", "\ufffd").split())
    nearness = Case(
        When(**{f"{column}__iexact": text}, then=Value(0)),
        When(**{f"{column}__istartswith": text}, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return rows.order_by(nearness, Length(column), column, "-pk")


def bot_counts(players: list[Player], viewer: Viewer) -> dict[int, int]:
    rows = bots_visible_to(viewer).filter(owner__in=players)
    return dict(rows.order_by().values_list("owner").annotate(count=Count("pk")))
