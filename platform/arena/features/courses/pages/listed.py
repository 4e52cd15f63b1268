"""Rankings of a course as pages show them."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.game_titles import preset_title
from arena.features.courses.models import CourseRanking, RankedLine
from arena.roster.models import Bot
from arena.web.base.figures import format_rounded
from arena.web.base.wording import join_facts


class ShownLine(NamedTuple):
    rank: str
    """Range of plausible ranks; empty without a rating."""
    bot: str
    bot_address: str
    """Empty for a private bot of another member."""
    player: str
    rating: str
    interval: str
    fixtures: int
    boards: int
    is_own: bool
    has_partners: bool


def ranking_title(ranking: CourseRanking) -> str:
    facts = [preset_title(ranking.preset, ranking.seats)]
    if ranking.board_kind == "game":
        facts.append(_("game boards"))
    return join_facts(facts)


def ranked_line(line: RankedLine, viewer: User) -> ShownLine:
    bot = line.version.bot
    is_own = bot.owner.user_id == viewer.pk
    is_shown = is_own or bot.visibility == Bot.Visibility.PUBLIC
    return ShownLine(
        _rank_range(line),
        f"{bot.name} v{line.version.number}",
        f"/bots/{bot.public_id}" if is_shown else "",
        bot.owner.handle,
        "" if line.estimate is None else format_rounded(line.estimate),
        ""
        if line.low is None or line.high is None
        else _("%(low)s to %(high)s") % {"low": format_rounded(line.low), "high": format_rounded(line.high)},
        line.fixtures,
        line.boards,
        is_own,
        line.partner == "other",
    )


def _rank_range(line: RankedLine) -> str:
    if line.rank_low is None or line.rank_high is None:
        return ""
    return str(line.rank_low) if line.rank_low == line.rank_high else f"{line.rank_low}–{line.rank_high}"
