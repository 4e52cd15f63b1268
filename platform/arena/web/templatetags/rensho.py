"""Times, counts, results, navigation and visitor data in templates."""

from __future__ import annotations

import datetime
import re
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.http import QueryDict
from django.template import Context
from django.template.base import NodeList, Parser, TextNode, Token
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.encoding import escape_uri_path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, pgettext

from arena.accounts.models import User
from arena.accounts.selectors import unread_notices_for
from arena.common.maintenance import MaintenanceState, maintenance_known
from arena.common.notes import Note, error_message_of, note_text
from arena.competition.models import Tournament
from arena.matches.models import BoardSet
from arena.standings import captions
from arena.web.base.figures import format_duration
from arena.web.base.language import LANGUAGE_PARAMETER, is_translated
from arena.web.base.states import format_count
from viewer.position_scene import Chip

register = template.Library()

PAGE_PARAMETERS = ("stage", "season", "list", "row", "column", "page", "boards", "tables")
"""Parameters that select the content of a page."""

STONE_LABELS = {"win": gettext_lazy("won"), "draw": gettext_lazy("drawn"), "loss": gettext_lazy("lost")}


@register.simple_tag
def when(moment: datetime.datetime) -> SafeString:
    """Return a time in UTC as ``<time>``; a script adds the local time."""
    utc = moment.astimezone(datetime.UTC)
    text = dated(utc, pgettext("date and time", "j M Y, H:i"))
    return format_html('<time datetime="{}">{} UTC</time>', utc.isoformat(timespec="seconds"), text)


@register.simple_tag
def since(moment: datetime.datetime) -> SafeString:
    """Return the time elapsed; a script keeps it current."""
    seconds = (timezone.now() - moment).total_seconds()
    return format_html(
        '<time class="clock" datetime="{0}" data-since="{0}">{1}</time>',
        moment.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        format_duration(seconds),
    )


@register.filter
def count(number: int, word: str) -> str:
    """``2|count:"entry"`` is ``2 entries``."""
    return format_count(number, word)


@register.filter
def noted(note: Note) -> str:
    """Return a note in the reader's language; an error message in it is marked as English."""
    why = error_message_of(note)
    if why is None:
        return note_text(note)
    before, _, after = note_text(note, why="\0").partition("\0")
    return format_html('{}<span lang="en">{}</span>{}', before, why, after)


@register.filter
def group_name(number: int) -> str:
    return captions.group_name(number)


@register.simple_tag
def stone(result: str) -> SafeString:
    """Draw a white stone for a win, a black one for a loss, a half one for a draw; empty for other values."""
    if result not in STONE_LABELS:
        return SafeString("")
    return format_html(
        '<svg class="stone" role="img" aria-label="{1}"><use href="#stone-{0}"></use></svg>',
        result,
        STONE_LABELS[result],
    )


@register.simple_tag
def stone_word(result: str) -> SafeString:
    """Draw the stone of a result with its word; empty for other values."""
    if result not in STONE_LABELS:
        return SafeString("")
    return format_html(
        '<svg class="stone" aria-hidden="true"><use href="#stone-{}"></use></svg> '
        '<span class="small">{}</span>',
        result,
        STONE_LABELS[result],
    )


@register.simple_tag
def chip(chip: Chip) -> SafeString:
    """Return a card or action, marked as legal, answered or played."""
    marks = (
        ("playing", bool(chip.suits)),
        ("red", chip.is_red),
        ("legal", chip.is_legal),
        ("answered", chip.is_answer),
        ("played", chip.is_played),
    )
    names = "".join(f" {name}" for name, is_so in marks if is_so)
    text = f"{chip.meaning} ({chip.code})" if chip.meaning and chip.suits else chip.meaning
    title = format_html(' title="{}"', text) if text else ""
    return format_html('<span class="chip{}"{}>{}</span>', names, title, chip.text)


class JoinedNode(template.Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> str:
        return self.nodelist.render(context)


@register.tag
def joined(parser: Parser, token: Token) -> JoinedNode:
    """Join the lines up to ``endjoined`` without spaces, except in values and HTML tags."""
    nodelist = parser.parse(("endjoined",))
    parser.delete_first_token()
    for node in nodelist.get_nodes_by_type(TextNode):
        assert isinstance(node, TextNode)
        node.s = re.sub(r"\n\s*", "", re.sub(r"(<[\w-]+)\n\s*", r"\1 ", node.s))
    return JoinedNode(nodelist)


@register.simple_tag(takes_context=True)
def current(context: Context, page: str, *below: str) -> SafeString:
    """Return ``aria-current`` for a navigation link to the present page, or to a page above it."""
    nav = context.get("nav")
    if not nav or nav not in (page, *below):
        return SafeString("")
    return format_html(' aria-current="{}"', "page" if nav == page else "true")


@register.simple_tag(takes_context=True)
def unread(context: Context) -> int:
    """Return the number of unread notices. One query for signed-in visitors, else none."""
    user = context.get("user")
    return unread_notices_for(user).count() if isinstance(user, User) else 0


@register.simple_tag
def maintenance() -> MaintenanceState | None:
    """Return the state in maintenance mode, else None. No query."""
    return maintenance_known()


@register.simple_tag(takes_context=True)
def sign_in(context: Context) -> str:
    """Return the sign-in URL that leads back to the present page."""
    address = reverse("web:sign-in")
    request = context.get("request")
    if request is None or request.method not in ("GET", "HEAD") or request.path == address:
        return address
    return f"{address}?{urlencode({'next': request.get_full_path()})}"


@register.simple_tag(takes_context=True)
def absolute(context: Context, address: str = "") -> str:
    """Return the absolute URL of a path, or of the present page."""
    request = context.get("request")
    return address if request is None else request.build_absolute_uri(address or None)


@register.simple_tag
def picture_url(tournament: Tournament, board_set: BoardSet | None = None, number: int = 0) -> str:
    """Return the path of the share picture of a tournament or of its opened board; empty without one.

    It has the language of the page. It changes with the tournament, since other sites keep pictures.
    """
    if tournament.visibility != Tournament.Visibility.PUBLIC or (board_set and board_set.is_sealed):
        return ""
    try:
        if board_set is None:
            page = reverse("web:picture-of-tournament", args=[tournament.public_id])
        else:
            page = reverse("web:picture-of-board", args=[board_set.public_id, number])
    except NoReverseMatch:
        return ""
    return f"{page}?v={tournament.revision}{_language_query()}"


def _language_query() -> str:
    """Return the parameter that selects the present language where cookies do not; empty for the default."""
    language = get_language() or settings.LANGUAGE_CODE
    return "" if language == settings.LANGUAGE_CODE else f"&{LANGUAGE_PARAMETER}={language}"


@register.simple_tag(takes_context=True)
def oembed_url(context: Context) -> str:
    """Return the address at which the present page's frame is described; empty for pages without one."""
    request = context.get("request")
    match = None if request is None else request.resolver_match
    if match is None or match.view_name not in ("web:board", "web:table"):
        return ""
    query = urlencode({"url": canonical(context, "", "at")})
    return absolute(context, f"/oembed?{query}{_language_query()}")


@register.simple_tag(takes_context=True)
def canonical(context: Context, address: str = "", *positions: str) -> str:
    """Return the canonical absolute URL of a path, or of the present page.

    Of the query, only parameters that select content remain, and those named in ``positions``.
    """
    request = context.get("request")
    if request is None or address:
        return absolute(context, address)
    parameters = [
        (name, request.GET[name]) for name in (*PAGE_PARAMETERS, *positions) if request.GET.get(name)
    ]
    query = f"?{urlencode(parameters)}" if parameters else ""
    return str(request.build_absolute_uri(f"{escape_uri_path(request.path)}{query}"))


@register.simple_tag(takes_context=True)
def other_languages(context: Context) -> list[tuple[str, str, str]]:
    """Return code, native name and URL of the present page in each other language."""
    request = context.get("request")
    if request is None or not is_translated(request.path):
        return []
    parameters = request.GET.copy() if request.method in ("GET", "HEAD") else QueryDict(mutable=True)
    languages = []
    for code, name in settings.LANGUAGES:
        if code != get_language():
            parameters[LANGUAGE_PARAMETER] = code
            languages.append((code, name, f"{request.path}?{parameters.urlencode()}"))
    return languages
