"""Pages of bots and versions; the owner and staff see more details."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.utils.translation import pgettext, pgettext_lazy

from arena.accounts.selectors import Viewer
from arena.common.causes import WaitingFor
from arena.competition.entries.names import EnteredEvent, ListedEntry, events_entered
from arena.competition.selectors import ENDED_STATES, entries_of_bot
from arena.features.analysis.panels.costly import accuracy_plot, costly_lines
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
    PASSED_STATES,
    is_owner,
    may_read_private,
    versions_of,
    without_check_reports,
    without_checks,
)
from arena.standings.selectors import last_ranks
from arena.web.base.states import TOURNAMENT_STATE_NAMES
from arena.web.base.states import State as EventState
from arena.web.bots.recent_results import render_recent_results
from arena.web.drawing.verdicts import verdict_text

State = BotVersion.State
VERSIONS_PER_PAGE = 20
MAX_EVENTS = 50
UNCHECKED = (State.UPLOADED, State.CHECKING)

STATE_NAMES = {
    State.UPLOADED: pgettext_lazy("state of a version", "waiting for its check"),
    State.CHECKING: pgettext_lazy("state of a version", "being checked"),
    State.READY: pgettext_lazy("state of a version", "ready"),
    State.REJECTED: pgettext_lazy("state of a version", "rejected"),
    State.SUSPENDED: pgettext_lazy("state of a version", "suspended"),
    State.RETIRED: pgettext_lazy("state of a version", "retired"),
}


class FaultGroupLine(NamedTuple):
    group: FaultGroup
    title: str
    last_log_line: str


@dataclasses.dataclass(frozen=True)
class VersionDetails:
    check: CheckRun | None
    """Last attempt."""
    check_result: str
    has_passed: bool
    waiting: str
    """Reason why the check cannot begin; empty if it can."""
    waiting_code: str
    """Code of that reason, as in the API."""
    faults: int
    """Number of faults in checks and on unsealed boards."""
    is_being_reinstated: bool


@dataclasses.dataclass(frozen=True)
class VersionLine:
    version: BotVersion
    state_name: str
    is_active: bool
    inside: VersionDetails | None

    @property
    def is_check_open(self) -> bool:
        """Whether the check is expanded on the page: it has not passed."""
        inside = self.inside
        return inside is not None and inside.check is not None and not inside.has_passed

    @property
    def is_unsettled(self) -> bool:
        """Whether its first check, or the check that ends a suspension, has no verdict yet."""
        inside = self.inside
        return self.version.state in UNCHECKED or (inside is not None and inside.is_being_reinstated)

    @property
    def is_moving(self) -> bool:
        """Whether the page polls for changes of its check."""
        return self.inside is not None and self.is_unsettled

    @property
    def is_text(self) -> bool:
        """Whether the editor may be able to open its program."""
        return self.version.runtime == RUNTIME and bool(self.version.bundle_sha256)

    @property
    def is_playing(self) -> bool:
        """Whether it has passed a check, so that it may have played."""
        return self.version.state in PASSED_STATES

    @property
    def is_retirable(self) -> bool:
        return self.version.state not in (State.REJECTED, State.RETIRED)


class LadderPlaces(NamedTuple):
    placed: list[BotPlacement]
    version: BotVersion | None
    """Version that can join further ladders."""
    open: list[Ladder]
    """Ladders it can join; empty for viewers other than the owner."""


class EventLine(NamedTuple):
    tournament: EnteredEvent
    state_name: str
    version: int
    partner: str
    """The partner of the pair, with its version; empty if there is none."""
    rank: int | None
    """Rank in the last stage with standings."""


def bot_context(bot: Bot, viewer: Viewer, page: int = 1) -> dict[str, Any]:
    """Return the template context of a bot that the viewer may see; a fixed number of queries."""
    sees_inside = may_read_private(viewer, bot)
    all_versions = versions_of(bot, viewer)
    rows = without_check_reports(all_versions) if sees_inside else without_checks(all_versions)
    first = list(rows[: VERSIONS_PER_PAGE + 1])
    # If all versions fit on one page, they are not counted.
    is_paginated = len(first) > VERSIONS_PER_PAGE
    listed = Paginator(rows if is_paginated else first, VERSIONS_PER_PAGE).get_page(page)
    versions = list(listed.object_list)
    counts = fault_counts(versions) if sees_inside else {}
    lines = [version_line(version, bot, counts if sees_inside else None) for version in versions]
    latest = lines[0] if lines and listed.number == 1 else None
    events = _events(bot, viewer)
    judged = bot.active_version or (versions[0] if versions else None)
    return {
        "bot": bot,
        "is_own": is_owner(viewer, bot),
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
        "accuracy": accuracy_plot([line.version for line in lines if line.is_playing], bot.active_version_id),
        "costly": costly_lines([judged.pk] if judged else []),
        "places": _ladder_places(bot, is_own=is_owner(viewer, bot)),
        "is_moving": any(event.tournament.state not in ENDED_STATES for event in events[:MAX_EVENTS])
        or any(line.is_moving for line in lines),
    }


def open_ladders(bot: Bot) -> list[Ladder]:
    """Return active ladders of the bot's game on which it has no version. One query."""
    return ladders_open_to(bot)


def _ladder_places(bot: Bot, *, is_own: bool) -> LadderPlaces:
    version = bot.active_version
    can_be_put_on = is_own and version is not None and version.state == State.READY
    return LadderPlaces(placements_of_bot(bot), version, ladders_open_to(bot) if can_be_put_on else [])


def version_context(version: BotVersion, viewer: Viewer) -> dict[str, Any]:
    """Return the template context of a version that the viewer may see; a fixed number of queries."""
    sees_inside = may_read_private(viewer, version.bot)
    counts = fault_counts([version]) if sees_inside else None
    return {
        "bot": version.bot,
        "line": version_line(version, version.bot, counts),
        "is_own": is_owner(viewer, version.bot),
        "sees_inside": sees_inside,
        "form": render_recent_results(version, version, viewer),
        "standings": list_standings(lines_of_version(version, MAX_LISTS), viewer),
    }


def fault_lines(version: BotVersion, viewer: Viewer) -> list[FaultGroupLine]:
    """Return the groups of similar faults, most frequent first.

    Raises:
        Forbidden: code ``not_owner``.
    """
    return [
        FaultGroupLine(group, verdict_text(group.verdict).title, error_line_of(group.sample))
        for group in version_faults(version, viewer)
    ]


def check_waiting_reason(check: CheckRun | None) -> str:
    """Return the reason for the author why a check cannot begin; empty if it can."""
    if check is None or check.state != CheckRun.State.WAITING:
        return ""
    if check.waiting_for != WaitingFor.RUNTIME:
        return check.reason
    reason = check.reason.rstrip(".")
    return (
        f"{reason[:1].upper()}{reason[1:]}. The check waits for a worker. This is not a fault of the bot and "
        "uses no attempt."
    )


def version_line(version: BotVersion, bot: Bot, counts: dict[int, int] | None) -> VersionLine:
    """Describe a version, loaded with its checks, latest first. Strangers have no ``counts`` of faults."""
    inside = None
    if counts is not None:
        checks = list(version.checks.all())
        check = checks[0] if checks else None
        open_states = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
        inside = VersionDetails(
            check=check,
            check_result=_check_result(check) if check else "",
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
            return pgettext("of a check", "failed because of a platform fault")
        case _:
            has_passed = _has_passed(check)
            return pgettext("of a check", "passed") if has_passed else pgettext("of a check", "not passed")


def _events(bot: Bot, viewer: Viewer) -> list[EventLine]:
    """Return the latest tournaments, one more than listed if there are more. Two queries."""
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
