"""The list of bots: one's own first, then everybody's."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from django.core.paginator import Page, Paginator

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.matches.fixture_selectors import fault_counts
from arena.roster.models import Bot
from arena.roster.selectors import bots_of_others, bots_with_latest
from arena.web.bot import VersionLine, version_line

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
    own = None
    if isinstance(viewer, User):
        bots = bots_with_latest(viewer)
        faults = fault_counts([version for _, version in bots if version is not None])
        own = [BotLine(bot, version_line(latest, bot, faults) if latest else None) for bot, latest in bots]
    others = Paginator(bots_of_others(viewer), BOTS_A_PAGE).get_page(page)
    return BotList(own, [BotLine(bot, None) for bot in others.object_list], others)
