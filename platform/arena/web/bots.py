"""The list of bots: one's own first, then everybody's."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import bots_visible_to
from arena.web.bot import VersionLine, fault_counts, version_line

BOTS_A_PAGE = 50


class BotLine(NamedTuple):
    """One bot of the list."""

    bot: Bot
    latest: VersionLine | None
    """The last upload, for its owner; None for others and before the first."""


@dataclasses.dataclass(frozen=True)
class BotList:
    """One's own bots, and one page of the others."""

    own: list[BotLine] | None
    """None for whom nobody knows."""
    others: list[BotLine]
    page: Page[Bot]


def bot_list_of(viewer: Viewer, page: str = "1") -> BotList:
    """What the viewer may see; a number of queries that does not depend on how many there are."""
    visible = bots_visible_to(viewer).order_by("-id")
    own = None
    if isinstance(viewer, User):
        own = _own(visible.filter(owner__user=viewer))
        visible = visible.exclude(owner__user=viewer)
    shown = Paginator(visible, BOTS_A_PAGE).get_page(page)
    return BotList(own, [BotLine(bot, None) for bot in shown.object_list], shown)


def _own(bots: QuerySet[Bot]) -> list[BotLine]:
    """Bots with their last uploads. Four queries."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("pk")[:1]
    rows = list(bots.annotate(newest=Subquery(newest)))
    checks = CheckRun.objects.defer("report").order_by("-attempt")
    wanted = [bot.newest for bot in rows if bot.newest is not None]
    versions = BotVersion.objects.prefetch_related(Prefetch("checks", checks)).in_bulk(wanted)
    faults = fault_counts(versions.values())
    return [
        BotLine(bot, version_line(versions[bot.newest], bot, faults) if bot.newest in versions else None)
        for bot in rows
    ]
