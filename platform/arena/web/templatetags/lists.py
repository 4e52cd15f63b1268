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


def rating_cells(
    rating: RatingSummary | None, game: str, progress: str, *, with_list: bool, bot: str = ""
) -> str:
    """Return the cells of rating, rank and season. On phones, the first is on the row's first line."""
    if rating is None:
        facts = " · ".join(filter(None, [game, progress])) or _("not rated")
        return f'<td></td><td class="brief-first"><span class="quiet">{escape(facts)}</span></td><td></td>'
    listed = f' <a class="small" href="{rating.page}">{escape(rating.title)}</a>' if with_list else ""
    change = f'<span class="num">{escape(rating.change)}</span>' if rating.change else ""
    return (
        f'<td class="n brief-first"><b title="{escape(rating.interval)}">{escape(rating.value)}</b> '
        f'<span class="small">{escape(rating.margin)}</span></td>'
        f"<td>{bot}{escape(rank_text(rating))}{listed}</td>"
        f'<td class="brief-no">{curve(rating.sparkline)} {change}</td>'
    )


def result_cell(last: LastResult | None, page: SafeString | None) -> str:
    if last is None:
        return "<td></td>"
    text = pgettext("result of an event", "%(rank)d of %(count)d") % {"rank": last.rank, "count": last.field}
    return f'<td>{escape(text)} <a class="player" href="{page}">{bdi(last.name)}</a></td>'


def activity_cell(moment: datetime.datetime | None) -> str:
    return f'<td class="brief-no">{day(moment) if moment else ""}</td>'


@register.simple_tag
def bot_rows(rows: Sequence[BotRow], with_player: bool = True, with_list: bool = True) -> SafeString:
    private = format_html(' <span class="tag">{}</span>', _("private"))
    own = format_html(' <span class="tag">{}</span>', _("yours"))
    bot_page, player_page = address_builder("web:bot"), address_builder("web:player")
    event_page = address_builder("web:tournament")

    def player(handle: str) -> str:
        return f' <a class="player" href="{player_page(handle)}">{escape(handle)}</a>' if with_player else ""

    def cells(row: BotRow) -> str:
        progress = row.progress if row.bot.active_version_id else _("no active version")
        return rating_cells(row.rating, game_name(row.bot.game), progress, with_list=with_list)

    return mark_safe(
        "\n".join(
            f'<tr><th scope="row"><a href="{bot_page(row.bot.public_id)}">{bdi(row.bot.name)}</a>'
            f"{own if row.is_own else ''}{private if row.bot.visibility == Bot.Visibility.PRIVATE else ''}"
            f"{player(row.bot.owner.handle)}</th>"
            f"{cells(row)}{result_cell(row.last, row.last and event_page(row.last.tournament))}"
            f"{activity_cell(row.active_at)}</tr>"
            for row in rows
        )
    )


@register.simple_tag
def player_rows(rows: Sequence[PlayerRow], with_list: bool = True) -> SafeString:
    bots, events = escape(_("Bots")), escape(_("Tournaments"))
    own = format_html(' <span class="tag">{}</span>', _("you"))
    player_page, event_page = address_builder("web:player"), address_builder("web:tournament")

    def cells(row: PlayerRow) -> str:
        bot = f"{bdi(row.rating.bot.name)} v{row.rating.bot.number} · " if row.rating else ""
        return rating_cells(row.rating, "", "", with_list=with_list, bot=bot)

    return mark_safe(
        "\n".join(
            f'<tr><th scope="row"><a href="{player_page(row.player.handle)}">'
            f"{escape(row.player.handle)}</a>{own if row.is_own else ''}</th>"
            f"{cells(row)}{result_cell(row.last, row.last and event_page(row.last.tournament))}"
            f'<td class="n{" brief-no" if row.rating else ""}" data-label="{bots}">{row.bots:d}</td>'
            f'<td class="n{" brief-no" if row.rating else ""}" data-label="{events}">{row.events:d}</td>'
            f"{activity_cell(row.active_at)}</tr>"
            for row in rows
        )
    )
