"""Rows and sort links of the lists of bots and players. Python, as in ``lines``; all values are escaped."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from django import template
from django.utils.dateformat import format as dated
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.common.game_titles import game_name
from arena.features.ratings.panels.summaries import HEIGHT_PX, WIDTH_PX, RatingSummary, Sparkline
from arena.roster.models import Bot
from arena.standings.last_results import LastResult
from arena.web.base.bidi import bdi
from arena.web.base.list_parameters import NAME, ListRequest
from arena.web.base.page_addresses import address_builder
from arena.web.bots.bot_list import BotRow
from arena.web.bots.players import PlayerRow
from arena.web.templatetags.lines import QUIET_DASH

register = template.Library()


@register.simple_tag
def sort_head(request: ListRequest, order: str, title: str, classes: str = "") -> SafeString:
    """Return the head of a column; a link orders the list by it."""
    direction = ""
    if request.sort == order:
        direction = ' aria-sort="ascending"' if order == NAME.name else ' aria-sort="descending"'
    return format_html(
        '<th scope="col"{}{}><a href="{}">{}</a></th>',
        format_html(' class="{}"', classes) if classes else "",
        mark_safe(direction),
        request.address(sort=order),
        title,
    )


@register.simple_tag
def curve(sparkline: Sparkline | None) -> SafeString:
    """Draw the curve of a season; nothing before its second point."""
    if sparkline is None:
        return SafeString("")
    return format_html(
        '<svg class="site-curve" width="{}" height="{}" role="img" aria-label="{}"><path d="{}"/></svg>',
        WIDTH_PX,
        HEIGHT_PX,
        sparkline.description,
        sparkline.path,
    )


@register.simple_tag
def day(moment: datetime.datetime) -> SafeString:
    """Return the date in UTC as ``<time>``."""
    utc = moment.astimezone(datetime.UTC)
    text = dated(utc, pgettext("date", "j M Y"))
    return format_html('<time datetime="{}">{}</time>', utc.date().isoformat(), text)


@register.simple_tag
def rank_text(rating: RatingSummary) -> str:
    return _("rank %(ranks)s of %(count)d") % {"ranks": rating.ranks, "count": rating.rated}


def rating_cells(rating: RatingSummary | None, *, with_bot: bool = False) -> str:
    """Return the cells of rating and season."""
    label, season = escape(_("Rating")), escape(_("Season"))
    if rating is None:
        return (
            f'<td data-label="{label}"><span class="quiet">{escape(_("not rated"))}</span></td>'
            f'<td data-label="{season}">{QUIET_DASH}</td>'
        )
    bot = f'<span class="player">{bdi(rating.bot.name)} v{rating.bot.number}</span> ' if with_bot else ""
    return (
        f'<td data-label="{label}"><span><b class="num" title="{escape(rating.interval)}">'
        f"{escape(rating.value)}</b> {bot}{escape(rank_text(rating))} "
        f'<a class="small" href="{rating.page}">{escape(rating.title)}</a></span></td>'
        f'<td data-label="{season}">{curve(rating.sparkline) or QUIET_DASH}</td>'
    )


def result_cell(last: LastResult | None, page: SafeString | None) -> str:
    label = escape(_("Last result"))
    if last is None:
        return f'<td data-label="{label}">{QUIET_DASH}</td>'
    text = pgettext("result of an event", "%(rank)d of %(count)d") % {"rank": last.rank, "count": last.field}
    return (
        f'<td data-label="{label}"><span>{escape(text)} '
        f'<a class="player" href="{page}">{bdi(last.name)}</a></span></td>'
    )


@register.simple_tag
def bot_rows(rows: Sequence[BotRow], with_player: bool = True) -> SafeString:
    game, active = escape(_("Game")), escape(_("Last active"))
    private = format_html(' <span class="tag">{}</span>', _("private"))
    own = format_html(' <span class="tag">{}</span>', _("yours"))
    bot_page, player_page = address_builder("web:bot"), address_builder("web:player")
    event_page = address_builder("web:tournament")

    def player(handle: str) -> str:
        return f' <a class="player" href="{player_page(handle)}">{escape(handle)}</a>' if with_player else ""

    return mark_safe(
        "\n".join(
            f'<tr><th scope="row"><a href="{bot_page(row.bot.public_id)}">{bdi(row.bot.name)}</a>'
            f"{own if row.is_own else ''}{private if row.bot.visibility == Bot.Visibility.PRIVATE else ''}"
            f"{player(row.bot.owner.handle)}</th>"
            f'<td data-label="{game}">{escape(game_name(row.bot.game))}</td>'
            f"{rating_cells(row.rating)}{result_cell(row.last, row.last and event_page(row.last.tournament))}"
            f'<td data-label="{active}">{day(row.active_at) if row.active_at else QUIET_DASH}</td></tr>'
            for row in rows
        )
    )


@register.simple_tag
def player_rows(rows: Sequence[PlayerRow]) -> SafeString:
    bots, events, active = escape(_("Bots")), escape(_("Tournaments")), escape(_("Last active"))
    own = format_html(' <span class="tag">{}</span>', _("you"))
    player_page, event_page = address_builder("web:player"), address_builder("web:tournament")
    return mark_safe(
        "\n".join(
            f'<tr><th scope="row"><a href="{player_page(row.player.handle)}">'
            f"{escape(row.player.handle)}</a>{own if row.is_own else ''}</th>"
            f"{rating_cells(row.rating, with_bot=True)}"
            f"{result_cell(row.last, row.last and event_page(row.last.tournament))}"
            f'<td class="n" data-label="{bots}">{row.bots:d}</td>'
            f'<td class="n" data-label="{events}">{row.events:d}</td>'
            f'<td data-label="{active}">{day(row.active_at) if row.active_at else QUIET_DASH}</td></tr>'
            for row in rows
        )
    )
