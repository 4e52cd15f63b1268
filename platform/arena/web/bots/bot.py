"""Bots as pages show them: the list, and one of them, to everybody and to its owner and staff from inside."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.utils.translation import pgettext, pgettext_lazy

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.causes import WaitingFor
from arena.competition.entries.names import EnteredEvent, ListedEntry, events_entered
from arena.competition.selectors import ENDED_STATES, entries_of_bot
from arena.features.ladders.models import Ladder
from arena.features.ladders.selectors import BotPlacement, ladders_open_to, placements_of_bot
from arena.features.ratings.panels.lines import MAX_LISTS, list_standings
from arena.features.ratings.selectors import lines_of_bot, lines_of_version
from arena.jobs.fault_files import error_line_of
from arena.jobs.sources import RUNTIME
from arena.matches.fixture_selectors import fault_counts
from arena.matches.models import FaultGroup
from arena.matches.selectors import version_faults
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import (
    bots_of_others,
    bots_with_latest,
    may_see_inside,
    owns,
    versions_of,
    without_check_reports,
    without_checks,
)
from arena.standings.selectors import last_ranks
from arena.web.base.states import TOURNAMENT_STATE_NAMES
from arena.web.base.states import State as EventState
from arena.web.base.text_search import filter_by_words
from arena.web.bots.recent_results import render_recent_results
from arena.web.drawing.verdicts import verdict_text

State = BotVersion.State
VERSIONS_PER_PAGE = 20
MAX_EVENTS = 50
UNCHECKED = (State.UPLOADED, State.CHECKING)

STATE_NAMES = {
    State.UPLOADED: pgettext_lazy("state of a version", "waits for its check"),
    State.CHECKING: pgettext_lazy("state of a version", "being checked"),
    State.READY: pgettext_lazy("state of a version", "ready"),
    State.REJECTED: pgettext_lazy("state of a version", "rejected"),
    State.SUSPENDED: pgettext_lazy("state of a version", "suspended"),
    State.RETIRED: pgettext_lazy("state of a version", "retired"),
}


class FaultGroupLine(NamedTuple):
    """Faults that look alike."""

    group: FaultGroup
    title: str
    last_words: str


@dataclasses.dataclass(frozen=True)
class VersionDetails:
    """What only the owner and staff see of a version."""

    check: CheckRun | None
    """The last attempt."""
    check_words: str
    """What came of it."""
    has_passed: bool
    """Whether the last attempt passed."""
    waiting: str
    """Why its check cannot begin, for people; empty if nothing stands in the way."""
    waiting_code: str
    """How the API's reason for it begins."""
    faults: int
    """How often it was at fault on boards that are open, and in its checks."""
    is_being_reinstated: bool


@dataclasses.dataclass(frozen=True)
class VersionLine:
    """One version."""

    version: BotVersion
    state_name: str
    is_active: bool
    inside: VersionDetails | None

    @property
    def is_check_open(self) -> bool:
        """Whether the check is unfolded: one that passed is of no more interest."""
        inside = self.inside
        return inside is not None and inside.check is not None and not inside.has_passed

    @property
    def is_unsettled(self) -> bool:
        """Whether its first check has given no verdict yet, or one that ends a suspension is under way."""
        inside = self.inside
        return self.version.state in UNCHECKED or (inside is not None and inside.is_being_reinstated)

    @property
    def is_moving(self) -> bool:
        """Whether whoever may see its check watches it change."""
        return self.inside is not None and self.is_unsettled

    @property
    def is_text(self) -> bool:
        """Whether its program may be one that can be changed in a page."""
        return self.version.runtime == RUNTIME and bool(self.version.bundle_sha256)

    @property
    def is_retirable(self) -> bool:
        """Whether it can be withdrawn."""
        return self.version.state not in (State.REJECTED, State.RETIRED)


class LadderPlaces(NamedTuple):
    """Where a bot is on a ladder."""

    placed: list[BotPlacement]
    version: BotVersion | None
    """That can be put on others."""
    open: list[Ladder]
    """Those others; for its owner alone."""


class EventLine(NamedTuple):
    """A tournament one of its versions entered."""

    tournament: EnteredEvent
    state_name: str
    version: int
    partner: str
    """The other bot of a pair, with its version; empty if it played alone."""
    rank: int | None
    """In the last stage that has standings."""


def bot_context(bot: Bot, viewer: Viewer, page: int = 1) -> dict[str, Any]:
    """The page of a bot that the viewer may see; a fixed number of queries."""
    sees_inside = may_see_inside(viewer, bot)
    whole = versions_of(bot, viewer)
    rows = without_check_reports(whole) if sees_inside else without_checks(whole)
    first = list(rows[: VERSIONS_PER_PAGE + 1])
    # Those of most bots fit on one page, and are not counted besides.
    many = len(first) > VERSIONS_PER_PAGE
    listed = Paginator(rows if many else first, VERSIONS_PER_PAGE).get_page(page)
    versions = list(listed.object_list)
    counts = fault_counts(versions) if sees_inside else {}
    lines = [version_line(version, bot, counts if sees_inside else None) for version in versions]
    latest = lines[0] if lines and listed.number == 1 else None
    events = _events(bot, viewer)
    judged = bot.active_version or (versions[0] if versions else None)
    return {
        "bot": bot,
        "is_own": owns(viewer, bot),
        "sees_inside": sees_inside,
        "versions": lines,
        "page": listed,
        "events": events[:MAX_EVENTS],
        "more_events": len(events) > MAX_EVENTS,
        "latest": latest,
        "faults": fault_lines(latest.version, viewer) if sees_inside and latest else None,
        "judged": judged,
        "form": render_recent_results(bot, judged, viewer),
        "standings": list_standings(lines_of_bot(bot, MAX_LISTS), viewer),
        "places": _ladder_places(bot, is_own=owns(viewer, bot)),
        "is_moving": any(event.tournament.state not in ENDED_STATES for event in events[:MAX_EVENTS])
        or any(line.is_moving for line in lines),
    }


def _ladder_places(bot: Bot, *, is_own: bool) -> LadderPlaces:
    """One query, and another one for the owner of a bot with an active version."""
    version = bot.active_version
    can_be_put_on = is_own and version is not None and version.state == State.READY
    return LadderPlaces(placements_of_bot(bot), version, ladders_open_to(bot) if can_be_put_on else [])


def version_context(version: BotVersion, viewer: Viewer) -> dict[str, Any]:
    """The page of a version that the viewer may see; a fixed number of queries."""
    sees_inside = may_see_inside(viewer, version.bot)
    counts = fault_counts([version]) if sees_inside else None
    return {
        "bot": version.bot,
        "line": version_line(version, version.bot, counts),
        "is_own": owns(viewer, version.bot),
        "sees_inside": sees_inside,
        "form": render_recent_results(version, version, viewer),
        "standings": list_standings(lines_of_version(version, MAX_LISTS), viewer),
    }


def fault_lines(version: BotVersion, viewer: Viewer) -> list[FaultGroupLine]:
    """The faults of a version, alike ones together, most frequent first.

    Raises:
        Forbidden: code ``not_yours``.
    """
    return [
        FaultGroupLine(group, verdict_text(group.verdict).title, error_line_of(group.sample))
        for group in version_faults(version, viewer)
    ]


def check_waiting_reason(check: CheckRun | None) -> str:
    """Why a check cannot begin, as its author is told; empty if it can."""
    if check is None or check.state != CheckRun.State.WAITING:
        return ""
    if check.waiting_for != WaitingFor.RUNTIME:
        return check.reason
    reason = check.reason.rstrip(".")
    return (
        f"{reason[:1].upper()}{reason[1:]}. It waits until one does: that is no fault of the bot and uses up "
        "no attempt."
    )


def version_line(version: BotVersion, bot: Bot, counts: dict[int, int] | None) -> VersionLine:
    """A version that came with its checks, latest first; ``counts`` of faults are None for strangers."""
    inside = None
    if counts is not None:
        checks = list(version.checks.all())
        check = checks[0] if checks else None
        open_states = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
        inside = VersionDetails(
            check=check,
            check_words=_check_result(check) if check else "",
            has_passed=check is not None and _has_passed(check),
            waiting=check_waiting_reason(check),
            waiting_code=check.waiting_for or check.cause if check else "",
            faults=counts.get(version.pk, 0),
            is_being_reinstated=version.state == State.SUSPENDED
            and check is not None
            and check.state in open_states,
        )
    return VersionLine(
        version=version,
        state_name=str(STATE_NAMES[State(version.state)]),
        is_active=version.pk == bot.active_version_id,
        inside=inside,
    )


def _has_passed(check: CheckRun) -> bool:
    unfinished = (CheckRun.State.WAITING, CheckRun.State.RUNNING, CheckRun.State.FAILED)
    return check.state not in unfinished and all(step["ok"] for step in check.steps)


def _check_result(check: CheckRun) -> str:
    match check.state:
        case CheckRun.State.WAITING:
            return pgettext("of a check", "waiting")
        case CheckRun.State.RUNNING:
            return pgettext("of a check", "running")
        case CheckRun.State.FAILED:
            return pgettext("of a check", "failed by our own fault")
        case _:
            has_passed = _has_passed(check)
            return pgettext("of a check", "passed") if has_passed else pgettext("of a check", "not passed")


def _events(bot: Bot, viewer: Viewer) -> list[EventLine]:
    """The latest tournaments of the bot, one more than are shown if there are more. Two queries."""
    entered = events_entered(entries_of_bot(bot, viewer)[: MAX_EVENTS + 1])
    ranks = last_ranks([event.entry.key for event in entered])
    return [
        EventLine(
            tournament=event,
            state_name=TOURNAMENT_STATE_NAMES[EventState(event.state)],
            version=next(version.number for version in event.entry.bots if version.bot == bot.pk),
            partner=_partner(event.entry, bot),
            rank=ranks.get(event.entry.key),
        )
        for event in entered
    ]


def _partner(entry: ListedEntry, bot: Bot) -> str:
    own = next(index for index, version in enumerate(entry.bots) if version.bot == bot.pk)
    partners = [version for index, version in enumerate(entry.bots) if index != own]
    return "".join(f"{version.name} v{version.number}" for version in partners)


BOTS_PER_PAGE = 50
MAX_QUERY_CHARACTERS = 60
"""Characters of what is looked for."""


class BotLine(NamedTuple):
    """One bot of the list."""

    bot: Bot
    latest: VersionLine | None
    """The last upload, for its owner; None for others and before the first."""


def bot_list_context(viewer: Viewer, page: int = 1, query: str = "") -> dict[str, Any]:
    """What the viewer may see, of others' bots those with the words of ``query`` in the name or the owner's.

    A number of queries that does not depend on how many there are.
    """
    query = query[:MAX_QUERY_CHARACTERS].strip()
    own = None
    if isinstance(viewer, User):
        bots = bots_with_latest(viewer)
        faults = fault_counts([version for _, version in bots if version is not None])
        own = [BotLine(bot, version_line(latest, bot, faults) if latest else None) for bot, latest in bots]
    rows = filter_by_words(bots_of_others(viewer), query, "name", "owner__handle")
    other_bots = Paginator(rows, BOTS_PER_PAGE).get_page(page)
    return {
        "own": own,
        "others": [BotLine(bot, None) for bot in other_bots.object_list],
        "page": other_bots,
        "query": query,
    }
