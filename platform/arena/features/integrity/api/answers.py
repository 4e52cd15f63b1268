"""Reports on results that do not fit, what stands out in them, and rulings on pairs."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import answer_from
from arena.competition.models import Entry
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.selectors import NamedFinding, findings_of
from arena.features.ratings.models import LeftOutPair
from arena.roster.models import BotVersion


class ReportRow(TypedDict):
    """A report on a list of ratings or on an event: what it follows from, and how much stands out."""

    list: str | None
    tournament: str | None
    name: Annotated[str, "Of the list or the event."]
    revision: int
    made_at: datetime.datetime | None
    sets: int
    fixtures: int
    pairs: int
    tables: int
    tables_missing: int
    flagged: int


class FlaggedOut(TypedDict):
    """Somebody in a report: a version in that of a list, an entry in that of an event."""

    id: Annotated[str, "Of the version or of the entry."]
    player: str
    bot: Annotated[str, "Name and version; of a pair both."]


class OddBoardOut(TypedDict):
    """A board to look at."""

    board_set: str
    fixture: str
    board: int
    stones: Annotated[float | None, "Beyond what strengths say; null of forfeits and waits."]


class FindingOut(TypedDict):
    """What stands out."""

    number: int
    subject: Annotated[str, Finding.Subject]
    kind: Annotated[str, Finding.Kind]
    entry: Annotated[FlaggedOut | None, "Who gained, or did it; null: several."]
    other: Annotated[FlaggedOut | None, "The other; null: nobody in particular."]
    is_with_strangers: bool
    residual: float | None
    error: float | None
    seen: int | None
    meetings: int
    expected: float | None
    boards: int
    p: float | None
    q: float | None
    odd_boards: Annotated[list[OddBoardOut], "To look at, the largest first."]
    ruler: Annotated[str | None, "Of rulings: username of the account that ruled; null otherwise."]
    link: Annotated[str, Finding.Link]
    fixtures: Annotated[list[str], "Of rulings: ids of the fixtures ruled on."]


class PairRulingOut(TypedDict):
    """A ruling on a pair: their fixtures are void in an event, or left out of a list, until it is lifted."""

    id: str
    pair: list[FlaggedOut]
    fixtures: Annotated[int, "How many it covers."]
    reason: str
    by: str
    at: datetime.datetime
    lifted_at: datetime.datetime | None
    lifted_by: str | None
    lift_reason: str


class ReportDetail(ReportRow):
    """A report with all that stands out, and the rulings on pairs of the same list or event."""

    findings: list[FindingOut]
    rulings: Annotated[list[PairRulingOut], "The latest first."]


class ReportWithRulings(NamedTuple):
    """A report and the rulings on the same list or event."""

    report: Report
    rulings: Iterable[PairRuling | LeftOutPair]


def report_row(report: Report, _: Request) -> ReportRow:
    """A report that came with its list or event."""
    return answer_from(
        ReportRow,
        report,
        list=report.list.public_id if report.list else None,
        tournament=report.tournament.public_id if report.tournament else None,
        name=str(report.list or report.tournament),
    )


def report_detail(whole: ReportWithRulings, request: Request) -> ReportDetail:
    """A report with its findings. Two queries."""
    return {
        **report_row(whole.report, request),
        "findings": [_finding(named) for named in findings_of(whole.report)],
        "rulings": [pair_ruling_out(ruling, request) for ruling in whole.rulings],
    }


def pair_ruling_out(ruling: PairRuling | LeftOutPair, _: Request) -> PairRulingOut:
    """A ruling on a pair of ``pair_rulings`` or ``rulings_on``."""
    return answer_from(
        PairRulingOut,
        ruling,
        pair=[_flagged(ruling.first), _flagged(ruling.second)],
        by=ruling.actor.username,
        lifted_by=ruling.lifted_by.username if ruling.lifted_by else None,
    )


def _finding(named: NamedFinding) -> FindingOut:
    finding = named.finding
    return answer_from(
        FindingOut,
        finding,
        entry=None if named.entry is None else _flagged(named.entry),
        other=None if named.other is None else _flagged(named.other),
        odd_boards=[answer_from(OddBoardOut, board) for board in finding.odd_boards],
        ruler=finding.ruler.username if finding.ruler else None,
    )


def _flagged(who: Entry | BotVersion) -> FlaggedOut:
    """Somebody that came with player and bots."""
    if isinstance(who, BotVersion):
        return {"id": who.public_id, "player": who.bot.owner.handle, "bot": str(who)}
    bots = " + ".join(str(version) for version in who.versions())
    return {"id": who.public_id, "player": who.player.handle, "bot": bots}
