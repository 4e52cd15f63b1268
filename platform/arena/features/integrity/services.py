"""Computation of reports: a report depends only on the closed board sets of its list or event.

Reports have no consequences by themselves: people inspect the boards and decide.
"""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from arena.features.integrity.conduct import ConductKind, CountBy, FixtureConduct, encounters_of
from arena.features.integrity.conflicts import events_to_report, findings_of_rulings
from arena.features.integrity.ingest import (
    closed_sets_register,
    due_sets_read,
    list_sets_register,
    new_stale_mark,
)
from arena.features.integrity.models import BoardSetConduct, Finding, IntegrityProgress, Report
from arena.features.ratings.board_scores import excluded_pairs, unpack_cached
from arena.features.ratings.models import RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.matches.models import BoardSet
from league.rating.columns import parse_line_key
from league.rating.fixtures import SetScores
from league.rating.integrity import PairFinding, pair_findings
from league.rating.opponents import Encounter, OpponentFinding, findings_by_entry, findings_by_opponent

log = logging.getLogger(__name__)

MAX_CALL_S = 20.0
CLAIM_S = 600
"""Seconds after which the process that makes reports is presumed dead."""
MIN_INTERVAL_S = 60
"""Minimum seconds between two computations of a report."""
MIN_INTERVAL_RATIO = 20
"""Minimum ratio of that interval to the CPU time of a computation: at most a twentieth of a core."""
MAX_BOARDS = 8
"""Maximum boards per finding."""
RULINGS_INTERVAL_S = 3600
"""Seconds between two comparisons of rulings with the reports."""
MAX_FINDINGS = 50


def reports_due(now: datetime.datetime | None = None) -> bool:
    """Return whether there is work and no process is doing it. At most five queries."""
    moment = now or timezone.now()
    progress, _ = IntegrityProgress.objects.get_or_create(pk=1)
    if progress.busy_until is not None and progress.busy_until > moment:
        return False
    if _rulings_are_due(progress, moment):
        return True
    new = BoardSet.objects.filter(state=BoardSet.State.CLOSED, closed_seq__gt=progress.closed_seq)
    if new.exists() or BoardSetConduct.objects.exclude(stale_mark="").exists():
        return True
    return bool(_outdated_lists().exists() or _due_reports(moment))


def reports_make(most_s: float = MAX_CALL_S, rest_s: float = MIN_INTERVAL_S) -> int:
    """Register and read closed sets, then compute due reports, the longest waiting first; return their
    number.

    Returns 0 at once if another process holds the lease.
    """
    IntegrityProgress.objects.get_or_create(pk=1)
    now = timezone.now()
    until = now + datetime.timedelta(seconds=CLAIM_S)
    claimable = IntegrityProgress.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=1)
    if not claimable.update(busy_until=until):
        return 0
    try:
        return _read_and_make(time.monotonic() + most_s, rest_s)
    finally:
        IntegrityProgress.objects.filter(pk=1, busy_until=until).update(busy_until=None)


def _read_and_make(until: float, rest_s: float) -> int:
    while closed_sets_register() and time.monotonic() < until:
        pass
    for rating_list in _outdated_lists():
        report, _ = Report.objects.get_or_create(list=rating_list)
        list_sets_register(rating_list)
        Report.objects.filter(pk=report.pk, stale_mark="").update(stale_mark=new_stale_mark())
    while due_sets_read(until) and time.monotonic() < until:
        pass
    _rulings_compare(timezone.now())
    count = 0
    for report in _due_reports(timezone.now(), rest_s):
        try:
            count += report_make(report)
        except Exception:
            # A failing report must not block the others.
            subject = report.list or report.tournament
            log.exception("integrity: report of %s", subject and subject.public_id)
        if time.monotonic() >= until:
            break
    return count


def _rulings_are_due(progress: IntegrityProgress, now: datetime.datetime) -> bool:
    return progress.rulings_at is None or now >= progress.rulings_at + datetime.timedelta(
        seconds=RULINGS_INTERVAL_S
    )


def _rulings_compare(now: datetime.datetime) -> None:
    """Mark reports of events whose conflicts of interest have changed as due."""
    if not _rulings_are_due(IntegrityProgress.objects.get(pk=1), now):
        return
    for tournament in events_to_report():
        report, _ = Report.objects.get_or_create(tournament_id=tournament)
        Report.objects.filter(pk=report.pk).update(stale_mark=new_stale_mark())
    IntegrityProgress.objects.filter(pk=1).update(rulings_at=now)


def _outdated_lists() -> QuerySet[RatingList]:
    """Return lists without a report, or with a report on an earlier revision. One query."""
    behind = Q(integrity=None) | Q(integrity__list_revision__lt=F("revision"), integrity__stale_mark="")
    return RatingList.objects.filter(behind, revision__gt=0).order_by("pk")


def _due_reports(now: datetime.datetime, rest_s: float = MIN_INTERVAL_S) -> list[Report]:
    """Return due reports past their minimum interval, the oldest first. One query."""
    rows = Report.objects.exclude(stale_mark="").select_related("list", "tournament")
    reports = [report for report in rows if _is_interval_over(report, now, rest_s)]
    return sorted(reports, key=lambda report: (report.computed_at is not None, report.computed_at, report.pk))


def _is_interval_over(report: Report, now: datetime.datetime, rest_s: float) -> bool:
    if report.computed_at is None:
        return True
    interval_s = max(rest_s, MIN_INTERVAL_RATIO * report.cpu_ms / 1000 if rest_s else 0)
    return now >= report.computed_at + datetime.timedelta(seconds=interval_s)


class _ReportData(NamedTuple):
    names: CountBy
    scores: tuple[SetScores, ...]
    conduct: list[tuple[str, list[FixtureConduct]]]
    """Board set (public id) and its fixtures."""
    sets: int
    tables: int
    missing: int


def report_make(report: Report) -> bool:
    """Compute a report from the stored sets; return False if another process did it in the meantime.

    Takes six seconds for 1,000 entries in 100,000 fixtures, plus some time per finding.
    """
    began = time.process_time()
    list_revision = report.list.revision if report.list is not None else 0
    data = _list_data(report.list) if report.list is not None else _event_data(report)
    pairs = pair_findings(data.scores)
    forfeits = _encounters(data, "forfeits")
    delayed = _encounters(data, "delays")
    rows = [
        *(_pair_finding(finding) for finding in pairs.findings),
        *(
            _conduct_finding(Finding.Subject.FORFEITS, finding)
            for finding in findings_by_opponent(forfeits)[:MAX_FINDINGS]
        ),
        *(
            _conduct_finding(Finding.Subject.DELAYS, finding)
            for finding in (
                *findings_by_opponent(delayed)[:MAX_FINDINGS],
                *findings_by_entry(delayed)[:MAX_FINDINGS],
            )
        ),
        *(findings_of_rulings(report.tournament_id) if report.tournament_id is not None else ()),
    ]
    cpu_ms = round(1000 * (time.process_time() - began))
    with transaction.atomic():
        unchanged = Report.objects.filter(pk=report.pk, revision=report.revision)
        updated = unchanged.update(
            revision=report.revision + 1,
            list_revision=list_revision,
            computed_at=timezone.now(),
            cpu_ms=cpu_ms,
            sets=data.sets,
            fixtures=sum(len(played) for _, played in data.conduct),
            pairs=pairs.pairs,
            tables=data.tables - data.missing,
            tables_missing=data.missing,
            finding_count=len(rows),
        )
        if not updated:
            return False
        # A report whose input has changed in the meantime has another mark and stays due.
        Report.objects.filter(pk=report.pk, stale_mark=report.stale_mark).update(stale_mark="")
        Finding.objects.filter(report=report).delete()
        for number, row in enumerate(rows, 1):
            row.report, row.number = report, number
        Finding.objects.bulk_create(rows)
    return True


def _list_data(rating_list: RatingList) -> _ReportData:
    """Return the rated scores of a list and the conduct in its sets, without excluded pairs."""
    rows = list(_read_board_sets(BoardSetConduct.objects.filter(board_set__rated_in__list=rating_list)))
    scores = list_set_scores(rating_list)
    pairs = [set(pair) for pair in excluded_pairs(rating_list)]
    conduct = [(row.board_set.public_id, _without_pairs(row.conduct, pairs)) for row in rows]
    return _report_data("version", scores, conduct, rows)


def _event_data(report: Report) -> _ReportData:
    in_event = {"board_set__round__stage__tournament": report.tournament_id}
    rows = list(_read_board_sets(BoardSetConduct.objects.filter(**in_event)))
    scores = tuple(set_scores for row in rows for set_scores in unpack_cached(bytes(row.scores)))
    return _report_data("entry", scores, [(row.board_set.public_id, row.conduct) for row in rows], rows)


def _read_board_sets(rows: QuerySet[BoardSetConduct]) -> QuerySet[BoardSetConduct]:
    return rows.exclude(scores=b"").select_related("board_set").order_by("board_set__closed_seq")


def _report_data(
    names: CountBy,
    scores: Sequence[SetScores],
    conduct: list[tuple[str, list[FixtureConduct]]],
    rows: Sequence[BoardSetConduct],
) -> _ReportData:
    tables = sum(row.tables for row in rows)
    missing = sum(row.tables_missing for row in rows)
    return _ReportData(names, tuple(scores), conduct, len(rows), tables, missing)


def _without_pairs(played: Iterable[FixtureConduct], pairs: Sequence[set[str]]) -> list[FixtureConduct]:
    if not pairs:
        return list(played)
    fixtures = []
    for fixture in played:
        sides = [{member.partition("/")[2] for member in side} for side in fixture["sides"]]
        met = [
            {a, b}
            for index, side in enumerate(sides)
            for other in sides[index + 1 :]
            for a in side
            for b in other
        ]
        if not any(pair in pairs for pair in met):
            fixtures.append(fixture)
    return fixtures


def _encounters(data: _ReportData, kind: ConductKind) -> list[Encounter]:
    return [
        encounter
        for board_set, played in data.conduct
        for encounter in encounters_of(board_set, played, kind, data.names)
    ]


def _pair_finding(finding: PairFinding) -> Finding:
    entry, partner = parse_line_key(finding.entry)
    return Finding(
        subject=Finding.Subject.RESULTS,
        kind=finding.kind,
        entry=entry,
        other=parse_line_key(finding.other)[0],
        with_other_partners=partner == "other",
        residual=finding.residual,
        error=finding.error,
        meetings=len(finding.fixtures),
        boards=finding.boards,
        p=finding.p,
        q=finding.q,
        unusual_boards=[board._asdict() for board in finding.unusual_boards[:MAX_BOARDS]],
    )


def _conduct_finding(subject: Finding.Subject, finding: OpponentFinding) -> Finding:
    boards = [{**board._asdict(), "stones": None} for board in finding.boards[:MAX_BOARDS]]
    return Finding(
        subject=subject,
        kind=finding.kind,
        entry=finding.entry or "",
        other=finding.other or "",
        observed=finding.seen,
        meetings=finding.meetings,
        expected=finding.expected,
        boards=len(finding.boards),
        p=finding.p,
        q=finding.q,
        unusual_boards=boards,
    )
