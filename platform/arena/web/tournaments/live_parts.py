"""The parts of a tournament's page that change.

Each has its own version, so that clients receive only changed parts, by the stream or by polling. A part is
rendered once per version for all who may see the tournament. Parts of one visitor are not cached.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from arena.accounts.models import User
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.entries.entering import is_open_for_entry
from arena.competition.models import Tournament
from arena.competition.problem_reports import REPORTABLE_STATES, ReportCounts, report_counts
from arena.competition.selectors import ENDED_STATES, is_staff, may_organise, public_tournament
from arena.matches.changes import Change, change_as_read, settled_version
from arena.matches.workers import has_stalled
from arena.streams.changes import RenderedParts
from arena.web.base.labels import table_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.drawing.visitor_parts import held_back_tables, own_entries, own_meetings
from arena.web.tournaments.event import (
    EventContext,
    conditions_context,
    head_context,
    load_event,
    luck_panel,
    results_context,
    select_rounds,
)
from arena.web.tournaments.ranking import own_ranking
from arena.web.tournaments.summary import summary_text
from arena.web.tournaments.verbs import visible_actions

OWN_PART = "own"
VERSION_DIGITS = 12

PartTexts = list[tuple[str, str, str]]
"""Name, version and HTML of parts."""


class LivePart(NamedTuple):
    name: str
    version: str
    html: str

    @property
    def version_key(self) -> str:
        """Value of ``have`` with which a page names this version."""
        return f"{self.name}.{self.version}"

    @property
    def block(self) -> SafeString:
        """HTML for a whole page."""
        return self._element("")

    @property
    def update(self) -> SafeString:
        """HTML for a page with an older version."""
        return self._element(' hx-swap-oob="outerMorph"')

    def _element(self, attributes: str) -> SafeString:
        return format_html(
            '<div class="part" id="live-{}"{}>'
            '<input type="hidden" class="part-version" name="have" value="{}">{}</div>',
            self.name,
            mark_safe(attributes),  # a constant of block or update
            self.version_key,
            mark_safe(self.html),  # rendered from a template
        )


def render_parts(tournament: Tournament, change: Change) -> dict[str, LivePart]:
    """Return the shared parts by name; ``change`` is the tournament's change as read with it."""
    frame = functools.cache(lambda: load_event(tournament))

    def rendered(render: Callable[[EventContext], dict[str, str]], revision: str) -> PartTexts:
        key = CacheKey((render.__name__, tournament.public_id), revision, language=get_language())
        return process_cache.get_or_build(key, lambda: _with_versions(render(frame())), max_age_s=MAX_AGE_S)

    parts = [*rendered(_settled_parts, settled_version(tournament)), *rendered(_moving_parts, change.version)]
    return {name: LivePart(name, version, html) for name, version, html in parts}


def summary_of(tournament: Tournament) -> str:
    """Return the description for shared links, rendered once per revision and language."""
    key = CacheKey(("summary", tournament.public_id), settled_version(tournament), language=get_language())
    return process_cache.get_or_build(key, lambda: summary_text(load_event(tournament)), max_age_s=MAX_AGE_S)


def render_shared_parts(tournament_pk: int, language: str) -> RenderedParts | None:
    """Return the update for all streams of a tournament; None unless it is public."""
    tournament = public_tournament(tournament_pk)
    if tournament is None:
        return None
    change = change_as_read(tournament)
    with translation.override(language):
        parts = render_parts(tournament, change)
    return RenderedParts(change, tuple((part.version_key, part.update) for part in parts.values()))


def render_own_part(request: HttpRequest, tournament: Tournament) -> LivePart | None:
    """Return the visitor's part: own entries with actions, and held back tables for organisers.

    None for visitors who are not signed in. At most ten queries.
    """
    if not isinstance(request.user, User):
        return None
    own = own_meetings(tournament, own_entries(tournament, request.user))
    ranking = own_ranking(tournament, request.user, own)
    quarantined = held_back_tables(tournament) if may_organise(request.user, tournament) else []
    reports = _reports(tournament, request.user, is_party=bool(own))
    may_report = tournament.state in REPORTABLE_STATES
    # Not a hash of the HTML, which contains a new CSRF token each time.
    verbs, is_open = visible_actions(tournament, request.user), is_open_for_entry(tournament, request.user)
    is_stalled = is_staff(request.user) and has_stalled(tournament)
    content = (
        own,
        quarantined,
        reports,
        may_report,
        is_open,
        is_stalled,
        [verb.name for verb in verbs],
        get_language(),
        ranking,
    )
    version = _digest(repr(content))
    context = {
        "tournament": tournament,
        "own": own,
        "ranking": ranking,
        "table": table_label(tournament),
        "held_back": quarantined,
        "reports": reports,
        "may_report": may_report,
        "verbs": verbs,
        "is_open": is_open,
        "is_stalled": is_stalled,
    }
    return LivePart(OWN_PART, version, render_to_string("web/_own.html", context, request))


def _reports(tournament: Tournament, user: User, *, is_party: bool) -> ReportCounts | None:
    """Count problem reports; None for strangers, and before the first round. At most one query."""
    has_begun = (
        tournament.state in (*REPORTABLE_STATES, *ENDED_STATES)
        and tournament.kind == Tournament.Kind.TOURNAMENT
    )
    if not has_begun or not (is_party or may_organise(user, tournament)):
        return None
    return report_counts(tournament, user)


def changed_parts(parts: Collection[LivePart], have: Collection[str]) -> SafeString:
    """Return the HTML of parts whose version is not in ``have``."""
    return mark_safe("".join(part.update for part in parts if part.version_key not in have))


def _settled_parts(frame: EventContext) -> dict[str, str]:
    """Render the parts that change only with the tournament's revision."""
    results = results_context(frame)
    context = _context(frame, results=results, luck=luck_panel(frame))
    return {
        "enter": render_to_string("web/_enter.html", context),
        "contents": render_to_string("web/_contents.html", context),
        "results": render_to_string("web/_results.html", context),
        "crosstable": render_to_string("web/_crosstable_part.html", context),
        "conditions": render_to_string(
            "web/_conditions.html", {"event": conditions_context(frame), "tournament": frame.tournament}
        ),
    }


def _moving_parts(frame: EventContext) -> dict[str, str]:
    """Render the parts that change with every board played."""
    return {
        "head": render_to_string("web/_head.html", _context(frame, head=head_context(frame))),
        "rounds": render_to_string("web/_rounds.html", _context(frame, rounds=select_rounds(frame))),
    }


def _context(frame: EventContext, **more: Any) -> Mapping[str, Any]:
    return {"event": frame, "tournament": frame.tournament, **more}


def _with_versions(parts: Mapping[str, str]) -> PartTexts:
    return [(name, _digest(html), html) for name, html in parts.items()]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION_DIGITS]
