"""API answers for integrity reports, their findings, and rulings on pairs."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.models import Entry
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.selectors import NamedFinding, findings_of
from arena.features.ratings.models import ExcludedPair
from arena.roster.models import BotVersion


class ReportRow(TypedDict):
    """A report on a rating list or a tournament: the data it is based on, and the number of findings."""

    list: str | None
    tournament: str | None
    name: Annotated[str, "Name of the list or tournament."]
    revision: int
    computed_at: datetime.datetime | None
    sets: int
    fixtures: int
    pairs: int
    tables: int
    tables_missing: int
    finding_count: int


class FlaggedOut(TypedDict):
    """A subject of a finding: a version in the report of a list, an entry in the report of a tournament."""

    id: Annotated[str, "Id of the version or entry."]
    player: str
    bot: Annotated[str, "Name and version; both for a pair."]


class OddBoardOut(TypedDict):
    """A board to inspect."""

    board_set: str
    fixture: str
    board: int
    stones: Annotated[float | None, "Deviation from the prediction; null for forfeits and delays."]


class FindingOut(TypedDict):
    """A finding of a report."""

    number: int
    subject: Annotated[str, Finding.Subject]
    kind: Annotated[str, Finding.Kind]
    entry: Annotated[
        FlaggedOut | None, "The one that gained, forfeited or delayed its answers; null: several."
    ]
    other: Annotated[FlaggedOut | None, "The other one; null: all opponents."]
    with_other_partners: bool
    residual: float | None
    error: float | None
    observed: int | None
    meetings: int
    expected: float | None
    boards: int
    p: float | None
    q: float | None
    unusual_boards: Annotated[list[OddBoardOut], "Boards to inspect, largest deviation first."]
    adjudicator: Annotated[str | None, "For rulings: username of the account that ruled; otherwise null."]
    link: Annotated[str | None, Finding.Link, "For rulings: link to the owner of the entry; otherwise null."]
    fixtures: Annotated[list[str], "For rulings: ids of the fixtures ruled on."]


class PairRulingOut(TypedDict):
    """A ruling on a pair: until it is lifted, their fixtures are void in a tournament, or excluded from a
    rating list.
    """

    id: str
    pair: list[FlaggedOut]
    fixtures: Annotated[int, "Number of fixtures covered."]
    reason: str
    by: str
    created_at: datetime.datetime
    lifted_at: datetime.datetime | None
    lifted_by: str | None
    lift_reason: str


class ReportDetail(ReportRow):
    """A report with its findings, and the rulings on pairs of the same list or tournament."""

    findings: list[FindingOut]
    rulings: Annotated[list[PairRulingOut], "Newest first."]


class ReportWithRulings(NamedTuple):
    report: Report
    rulings: Iterable[PairRuling | ExcludedPair]


def report_row(report: Report, _: Request) -> ReportRow:
    """Answer for a report with list and tournament fetched."""
    return build_shape(
        ReportRow,
        report,
        list=report.list.public_id if report.list else None,
        tournament=report.tournament.public_id if report.tournament else None,
        name=str(report.list or report.tournament),
    )


def report_detail(whole: ReportWithRulings, request: Request) -> ReportDetail:
    """Answer with findings and rulings. Two queries."""
    return {
        **report_row(whole.report, request),
        "findings": [_finding(named) for named in findings_of(whole.report)],
        "rulings": [pair_ruling_out(ruling, request) for ruling in whole.rulings],
    }


def pair_ruling_out(ruling: PairRuling | ExcludedPair, _: Request) -> PairRulingOut:
    """Answer for a row of ``pair_rulings`` or ``rulings_on``."""
    return build_shape(
        PairRulingOut,
        ruling,
        pair=[_flagged(ruling.first), _flagged(ruling.second)],
        by=ruling.actor.username,
        lifted_by=ruling.lifted_by.username if ruling.lifted_by else None,
    )


def _finding(named: NamedFinding) -> FindingOut:
    finding = named.finding
    return build_shape(
        FindingOut,
        finding,
        entry=None if named.entry is None else _flagged(named.entry),
        other=None if named.other is None else _flagged(named.other),
        unusual_boards=[build_shape(OddBoardOut, board) for board in finding.unusual_boards],
        adjudicator=finding.adjudicator.username if finding.adjudicator else None,
        link=finding.link or None,
    )


def _flagged(who: Entry | BotVersion) -> FlaggedOut:
    if isinstance(who, BotVersion):
        return {"id": who.public_id, "player": who.bot.owner.handle, "bot": str(who)}
    bots = " + ".join(str(version) for version in who.versions())
    return {"id": who.public_id, "player": who.player.handle, "bot": bots}
