"""Next steps for the owner of a version that has passed its check."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from arena.accounts.models import User
from arena.competition.entries.entering import tournaments_open_for
from arena.competition.games import presets_of
from arena.competition.models import Tournament
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import house_bots_ready
from arena.web.bots.bot import open_ladders

MAX_EVENTS = 3
RIVAL_KIND = "rules"


class NextSteps(NamedTuple):
    ladders: list[Any]
    """Rows of ``Ladder``: ladders of the game on which the bot has no version."""
    events: list[Tournament]
    """Tournaments open for entry, earliest closing first."""
    play_address: str
    """Page that opens a table against the version; empty unless it is public and active."""
    rival: Bot | None
    """House bot to challenge; None if none is ready."""


def next_steps(version: BotVersion, owner: User) -> NextSteps | None:
    """Return the next steps for the owner; None unless the version is ready. Three queries."""
    if version.state != BotVersion.State.READY:
        return None
    bot = version.bot
    is_active = bot.active_version_id == version.pk
    house = [rival for rival in house_bots_ready(bot.game) if rival.pk != bot.pk]
    by_kind = {rival.name.removeprefix(f"{bot.game}_"): rival for rival in house}
    may_be_played = is_active and bot.visibility == Bot.Visibility.PUBLIC
    return NextSteps(
        open_ladders(bot),
        tournaments_open_for(bot.game, owner, MAX_EVENTS),
        _play_address(version) if may_be_played else "",
        by_kind.get(RIVAL_KIND) or next(iter(house), None),
    )


def _play_address(version: BotVersion) -> str:
    chosen = {
        "preset": presets_of(version.bot.game)[0],
        "opponents": "public",
        "version": version.public_id,
    }
    try:
        return f"{reverse('web:play')}?{urlencode(chosen)}"
    except NoReverseMatch:
        return ""
