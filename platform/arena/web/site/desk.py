"""The desk: pending decisions, running activities, and unread notices of an account."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.accounts.models import User
from arena.accounts.selectors import unread_notices_for
from arena.competition.account_overview import (
    active_entries,
    active_organised_tournaments,
    tournaments_invited_to,
)
from arena.competition.models import Entry, Tournament
from arena.competition.problem_reports import open_report_counts
from arena.features.analysis.panels.costly import costly_lines
from arena.features.experiments.panels.summary import experiment_row
from arena.features.experiments.selectors import experiments_live
from arena.matches.fixture_selectors import quarantined_counts
from arena.roster.selectors import active_versions, has_bots, unsettled_versions
from arena.standings.selectors import last_places
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.bots.bot import version_line
from arena.web.bots.event_results import place_of
from arena.web.drawing.visitor_parts import STATUS_LABELS, EntryButton, entry_buttons
from arena.web.site.desk_results import result_days
from arena.web.tournaments.overview import TournamentItem, tournament_items

MAX_LINES = 30
"""Maximum lines per list; other pages have the complete lists."""
MAX_NEWS = 12
MAX_COSTLY = 5
MAX_RESULTS = 12
BRIEF_LINES = 3
"""Maximum lines in progress, and results, of the desk on the home page."""
State = Tournament.State


class DeskEntry(NamedTuple):
    id: str
    label: EntryLabel
    item: TournamentItem
    status: str
    buttons: list[EntryButton]
    place: str
    """Place so far, in the last stage with standings of it; empty without standings."""
    next_anchor: str = "desk"
    """Anchor to focus when the entry leaves the list: the next line, or the previous one."""


class PendingDecision(NamedTuple):
    item: TournamentItem
    held_back: int
    """Number of quarantined tables."""
    reports: int
    """Number of open problem reports."""


def desk_context(user: User, *, is_brief: bool = False) -> dict[str, Any]:
    """Return the lists of the desk; briefly, all open tasks but only a few other lines, and no notices."""
    entries = active_entries(user, MAX_LINES)
    organised = active_organised_tournaments(user, MAX_LINES)
    invitations = tournaments_invited_to(user, MAX_LINES)
    concerned = {entry.tournament_id: entry.tournament for entry in entries}
    items = tournament_items(
        [*{**concerned, **{event.pk: event for event in [*organised, *invitations]}}.values()]
    )
    ranks = last_places(entries) if entries else {}
    lines = [_desk_entry(entry, user, items[entry.tournament_id], ranks) for entry in entries]
    to_confirm = [line for line in lines if any(button.verb == "confirm" for button in line.buttons)]
    held_back_counts = quarantined_counts(organised) if organised else {}
    reports = open_report_counts(organised) if organised else {}
    decisions = [
        PendingDecision(items[event.pk], held_back_counts.get(event.pk, 0), reports.get(event.pk, 0))
        for event in organised
        if held_back_counts.get(event.pk) or reports.get(event.pk) or needs_organiser(items[event.pk])
    ]
    decided = {decision.item.tournament.pk for decision in decisions}
    versions = [version_line(version, version.bot, {}) for version in unsettled_versions(user, MAX_LINES)]
    unread = unread_notices_for(user)
    news = [] if is_brief else list(unread[:MAX_NEWS])
    waiting = {
        "asks": _set_next_anchors("ask", to_confirm),
        "invitations": [items[event.pk] for event in invitations],
        "versions": [line for line in versions if not line.is_unsettled],
        "decisions": decisions,
    }
    most = BRIEF_LINES if is_brief else MAX_LINES
    going_on = {
        "checks": [line for line in versions if line.is_unsettled][:most],
        "entries": _set_next_anchors("entry", [line for line in lines if line not in to_confirm][:most]),
        "running": [items[event.pk] for event in organised if event.pk not in decided][:most],
        "experiments": [experiment_row(event) for event in experiments_live(user, most)],
    }
    return {
        **waiting,
        **going_on,
        "waits": any(waiting.values()),
        "goes_on": any(going_on.values()),
        "results": result_days(user, BRIEF_LINES if is_brief else MAX_RESULTS),
        "news": news,
        "more_news": 0 if is_brief else unread.count() - len(news),
        "costly": [] if is_brief else costly_lines(active_versions(user, MAX_LINES), MAX_COSTLY),
        "is_brief": is_brief,
        "has_bots": bool(versions or entries) or has_bots(user),
    }


def needs_organiser(item: TournamentItem) -> bool:
    """Whether a tournament waits for an action of its organiser."""
    tournament = item.tournament
    match tournament.state:
        case State.DRAFT | State.PAUSED:
            return True
        case State.OPEN:
            return tournament.closes_at is None and item.entries >= tournament.min_entries
        case State.LOCKED:
            return tournament.starts_at is None
        case State.PROVISIONAL:
            return bool(tournament.audit_disagreements)
        case _:
            return False


def _desk_entry(
    entry: Entry, user: User, item: TournamentItem, ranks: dict[int, tuple[int, int]]
) -> DeskEntry:
    return DeskEntry(
        id=entry.public_id,
        label=entry_label(entry),
        item=item,
        status=str(STATUS_LABELS[Entry.Status(entry.status)]),
        buttons=entry_buttons(entry, user),
        place=place_of(ranks[entry.pk][0], item.entries) if entry.pk in ranks else "",
    )


def _set_next_anchors(kind: str, lines: list[DeskEntry]) -> list[DeskEntry]:
    """Set the anchors to focus after each line of a list, whose elements have ids ``KIND-ID``."""
    if len(lines) < 2:
        return lines
    beside = [*lines[1:], lines[-2]]
    return [line._replace(next_anchor=f"{kind}-{near.id}") for line, near in zip(lines, beside, strict=True)]
