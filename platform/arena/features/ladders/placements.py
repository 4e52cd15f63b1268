"""Services of placements: owners place and remove versions; the system places house bots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.house import REFERENCE_KIND, SEARCHING_KINDS, house_account_filter, house_username
from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.errors import Conflict, Forbidden, Invalid, quoted
from arena.competition.entries.admission import require_ready
from arena.features.ladders.models import Ladder, LadderSeason, Placement
from arena.roster.models import Bot, BotVersion

LeftReason = Placement.LeftReason
HOUSE_ACCOUNTS = tuple(house_username(kind) for kind in (REFERENCE_KIND, "rules", *SEARCHING_KINDS))
"""House bots on every ladder: greedy (the zero of the rating scale), rules, and searching bots."""


@transaction.atomic
def placement_create(
    actor: User, ladder: Ladder, version: BotVersion, season: str | None = None
) -> Placement:
    """Place a ready version, which plays from the next round on. Another version of the same bot leaves.

    ``season`` is the name of the expected season. Raises Forbidden (``not_owner``), Invalid
    (``wrong_game``; ``unknown_season``), Conflict (``ladder_disabled``; ``season_ended``; ``not_ready``,
    ``version_suspended``; ``already_placed``; ``ladder_quota_exceeded``).
    """
    bot = version.bot
    if bot.owner.user_id != actor.pk:
        raise Forbidden(
            f"{version} belongs to another player; only its owner can place it on a ladder.", "not_owner"
        )
    if bot.game != ladder.game:
        raise Invalid(
            f"{version} plays {bot.game}, but the ladder {ladder} plays {ladder.game}; choose a ladder of "
            f"{bot.game}.",
            "wrong_game",
            field="version",
        )
    if ladder.state != Ladder.State.ACTIVE:
        raise Conflict(
            f"The ladder {ladder} is no longer played here; choose another one.",
            "ladder_disabled",
            state=ladder.state,
        )
    _require_season(ladder, season)
    # Locked until the placement exists, so that concurrent requests are counted one after the other.
    User.objects.select_for_update().get(pk=actor.pk)
    require_ready(version)
    placed = Placement.objects.filter(ladder=ladder, left_at=None)
    if placed.filter(version=version).exists():
        raise Conflict(f"{version} is already on the ladder {ladder}.", "already_placed")
    most = settings.LADDERS.bots
    own = placed.filter(bot__owner=bot.owner).exclude(bot=bot)
    if own.count() >= most:
        names = [str(row.version) for row in own.select_related("version__bot")]
        raise Conflict(
            f"{most} of your bots are on the ladder {ladder}, which is the limit: take one of "
            f"{', '.join(names)} off first.",
            "ladder_quota_exceeded",
            limit=most,
            placed=names,
        )
    return _replace_placement(ladder, version, actor)


def _require_season(ladder: Ladder, name: str | None) -> None:
    if name is None:
        return
    running = ladder.seasons.filter(state=LadderSeason.State.RUNNING, ends_at__gt=timezone.now()).first()
    if running is not None and running.name == name:
        return
    known = ladder.seasons.filter(name=name).first()
    now = f"; {running.name} runs until {running.ends_at:%Y-%m-%d %H:%M} UTC" if running else ""
    if known is None:
        raise Invalid(
            f"The ladder {ladder} has no season {quoted(name)}{now}.", "unknown_season", field="season"
        )
    raise Conflict(
        f"The season {name} of the ladder {ladder} ended at {known.ends_at:%Y-%m-%d %H:%M} UTC{now}. "
        "Leave the season out.",
        "season_ended",
        season=name,
        running=running.name if running else None,
    )


def _replace_placement(ladder: Ladder, version: BotVersion, actor: User | None) -> Placement:
    """Place a version, and end the placement of the bot's other version. Call it inside a transaction."""
    before = Placement.objects.filter(ladder=ladder, bot=version.bot, left_at=None)
    placements_end(before.select_related("version__bot__owner__user", "ladder"), LeftReason.SUPERSEDED, actor)
    placed = Placement.objects.create(
        ladder=ladder, bot=version.bot, version=version, placed_by=actor, placed_at=timezone.now()
    )
    audit(actor, "place", placed, ladder=ladder.name, version=version.public_id)
    return placed


@transaction.atomic
def placement_end(placement: Placement, actor: User) -> None:
    """Remove a version after the current round. Raises Forbidden, Conflict (``already_left``)."""
    if placement.bot.owner.user_id != actor.pk and not is_staff(actor):
        raise Forbidden(
            f"{placement.version} belongs to another player; only its owner can remove it.", "not_owner"
        )
    if not placements_end([placement], LeftReason.TAKEN_OFF, actor):
        placement.refresh_from_db()
        raise Conflict(
            f"{placement.version} left the ladder {placement.ladder} at "
            f"{placement.left_at:%Y-%m-%d %H:%M} UTC: {placement.get_left_reason_display()}.",
            "already_left",
            reason=placement.left_reason,
        )


def placements_end(placements: Iterable[Placement], reason: LeftReason, actor: User | None) -> int:
    """End active placements; return their number. Call it inside a transaction."""
    ended, now = 0, timezone.now()
    for placement in placements:
        left = Placement.objects.filter(pk=placement.pk, left_at=None)
        if not left.update(left_at=now, left_reason=reason):
            continue
        placement.left_at, placement.left_reason = now, reason
        audit(actor, "leave", placement, ladder=placement.ladder.name, reason=str(reason))
        ended += 1
    return ended


def active_placements(ladder: Ladder) -> QuerySet[Placement]:
    rows = ladder.placements.filter(left_at=None).order_by("pk")
    return rows.select_related("version", "bot__owner__user", "ladder")


def house_bots_place(ladders: Iterable[Ladder]) -> int:
    """Place the active versions of the house bots on ladders of their games; return the number."""
    bots = Bot.objects.filter(
        owner__user__username__in=HOUSE_ACCOUNTS, active_version__state=BotVersion.State.READY
    ).select_related("active_version", "owner__user")
    house_bots = list(bots)
    placed = set(
        Placement.objects.filter(bot__in=house_bots, left_at=None).values_list("ladder", "version").order_by()
    )
    count = 0
    for ladder in ladders:
        for bot in house_bots:
            version = bot.active_version
            if version is None or bot.game != ladder.game or (ladder.pk, version.pk) in placed:
                continue
            version.bot = bot
            with transaction.atomic():
                _replace_placement(ladder, version, None)
            count += 1
    return count


def ladders_with_players(ladders: Sequence[Ladder]) -> list[Ladder]:
    """Filter to ladders with at least one version of a player. One query."""
    placed = Placement.objects.filter(left_at=None).order_by()
    house = house_account_filter("bot__owner__user__")
    with_players = set(placed.exclude(house).values_list("ladder", flat=True))
    return [ladder for ladder in ladders if ladder.pk in with_players]
