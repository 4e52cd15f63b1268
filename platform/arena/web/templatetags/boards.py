"""Crests, cards in text, the bar of pictures, and marks of plots."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.web.drawing.board_facts import PictureBar
from arena.web.drawing.plots import MARK_PX, PlotMark
from arena.web.drawing.sides import side_text
from viewer import cards
from viewer.games import deals_of
from viewer.scene import declaration_text
from viewer.shapes import ViewItem
from viewer.texts import viewer_texts

register = template.Library()

HALF_PICTURES = 8
"""Half of the sixteen pictures."""
CELL, GAP = 7, 4
"""Width of a cell with its space, and width of the gap in the middle, in px."""


@register.filter
def side(seats: Sequence[int]) -> str:
    return side_text(seats)


@register.simple_tag
def table_url(table: str) -> str:
    return reverse("web:table", args=[table])


@register.simple_tag
def round_text(stage: int, number: int, is_staged: bool) -> str:
    """Name a round inside a sentence; with its stage if the tournament has several."""
    if is_staged:
        return _("stage %(stage)d, round %(number)d") % {"stage": stage, "number": number}
    return _("round %(number)d") % {"number": number}


@register.simple_tag
def crests() -> SafeString:
    return mark_safe(cards.marks())


@register.simple_tag
def compare_url(game: str, fixture: str, board: int) -> str:
    """Return the address of the comparison of a fixture's tables; empty if the game has no replays."""
    return "" if deals_of(game) is None else reverse("web:compare", args=[fixture, board])


@register.simple_tag
def crest(number: int) -> SafeString:
    return mark_safe(cards.mark(number))


@register.simple_tag
def card_text(code: str) -> SafeString:
    return mark_safe(cards.card_text(code, viewer_texts(get_language() or "en")))


@register.simple_tag
def declared(item: ViewItem) -> str:
    """Return the text of a declaration before the first card."""
    return declaration_text(item, viewer_texts(get_language() or "en"))


@register.simple_tag
def pictures(bar: PictureBar) -> SafeString:
    """Draw sixteen cells with a gap in the middle; the first side's pictures fill them from the left."""

    def cells(count: int, first: int) -> str:
        path = ""
        for cell in range(first, count):
            path += f"M{cell * CELL + (GAP if cell >= HALF_PICTURES else 0) + 1} 2h5v10h-5z"
        return path

    both = bar.left + bar.right
    text = _("%(left)s pictures for %(seats)s, %(right)s for %(others)s") % {
        "left": bar.left,
        "right": bar.right,
        "seats": side_text(bar.left_seats),
        "others": side_text(bar.right_seats),
    }
    return format_html(
        '<span class="num">{}</span><svg class="pictures" viewBox="0 0 {} 14" role="img" aria-label="{}">'
        '<path class="pictures-full" d="{}"/><path class="pictures-empty" d="{}"/></svg>'
        '<span class="num">{}</span>',
        bar.left,
        2 * HALF_PICTURES * CELL + GAP,
        text,
        cells(bar.left, 0),
        cells(max(both, 2 * HALF_PICTURES), bar.left),
        bar.right,
    )


@register.simple_tag
def plot_mark(mark: PlotMark) -> SafeString:
    if mark.kind:
        letter = "ABCDEFGH"[int(mark.kind)]
        colour = letter.lower() if int(mark.kind) < 4 else "abcd"[int(mark.kind) - 4]
        return format_html(
            '<svg class="crest crest-{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title>'
            '<use href="#m-{}"/></svg>',
            colour,
            mark.x,
            mark.y,
            MARK_PX,
            MARK_PX,
            mark.text,
            letter,
        )
    return format_html(
        '<circle class="plot-dot" cx="{}" cy="{}" r="{}"><title>{}</title></circle>',
        mark.x + MARK_PX / 2,
        mark.y + MARK_PX / 2,
        MARK_PX / 2 - 2.5,
        mark.text,
    )
