"""One bot as its page shows it: to everybody, and to its owner and staff from inside."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Prefetch, Q, Sum

from arena.accounts.selectors import Viewer
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import tournaments_visible_to
from arena.jobs.fault_files import last_words_of
from arena.matches.models import FaultGroup
from arena.matches.selectors import version_faults
from arena.matches.workers import UNAVAILABLE
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import may_see_inside, owns, versions_visible_to, waiting_reason
from arena.standings.models import StandingRow
from arena.web.states import NAMES
from arena.web.states import State as EventState
from arena.web.verdicts import verdict_text

State = BotVersion.State
VERSIONS_A_PAGE = 20
EVENTS_AT_MOST = 50
PASSED = "passed"

STATE_NAMES = {
    State.UPLOADED: "waits for its check",
    State.CHECKING: "being checked",
    State.READY: "ready",
    State.REJECTED: "rejected",
    State.SUSPENDED: "suspended",
    State.RETIRED: "retired",
}


class FaultLine(NamedTuple):
    """Faults that look alike."""

    group: FaultGroup
    title: str
    last_words: str


@dataclasses.dataclass(frozen=True)
class Inside:
    """What only the owner and staff see of a version."""

    check: CheckRun | None
    """The last attempt."""
    check_words: str
    """What came of it."""
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
    inside: Inside | None

    @property
    def is_check_open(self) -> bool:
        """Whether the check is unfolded: one that passed is of no more interest."""
        told = self.inside
        return told is not None and told.check is not None and told.check_words != PASSED


class EventLine(NamedTuple):
    """A tournament one of its versions entered."""

    tournament: Tournament
    state_name: str
    version: int
    partner: str
    """The other bot of a pair, with its version; empty if it played alone."""
    rank: int | None
    """In the last stage that has standings."""


@dataclasses.dataclass(frozen=True)
class BotPage:
    """Everything on the page of a bot."""

    bot: Bot
    is_own: bool
    sees_inside: bool
    versions: list[VersionLine]
    page: Page[BotVersion]
    events: list[EventLine]
    more_events: bool
    latest: VersionLine | None
    """The last upload the viewer may know of."""
    faults: list[FaultLine] | None
    """Since that upload; None for whom they are not."""


def bot_page_of(bot: Bot, viewer: Viewer, page: str = "1") -> BotPage:
    """The page of a bot that the viewer may see; a fixed number of queries."""
    sees_inside = may_see_inside(viewer, bot)
    checks = CheckRun.objects.defer("report").order_by("-attempt")
    rows = (
        versions_visible_to(viewer)
        .filter(bot=bot)
        .order_by("-number")
        .prefetch_related(None)
        .prefetch_related(Prefetch("checks", checks))
    )
    shown = Paginator(rows, VERSIONS_A_PAGE).get_page(page)
    versions = list(shown.object_list)
    counts = fault_counts(versions) if sees_inside else {}
    lines = [version_line(version, bot, counts if sees_inside else None) for version in versions]
    latest = lines[0] if lines and shown.number == 1 else None
    events = _events(bot, viewer)
    return BotPage(
        bot=bot,
        is_own=owns(viewer, bot),
        sees_inside=sees_inside,
        versions=lines,
        page=shown,
        events=events[:EVENTS_AT_MOST],
        more_events=len(events) > EVENTS_AT_MOST,
        latest=latest,
        faults=fault_lines(latest.version, viewer) if sees_inside and latest else None,
    )


def fault_lines(version: BotVersion, viewer: Viewer) -> list[FaultLine]:
    """The faults of a version, alike ones together, most frequent first.

    Raises:
        Forbidden: code ``not_yours``.
    """
    return [
        FaultLine(group, verdict_text(group.verdict).title, last_words_of(group.sample))
        for group in version_faults(version, viewer)
    ]


def waiting_words(reason: str) -> str:
    """Why a check cannot begin, as its author is told; empty if it can.

    >>> waiting_words("runtime_unavailable: no live worker runs node/1")[:49]
    'No live worker runs node/1. It waits until one do'
    """
    if not reason.startswith(UNAVAILABLE):
        return reason
    what = reason.removeprefix(UNAVAILABLE).strip().rstrip(".")
    return (
        f"{what[:1].upper()}{what[1:]}. It waits until one does: that is no fault of the bot and uses up "
        "no attempt."
    )


def version_line(version: BotVersion, bot: Bot, counts: dict[int, int] | None) -> VersionLine:
    """A version that came with its checks, latest first; ``counts`` of faults are None for strangers."""
    inside = None
    if counts is not None:
        checks = list(version.checks.all())
        check = checks[0] if checks else None
        reason = waiting_reason(version)
        open_states = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
        inside = Inside(
            check=check,
            check_words=_check_words(check) if check else "",
            waiting=waiting_words(reason),
            waiting_code=reason.partition(":")[0],
            faults=counts.get(version.pk, 0),
            is_being_reinstated=version.state == State.SUSPENDED
            and check is not None
            and check.state in open_states,
        )
    return VersionLine(
        version=version,
        state_name=STATE_NAMES[State(version.state)],
        is_active=version.pk == bot.active_version_id,
        inside=inside,
    )


def _check_words(check: CheckRun) -> str:
    match check.state:
        case CheckRun.State.WAITING:
            return "waiting"
        case CheckRun.State.RUNNING:
            return "running"
        case CheckRun.State.FAILED:
            return "failed by our own fault"
        case _:
            return PASSED if all(step["ok"] for step in check.steps) else "not passed"


def fault_counts(versions: Collection[BotVersion]) -> dict[int, int]:
    """Faults by key of the version. One query."""
    rows = FaultGroup.objects.filter(version__in=versions).order_by().values_list("version")
    return dict(rows.annotate(faults=Sum("count")))


def _events(bot: Bot, viewer: Viewer) -> list[EventLine]:
    """The latest tournaments of the bot, one more than are shown if there are more. Two queries."""
    entries = list(
        Entry.objects.filter(
            Q(version__bot=bot) | Q(partner_version__bot=bot),
            status=Entry.Status.ENTERED,
            tournament__in=tournaments_visible_to(viewer),
        )
        .select_related("tournament", "version__bot", "partner_version__bot")
        .order_by("-tournament__state_at", "-id")[: EVENTS_AT_MOST + 1]
    )
    rows = StandingRow.objects.filter(entry__in=entries).order_by("stage__number")
    ranks = dict(rows.values_list("entry", "rank"))
    return [
        EventLine(
            tournament=entry.tournament,
            state_name=NAMES[EventState(entry.tournament.state)],
            version=next(one.number for one in entry.versions() if one.bot_id == bot.pk),
            partner=_partner(entry, bot),
            rank=ranks.get(entry.pk),
        )
        for entry in entries
    ]


def _partner(entry: Entry, bot: Bot) -> str:
    versions: list[Any] = entry.versions()
    own = next(at for at, one in enumerate(versions) if one.bot_id == bot.pk)
    return "".join(f"{one.bot.name} v{one.number}" for at, one in enumerate(versions) if at != own)
