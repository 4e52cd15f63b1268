"""The parts of a tournament's page that change, each with a version of its own, so that followers are sent
only those that differ from what they have: by the stream, or where it does not carry them by an answer.

A part is rendered once per version, the same for everybody who may see the tournament; those of one visitor
are never cached.
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
from arena.common.process_cache import Key, process_cache
from arena.competition.entries.entering import is_open_for_entry
from arena.competition.models import Tournament
from arena.competition.problem_reports import REPORTABLE_STATES, ReportCounts, report_counts
from arena.competition.selectors import ENDED_STATES, may_organise, public_tournament
from arena.matches.changes import Change, change_as_read, settled_version
from arena.streams.changes import RenderedParts
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.drawing.visitor_parts import held_back_tables, own_entries
from arena.web.tournaments.event import (
    EventContext,
    build_shown_rounds,
    conditions_context,
    head_context,
    load_event,
    results_context,
)
from arena.web.tournaments.verbs import visible_actions

OWN_PART = "own"
VERSION_DIGITS = 12

PartTexts = list[tuple[str, str, str]]
"""Name, version and text of some parts."""


class LivePart(NamedTuple):
    """A part of the page."""

    name: str
    version: str
    """Of its content: equal for equal contents."""
    html: str

    @property
    def version_key(self) -> str:
        """What a page sends that has this version."""
        return f"{self.name}.{self.version}"

    @property
    def block(self) -> SafeString:
        """As it stands in the page."""
        return self._element("")

    @property
    def update(self) -> SafeString:
        """As it is sent to a page that has another version."""
        return self._element(' hx-swap-oob="outerMorph"')

    def _element(self, attributes: str) -> SafeString:
        return format_html(
            '<div class="part" id="live-{}"{}>'
            '<input type="hidden" class="part-version" name="have" value="{}">{}</div>',
            self.name,
            mark_safe(attributes),  # one of the two above
            self.version_key,
            mark_safe(self.html),  # rendered from a template
        )


def render_parts(tournament: Tournament, change: Change) -> dict[str, LivePart]:
    """All parts that are the same for everybody, by name; ``change`` is the tournament's as it was read."""
    frame = functools.cache(lambda: load_event(tournament))

    def rendered(render: Callable[[EventContext], dict[str, str]], revision: str) -> PartTexts:
        key = Key((render.__name__, tournament.public_id), revision, language=get_language())
        return process_cache.get_or_build(key, lambda: _with_versions(render(frame())), max_age_s=MAX_AGE_S)

    parts = [*rendered(_settled_parts, settled_version(tournament)), *rendered(_moving_parts, change.version)]
    return {name: LivePart(name, version, html) for name, version, html in parts}


def render_shared_parts(tournament_pk: int, language: str) -> RenderedParts | None:
    """What a stream sends to all pages of a tournament; None unless everybody may see it."""
    tournament = public_tournament(tournament_pk)
    if tournament is None:
        return None
    change = change_as_read(tournament)
    with translation.override(language):
        parts = render_parts(tournament, change)
    return RenderedParts(change, tuple((part.version_key, part.update) for part in parts.values()))


def render_own_part(request: HttpRequest, tournament: Tournament) -> LivePart | None:
    """The visitor's own: entries with what may be done with them, and for its organiser what is held back.

    None for a stranger. Three queries at most.
    """
    if not isinstance(request.user, User):
        return None
    own = own_entries(tournament, request.user)
    quarantined = held_back_tables(tournament) if may_organise(request.user, tournament) else []
    reports = _reports(tournament, request.user, is_party=bool(own))
    may_report = tournament.state in REPORTABLE_STATES
    # Not of the text, in which a fresh token stands each time.
    verbs, is_open = visible_actions(tournament, request.user), is_open_for_entry(tournament, request.user)
    content = (own, quarantined, reports, may_report, is_open, [verb.name for verb in verbs], get_language())
    version = _digest(repr(content))
    context = {
        "tournament": tournament,
        "own": own,
        "held_back": quarantined,
        "reports": reports,
        "may_report": may_report,
        "verbs": verbs,
        "is_open": is_open,
    }
    return LivePart(OWN_PART, version, render_to_string("web/_own.html", context, request))


def _reports(tournament: Tournament, user: User, *, is_party: bool) -> ReportCounts | None:
    """How many problems were reported; None for strangers, and before the first round. One query at most."""
    has_begun = (
        tournament.state in (*REPORTABLE_STATES, *ENDED_STATES) and tournament.kind == Tournament.Kind.EVENT
    )
    if not has_begun or not (is_party or may_organise(user, tournament)):
        return None
    return report_counts(tournament, user)


def changed_parts(parts: Collection[LivePart], have: Collection[str]) -> SafeString:
    """Those parts that the page does not have."""
    return mark_safe("".join(part.update for part in parts if part.version_key not in have))


def _settled_parts(frame: EventContext) -> dict[str, str]:
    """What changes only with the tournament's revision."""
    results = results_context(frame)
    context = _context(frame, results=results)
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
    """What changes with every board that is played."""
    return {
        "head": render_to_string("web/_head.html", _context(frame, head=head_context(frame))),
        "rounds": render_to_string("web/_rounds.html", _context(frame, rounds=build_shown_rounds(frame))),
    }


def _context(frame: EventContext, **more: Any) -> Mapping[str, Any]:
    return {"event": frame, "tournament": frame.tournament, **more}


def _with_versions(parts: Mapping[str, str]) -> PartTexts:
    return [(name, _digest(html), html) for name, html in parts.items()]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION_DIGITS]
