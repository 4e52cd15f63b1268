"""Search by name; ids and URLs of positions lead directly to their pages.

Only names are searched, and meanings of terms if no name matches, so that no sealed content can be found.
Words match anywhere in a name, because Japanese has no spaces between words; a few thousand names take
milliseconds.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.accounts.selectors import Viewer
from arena.common.game_titles import game_name, preset_title
from arena.competition.models import Tournament
from arena.competition.players import players_visible_to
from arena.competition.selectors import tournaments_listed, tournaments_visible_to
from arena.competition.series.services import series_visible_to
from arena.features.remote.selectors import bots_listed, tables_listed
from arena.matches.lookups import contains_public_id, kind_of_id
from arena.roster.selectors import MAX_SEARCH_WORDS, bots_visible_to, order_by_relevance, versions_visible_to
from arena.web.base.documents.collection import headings
from arena.web.base.documents.rulebook import rules_entries
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State
from arena.web.base.text_search import contains_words, filter_by_words

MAX_QUERY_CHARACTERS = 100
"""Maximum characters of a query; the rest is cut."""
MAX_HITS_PER_GROUP = 5
_ADDRESS = re.compile(
    r"(?:https?://[^/ ]+)?(?:/?(?:remote/)?[a-z]+/)?(?P<id>[0-9a-z]{12,16})(?:/(?P<board>[0-9]{1,5}))?"
    r"(?:(?:#|\?at=)(?P<at>b[0-9]{1,5}[0-9a-z]{0,16}))?"
)
"""Matches an id, or a URL of this site with an id and possibly a position."""


class SearchHit(NamedTuple):
    name: str
    address: str
    facts: str


class SearchGroup(NamedTuple):
    key: str
    title: str
    hits: list[SearchHit]
    more: str
    """URL of the complete list; empty if all hits are included or there is no list."""


@dataclasses.dataclass(frozen=True)
class SearchResult:
    query: str
    groups: list[SearchGroup]


def search_site(query: str, viewer: Viewer) -> SearchResult:
    """Return visible objects whose names contain all words of the query. At most five queries.

    Without hits, return terms, presets and options whose meanings contain the words.
    """
    query = clean_query(query)
    if not query:
        return SearchResult("", [])
    players = [
        SearchHit(player.handle, reverse("web:player", args=[player.handle]), "")
        for player in order_by_relevance(
            filter_by_words(players_visible_to(viewer), query, "handle"), query, "handle"
        )[: MAX_HITS_PER_GROUP + 1]
    ]
    bots = _bot_hits(bots_visible_to(viewer), query, "web:bot")
    remote_bots = _bot_hits(bots_listed(), query, "web:remote-bot")
    tournaments = [
        SearchHit(
            tournament.name,
            reverse("web:tournament", args=[tournament.public_id]),
            f"{_rules_title(tournament)} · {TOURNAMENT_STATE_NAMES[State(tournament.state)]}",
        )
        for tournament in order_by_relevance(
            filter_by_words(tournaments_listed(viewer), query, "name"), query, "name"
        )[: MAX_HITS_PER_GROUP + 1]
    ]
    groups = [
        _group("bots", _("Bots"), bots, reverse("web:bots")),
        _group("remote_bots", _("Remote bots"), remote_bots, reverse("web:remote")),
        _group("players", _("Players"), players, reverse("web:players")),
        _group("tournaments", _("Tournaments"), tournaments, ""),
        _group("rules", _("Terms, presets and options"), _rules_hits(query), reverse("web:rules")),
        _group("documents", _("Rules and documentation"), _heading_hits(query), ""),
    ]
    if not any(group.hits for group in groups):
        # Names of terms are in Latin letters; Japanese words occur only in their meanings.
        meant = _rules_hits(query, in_meaning=True)
        groups = [_group("rules", _("Terms, presets and options"), meant, reverse("web:rules"))]
    return SearchResult(query, [group for group in groups if group.hits])


def _bot_hits(bots: QuerySet[Any], query: str, route: str) -> list[SearchHit]:
    """Return bots by their names and owners. ``route``: the page of one. One query."""
    rows = order_by_relevance(filter_by_words(bots, query, "name", "owner__handle"), query, "name")
    return [
        SearchHit(
            bot.name, reverse(route, args=[bot.public_id]), f"{game_name(bot.game)} · {bot.owner.handle}"
        )
        for bot in rows[: MAX_HITS_PER_GROUP + 1]
    ]


def direct_url(query: str, viewer: Viewer) -> str:
    """Return the page of a public id, or of a position such as ``7k2mq9xw4trb#b3t7``; else empty.

    At most nine queries by key; none if the query cannot be an id.
    """
    match = _ADDRESS.fullmatch(clean_query(query))
    if match is None:
        return ""
    public_id, board, position = match["id"], match["board"], match["at"]
    match kind_of_id(public_id, viewer):
        case "table":
            address = reverse("web:table", args=[public_id])
            return f"{address}?at={position}" if position else address
        case "fixture":
            return reverse("web:fixture", args=[public_id])
        case "board_set":
            number = int(board or ((position and re.match(r"b([0-9]+)", position)) or "01")[1])
            return reverse("web:board", args=[public_id, number])
    if contains_public_id(tournaments_visible_to(viewer), public_id):
        return reverse("web:tournament", args=[public_id])
    if contains_public_id(bots_visible_to(viewer), public_id):
        return reverse("web:bot", args=[public_id])
    if contains_public_id(versions_visible_to(viewer), public_id):
        return reverse("web:version", args=[public_id])
    if contains_public_id(series_visible_to(viewer), public_id):
        return reverse("web:cup", args=[public_id])
    if contains_public_id(bots_listed(), public_id):
        return reverse("web:remote-bot", args=[public_id])
    if contains_public_id(tables_listed(), public_id):
        return reverse("web:remote-table", args=[public_id])
    return ""


def clean_query(query: str) -> str:
    """Cut the query and remove control characters and redundant spaces.

    >>> clean_query(" Kita  " + chr(0) + "2 ")
    'Kita 2'
    """
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", query[:MAX_QUERY_CHARACTERS]).split())


def _rules_hits(query: str, *, in_meaning: bool = False) -> list[SearchHit]:
    """Return terms, presets and options whose names contain all words, shortest first. No query.

    With ``in_meaning``, search their meanings instead.
    """
    entries = [
        entry
        for entry in rules_entries(get_language() or "en")
        if contains_words(
            entry.meaning if in_meaning else f"{entry.name} {entry.title}", query, MAX_SEARCH_WORDS
        )
    ]
    entries.sort(key=lambda entry: len(entry.meaning if in_meaning else entry.name))
    return [
        SearchHit(
            entry.title or entry.name,
            entry.address,
            f"{entry.name if entry.title else _page_name(entry.page)} · {entry.meaning}",
        )
        for entry in entries[: MAX_HITS_PER_GROUP + 1]
    ]


def _rules_title(tournament: Tournament) -> str:
    return preset_title(tournament.preset, tournament.ruleset.get("seats"))


def _page_name(page: str) -> str:
    return _("Glossary") if page == "glossary" else game_name(page)


def _heading_hits(query: str) -> list[SearchHit]:
    """Return headings of documents and rules that contain all words, titles first. No query."""
    matching = [
        heading
        for heading in headings()
        if contains_words(heading.heading or heading.page, query, MAX_SEARCH_WORDS)
    ]
    matching.sort(key=lambda heading: (bool(heading.heading), len(heading.heading)))
    return [
        SearchHit(
            heading.heading or heading.page,
            heading.address,
            heading.page if heading.heading else _("Rules") if "/rules" in heading.address else _("Docs"),
        )
        for heading in matching[:MAX_HITS_PER_GROUP]
    ]


def _group(key: str, title: str, hits: list[SearchHit], all_of_them: str) -> SearchGroup:
    return SearchGroup(
        key, title, hits[:MAX_HITS_PER_GROUP], all_of_them if len(hits) > MAX_HITS_PER_GROUP else ""
    )
