"""Rows that pages repeat hundreds of times: entries, standings, crosstables, lists.

Python renders them ten times faster than templates. All values are escaped.
"""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.process_cache import CacheKey, process_cache
from arena.web.base.bidi import bdi
from arena.web.base.labels import BotLabel, EntryLabel
from arena.web.base.wording import join_facts
from arena.web.drawing.crosstable import CrosstableCell, CrosstableHead, CrosstableRow
from arena.web.tournaments.ranking import RankingCell, RankingLine, TableShape

register = template.Library()

QUIET_DASH = '<span class="quiet">–</span>'


@register.simple_tag(name="entry")
def entry_html(label: EntryLabel) -> SafeString:
    key = CacheKey("entry", label, language=get_language())
    return process_cache.get_or_build(key, lambda: _entry(label))


def _entry(label: EntryLabel) -> SafeString:
    own = ""
    if label.is_organiser_entry:
        title, text = _("The organiser's own entry"), _("organiser")
        own = format_html(' <abbr class="own" title="{}">{}</abbr>', title, text)
    bots = mark_safe(" + ".join(map(_bot, label.bots)))
    # Without a verb, the name after two bots would look like the owner of the second.
    player = label.player
    if len(label.bots) > 1:
        player = _("entered by %(player)s") % {"player": player}
    return format_html('<span class="entry">{} <span class="player">{}{}</span></span>', bots, player, own)


def _bot(bot: BotLabel) -> SafeString:
    version = format_html('&nbsp;<span class="version">v{}</span>', bot.number)
    if not bot.page:
        return format_html("<b>{}</b>{}", bdi(bot.name), version)
    address = reverse("web:bot", args=[bot.page])
    return format_html('<a class="bot-name" href="{}">{}</a>{}', address, bdi(bot.name), version)


@register.simple_tag
def rank_line(line: RankingLine, with_id: bool, shape: TableShape) -> SafeString:
    by_lot = _("Lot %(lot)s, drawn from the tournament's secret. The lower number ranks first.")
    return format_html(
        '<tr{}><td class="n rank"{}>{}</td><th scope="row" class="entrant">{}{}</th>{}'
        '<td class="n{}">{}-{}-{}</td>{}{}{}</tr>',
        format_html(' id="rank-{}"', line.entry.id) if with_id else "",
        format_html(' title="{}"', by_lot % {"lot": line.by_lot}) if line.by_lot else "",
        line.rank,
        entry_html(line.entry),
        format_html('<span class="small decided">{}</span>', line.decided_by) if line.decided_by else "",
        format_html('<td class="n lesser">{}</td>', line.played) if shape.has_played else "",
        " deciding" if line.by_wins else "",
        line.won,
        line.drawn,
        line.lost,
        mark_safe("".join(map(_cell, line.cells))),
        format_html('<td class="lesser row-results">{}</td>', _results(line)) if shape.has_results else "",
        format_html('<td class="n lesser">{}</td>', line.faults) if shape.has_faults else "",
    )


def _results(line: RankingLine) -> SafeString:
    return format_html_join(
        " ", '<a href="{}" title="{}">{}</a>', ((each.href, each.meaning, each.text) for each in line.results)
    )


def _cell(cell: RankingCell) -> str:
    names = ["n"]
    if not cell.is_first:
        names.append("lesser")
    if cell.is_deciding:
        names.append("deciding")
    bar = ""
    if cell.bar:
        names.append("bar-cell")
        side = ' class="minus"' if cell.bar.is_negative else ""
        bar = (
            '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect{side} y="2" height="6" x="{cell.bar.x:.1f}" width="{cell.bar.width:.1f}"></rect></svg>'
        )
    title = f' title="{escape(cell.full)}"' if cell.full != cell.text else ""
    return f'<td class="{" ".join(names)}"{title}>{bar}{escape(cell.text)}</td>'


@register.simple_tag
def cross_head(head: CrosstableHead) -> SafeString:
    return format_html('<th scope="col" class="n" title="{}">{}</th>', _head_title(head), head.rank)


@register.simple_tag
def cross_line(line: CrosstableRow) -> SafeString:
    return format_html(
        '<tr><th scope="row" class="entrant" title="{}"><span class="n">{}</span>{}{}</th>{}</tr>',
        _head_title(line.head),
        line.head.rank,
        bdi(line.head.entry.name),
        format_html(' <span class="player">{}</span>', line.head.entry.player) if line.head.is_shared else "",
        mark_safe("".join(map(_crossing, line.crossings))),
    )


def _head_title(head: CrosstableHead) -> str:
    return join_facts([head.entry.name, head.entry.player])


def _crossing(crossing: CrosstableCell) -> str:
    if crossing.is_self:
        return '<td class="self"></td>'
    if not crossing.text:
        return f'<td class="quiet" title="{escape(_("not played"))}">·</td>'
    shade = f' class="{crossing.shade}"' if crossing.shade else ""
    return f'<td{shade} title="{escape(crossing.meaning)}">{escape(crossing.text)}</td>'
