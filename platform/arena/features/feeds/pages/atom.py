"""Atom feeds of the site, a tournament, a cup, a player and a bot. Feeds have no session."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, NamedTuple
from xml.sax.xmlreader import AttributesImpl

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed, Stylesheet, get_tag_uri
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import require_safe

from arena.common.names import row_named
from arena.competition.models import Statement
from arena.competition.players import entries_of_player, player_unknown, players_visible_to
from arena.competition.selectors import entries_of_bot, tournament_get
from arena.competition.series.services import series_get
from arena.features.feeds.pages.cached import File, cached_file
from arena.features.feeds.selectors import (
    MAX_ITEMS,
    PlayedEvent,
    closed_rounds,
    public_statements,
    published_versions,
    results_of,
    statements_of,
    statements_of_series,
)
from arena.roster.models import BotVersion
from arena.roster.selectors import bot_get, bots_visible_to
from arena.web.base.errors import handle_errors

ATOM = File("application/atom+xml; charset=utf-8")
MAX_SUMMARY = 500
"""Characters of a tournament's description in a feed."""
EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""Date of a feed without entries."""


class Item(NamedTuple):
    path: str
    """Address on this site, with a fragment that is unique in the feed."""
    title: str
    at: datetime.datetime
    summary: str = ""


class Feed(Atom1Feed):
    """A feed with a style sheet for browsers. Its date does not change while it has no entries."""

    def write(self, outfile: Any, encoding: str) -> None:
        """Write the document; the base class writes style sheets only for RSS."""
        handler = SimplerXMLGenerator(outfile, encoding, short_empty_elements=True)
        handler.startDocument()
        handler.processingInstruction("xml-stylesheet", str(Stylesheet(static("feeds/feed.css"))))
        handler.startElement("feed", AttributesImpl(self.root_attributes()))
        self.add_root_elements(handler)
        self.write_items(handler)
        handler.endElement("feed")

    def latest_post_date(self) -> datetime.datetime:
        return super().latest_post_date() if self.items else EPOCH


@require_safe
@handle_errors
def site(request: HttpRequest) -> HttpResponseBase:
    def items() -> list[Item]:
        return [_statement_item(row, with_name=True) for row in public_statements()]

    return _feed(request, "Rensho", reverse("web:home"), items)


@require_safe
@handle_errors
def tournament(request: HttpRequest, public_id: str) -> HttpResponseBase:
    row = tournament_get(public_id, None)

    def items() -> list[Item]:
        entries = [_statement_item(statement, with_name=False) for statement in statements_of(row)]
        for closed in closed_rounds(row):
            path = reverse("web:round", args=[row.public_id, closed.stage, closed.number])
            title = _("Round %(number)d is open") % {"number": closed.number}
            entries.append(Item(path, title, closed.closed_at, _("The results and all deals can be seen.")))
        return entries

    return _feed(request, row.name, reverse("web:tournament", args=[row.public_id]), items, row.revision)


@require_safe
@handle_errors
def cup(request: HttpRequest, public_id: str) -> HttpResponseBase:
    series = series_get(public_id, None)

    def items() -> list[Item]:
        return [_statement_item(row, with_name=True) for row in statements_of_series(series)]

    return _feed(request, series.name, reverse("web:cup", args=[series.public_id]), items)


@require_safe
@handle_errors
def player(request: HttpRequest, handle: str) -> HttpResponseBase:
    row = row_named(players_visible_to(None), "handle", handle)
    if row is None:
        raise player_unknown(handle)

    def items() -> list[Item]:
        entries = entries_of_player(row, bots_visible_to(None).filter(owner=row), None)
        return [_result_item(played) for played in results_of(entries)]

    return _feed(request, row.handle, reverse("web:player", args=[row.handle]), items)


@require_safe
@handle_errors
def bot(request: HttpRequest, public_id: str) -> HttpResponseBase:
    row = bot_get(public_id, None)

    def items() -> list[Item]:
        versions = [_version_item(version) for version in published_versions(row)]
        return versions + [_result_item(played) for played in results_of(entries_of_bot(row, None))]

    return _feed(request, row.name, reverse("web:bot", args=[row.public_id]), items)


def _feed(
    request: HttpRequest, title: str, page: str, items: Callable[[], list[Item]], revision: object = None
) -> HttpResponseBase:
    def build() -> bytes:
        address = request.build_absolute_uri(page)
        feed = Feed(
            title=title if title == "Rensho" else f"{title} · Rensho",
            link=address,
            description="",
            language=get_language() or "en",
            feed_url=request.build_absolute_uri(request.path),
            author_name="Rensho",
            feed_guid=get_tag_uri(address, EPOCH),
        )
        newest = sorted(items(), key=lambda item: item.at, reverse=True)[:MAX_ITEMS]
        for item in newest:
            link = request.build_absolute_uri(item.path)
            feed.add_item(
                title=item.title,
                link=link,
                description=item.summary,
                unique_id=get_tag_uri(link, item.at),
                pubdate=item.at,
                updateddate=item.at,
            )
        return feed.writeString("utf-8").encode()

    return cached_file(request, ATOM, build, revision)


def _statement_item(statement: Statement, *, with_name: bool) -> Item:
    titles = {
        Statement.Kind.OPENED: _("Entry is open"),
        Statement.Kind.LOCKED: _("The field is fixed"),
        Statement.Kind.FINAL: _("The results are final"),
        Statement.Kind.CANCELLED: _("The tournament was cancelled"),
    }
    title = titles[Statement.Kind(statement.kind)]
    row = statement.tournament
    if with_name:
        title = _("%(name)s: %(text)s") % {"name": row.name, "text": title}
    path = reverse("web:tournament", args=[row.public_id])
    return Item(f"{path}#{statement.kind}", title, statement.published_at, row.description[:MAX_SUMMARY])


def _result_item(played: PlayedEvent) -> Item:
    row = played.entry.tournament
    names = " + ".join(version.bot.name for version in played.entry.versions())
    values = {"name": row.name, "rank": played.rank, "count": played.entries}
    return Item(
        f"{reverse('web:tournament', args=[row.public_id])}#{played.entry.public_id}",
        _("%(name)s: place %(rank)d of %(count)d") % values,
        row.revealed_at or row.state_at,
        names,
    )


def _version_item(version: BotVersion) -> Item:
    """Describe a version, dated by its upload, which later checks do not change."""
    title = _("Version %(number)d") % {"number": version.number}
    return Item(reverse("web:version", args=[version.public_id]), title, version.created_at)
