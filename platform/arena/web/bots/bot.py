"""Pages of bots and versions; the owner and staff see more details."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import pgettext, pgettext_lazy

from arena.accounts.selectors import Viewer
from arena.common.causes import WaitingFor
from arena.competition.games import presets_of
from arena.competition.selectors import entries_of_bot
from arena.features.analysis.panels.costly import accuracy_plot, costly_lines
from arena.features.analysis.watching import watchable_fixtures
from arena.features.ladders.models import Ladder
from arena.features.ladders.selectors import BotPlacement, ladders_open_to, placements_of_bot
from arena.features.ratings.current import rated_opponents
from arena.features.ratings.panels.lines import MAX_LISTS
from arena.features.ratings.panels.summaries import (
    ListedRating,
    VersionRating,
    listed_ratings,
    ratings_by_version,
)
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
from arena.standings.board_record import BoardRecord
from arena.web.bots.board_records import board_lines, opponent_table, opposing_bots
from arena.web.bots.event_results import event_results
from arena.web.bots.recent_results import RecentResults, recent_results
from arena.web.drawing.verdicts import verdict_text
from viewer.seat_view import is_drawn

State = BotVersion.State
VERSIONS_PER_PAGE = 20
MAX_BOARDS = 3
"""Maximum best boards, and worst boards."""
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
    rating: VersionRating | None = None
    """On the page of a bot with several rated versions."""

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


class Actions(NamedTuple):
    play: str
    """Address of the form for a table against it; empty if it cannot play."""
    can_be_challenged: bool
    watch: str
    """Address of the decisive board of its latest fixture that can be watched; empty without one."""


def bot_context(bot: Bot, viewer: Viewer, page: int = 1, events_page: int = 1) -> dict[str, Any]:
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
    events = event_results(entries_of_bot(bot, viewer), events_page)
    judged = bot.active_version or (versions[0] if versions else None)
    form = recent_results(bot, judged, viewer)
    rating_lines = lines_of_bot(bot, MAX_LISTS)
    rated = ratings_by_version(rating_lines)
    return {
        "bot": bot,
        "is_own": is_owner(viewer, bot),
        "sees_inside": sees_inside,
        "versions": [
            dataclasses.replace(line, rating=rated[line.version.pk]) if line.version.pk in rated else line
            for line in lines
        ],
        "page": listed,
        "events": events,
        "last": next((line for line in events.lines if line.is_over and line.place), None),
        "latest": latest,
        "faults": fault_lines(latest.version, viewer) if sees_inside and latest else None,
        "judged": judged,
        "actions": _actions(bot, form.record),
        "accuracy": accuracy_plot([line.version for line in lines if line.is_playing], bot.active_version_id),
        "costly": costly_lines([judged.pk] if judged else []),
        "places": _ladder_places(bot, is_own=is_owner(viewer, bot)),
        "is_moving": any(not line.is_over for line in events.lines) or any(line.is_moving for line in lines),
        **_record_context(form, listed_ratings(rating_lines, bot.active_version_id)),
    }


def _record_context(form: RecentResults, ratings: list[ListedRating]) -> dict[str, Any]:
    """Return the parts that the pages of a bot and of a version share. At most one query."""
    line = next((each.line for each in ratings if each.rating is not None), None)
    rated = rated_opponents(line, opposing_bots(form.record)) if line is not None else {}
    best, worst = form.record.best[:MAX_BOARDS], form.record.worst[:MAX_BOARDS]
    return {
        "form": form,
        "ratings": {
            "rated": [each for each in ratings if each.rating is not None],
            "unrated": [each for each in ratings if each.rating is None],
        },
        "opponents": opponent_table(form.record, line, rated),
        "boards": board_lines([*best, *reversed(worst)]),
    }


def _actions(bot: Bot, record: BoardRecord) -> Actions:
    is_public = bot.visibility == Bot.Visibility.PUBLIC
    version = bot.active_version
    can_play = is_public and version is not None and version.state == State.READY
    decisive = {board.fixture.key: board for board in record.decisive}
    watched = max(watchable_fixtures(list(decisive)), default=None)
    board = decisive[watched] if watched is not None else None
    return Actions(
        play=_play_address(bot.game, version) if can_play and version is not None else "",
        can_be_challenged=is_public and version is not None,
        watch=""
        if board is None
        else reverse("web:watch-board", args=[board.fixture.public_id, board.board]),
    )


def _play_address(game: str, version: BotVersion) -> str:
    if not is_drawn(game):
        return ""
    choices = {"preset": presets_of(game)[0], "opponents": "public", "version": version.public_id}
    return f"{reverse('web:play')}?{urlencode(choices)}"


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
        **_record_context(
            recent_results(version, version, viewer),
            listed_ratings(lines_of_version(version, MAX_LISTS), version.pk),
        ),
    }


def fault_lines(version: BotVersion, viewer: Viewer) -> list[FaultGroupLine]:
    """Return the groups of similar faults, most frequent first.

    Raises:
        Forbidden: code ``not_owner``.
    """
    return [
        FaultGroupLine(group, verdict_text(group.verdict).title, error_line_of(group.sample))
        for group in version_faults(version, viewer, with_tables=False)
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
