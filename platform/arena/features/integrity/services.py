"""Making reports: what stands out in a list of ratings or an event follows from its closed sets alone.

Nothing follows from a report by itself: people look at boards, and decide.
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
    new_due_mark,
)
from arena.features.integrity.models import Finding, ReadSet, Report, SetsSeen
from arena.features.ratings.board_scores import left_out_pairs, unpack_cached
from arena.features.ratings.models import RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.matches.models import BoardSet
from league.rating.columns import line_named
from league.rating.fixtures import SetScores
from league.rating.integrity import PairFinding, pair_findings
from league.rating.opponents import Encounter, OpponentFinding, by_opponent, more_than_others

log = logging.getLogger(__name__)

MAX_CALL_S = 20.0
"""So long one call of ``reports_make`` begins another table, set or report."""
CLAIM_S = 600
"""After so long whoever makes reports is taken for lost."""
MIN_INTERVAL_S = 60
"""A report is not made again sooner."""
MIN_INTERVAL_RATIO = 20
"""Nor before so many times what it took have passed: at most a twentieth of a core."""
MAX_BOARDS = 8
"""Boards to look at, of each finding."""
RULINGS_INTERVAL_S = 3600
"""Rulings of persons are compared with all reports after so long."""
MAX_FINDINGS = 50
"""Of each kind of test."""


def reports_due(now: datetime.datetime | None = None) -> bool:
    """Whether there is anything to read or make, and nobody at it. Five queries at most."""
    moment = now or timezone.now()
    seen, _ = SetsSeen.objects.get_or_create(pk=1)
    if seen.busy_until is not None and seen.busy_until > moment:
        return False
    if _rulings_are_due(seen, moment):
        return True
    new = BoardSet.objects.filter(state=BoardSet.State.CLOSED, closed_seq__gt=seen.closed_seq)
    if new.exists() or ReadSet.objects.exclude(due="").exists():
        return True
    return bool(_outdated_lists().exists() or _due_reports(moment))


def reports_make(most_s: float = MAX_CALL_S, rest_s: float = MIN_INTERVAL_S) -> int:
    """Take in and read closed sets, then make reports that are due, the one that waits longest first; how
    many were made. Whoever comes while somebody is at it goes away."""
    SetsSeen.objects.get_or_create(pk=1)
    now = timezone.now()
    until = now + datetime.timedelta(seconds=CLAIM_S)
    mine = SetsSeen.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=1)
    if not mine.update(busy_until=until):
        return 0
    try:
        return _read_and_make(time.monotonic() + most_s, rest_s)
    finally:
        SetsSeen.objects.filter(pk=1, busy_until=until).update(busy_until=None)


def _read_and_make(until: float, rest_s: float) -> int:
    while closed_sets_register() and time.monotonic() < until:
        pass
    for rating_list in _outdated_lists():
        report, _ = Report.objects.get_or_create(list=rating_list)
        list_sets_register(rating_list)
        Report.objects.filter(pk=report.pk, due="").update(due=new_due_mark())
    while due_sets_read(until) and time.monotonic() < until:
        pass
    _rulings_compare(timezone.now())
    made = 0
    for report in _due_reports(timezone.now(), rest_s):
        try:
            made += report_make(report)
        except Exception:
            # One report that cannot be made must not hold up the others.
            log.exception("integrity: report %s", report.pk)
        if time.monotonic() >= until:
            break
    return made


def _rulings_are_due(seen: SetsSeen, now: datetime.datetime) -> bool:
    return seen.rulings_at is None or now >= seen.rulings_at + datetime.timedelta(seconds=RULINGS_INTERVAL_S)


def _rulings_compare(now: datetime.datetime) -> None:
    """Note the reports of events whose rulings by persons with an interest are others than reported."""
    if not _rulings_are_due(SetsSeen.objects.get(pk=1), now):
        return
    for tournament in events_to_report():
        report, _ = Report.objects.get_or_create(tournament_id=tournament)
        Report.objects.filter(pk=report.pk).update(due=new_due_mark())
    SetsSeen.objects.filter(pk=1).update(rulings_at=now)


def _outdated_lists() -> QuerySet[RatingList]:
    """Lists without a report, or with one of an earlier revision. One query."""
    behind = Q(integrity=None) | Q(integrity__list_revision__lt=F("revision"), integrity__due="")
    return RatingList.objects.filter(behind, revision__gt=0).order_by("pk")


def _due_reports(now: datetime.datetime, rest_s: float = MIN_INTERVAL_S) -> list[Report]:
    """Reports that are due and had their rest, the one made longest ago first. One query."""
    rows = Report.objects.exclude(due="").select_related("list", "tournament")
    found = [report for report in rows if _is_interval_over(report, now, rest_s)]
    return sorted(found, key=lambda report: (report.made_at is not None, report.made_at, report.pk))


def _is_interval_over(report: Report, now: datetime.datetime, rest_s: float) -> bool:
    if report.made_at is None:
        return True
    rest = max(rest_s, MIN_INTERVAL_RATIO * report.took_ms / 1000 if rest_s else 0)
    return now >= report.made_at + datetime.timedelta(seconds=rest)


class _ReportData(NamedTuple):
    """What a report follows from."""

    names: CountBy
    scores: tuple[SetScores, ...]
    conduct: list[tuple[str, list[FixtureConduct]]]
    """By public id of the board set."""
    sets: int
    tables: int
    missing: int


def report_make(report: Report) -> bool:
    """Make a report from what was read of its sets; False if somebody else made it meanwhile.

    Costs a fit and a pass over all pairs: six seconds for 1,000 entries in 100,000 fixtures, and some more
    for each pair that stands out.
    """
    began = time.process_time()
    list_revision = report.list.revision if report.list is not None else 0
    material = _list_data(report.list) if report.list is not None else _event_data(report)
    pairs = pair_findings(material.scores)
    forfeits = _encounters(material, "forfeits")
    waited = _encounters(material, "waits")
    rows = [
        *(_pair_finding(found) for found in pairs.findings),
        *(
            _conduct_finding(Finding.Subject.FORFEITS, found)
            for found in by_opponent(forfeits)[:MAX_FINDINGS]
        ),
        *(
            _conduct_finding(Finding.Subject.WAITS, found)
            for found in (*by_opponent(waited)[:MAX_FINDINGS], *more_than_others(waited)[:MAX_FINDINGS])
        ),
        *(findings_of_rulings(report.tournament_id) if report.tournament_id is not None else ()),
    ]
    took_ms = round(1000 * (time.process_time() - began))
    with transaction.atomic():
        mine = Report.objects.filter(pk=report.pk, revision=report.revision)
        made = mine.update(
            revision=report.revision + 1,
            list_revision=list_revision,
            made_at=timezone.now(),
            took_ms=took_ms,
            sets=material.sets,
            fixtures=sum(len(played) for _, played in material.conduct),
            pairs=pairs.pairs,
            tables=material.tables - material.missing,
            tables_missing=material.missing,
            flagged=len(rows),
        )
        if not made:
            return False
        # What changed meanwhile has another mark, and is made by the next call.
        Report.objects.filter(pk=report.pk, due=report.due).update(due="")
        Finding.objects.filter(report=report).delete()
        for number, row in enumerate(rows, 1):
            row.report, row.number = report, number
        Finding.objects.bulk_create(rows)
    return True


def _list_data(rating_list: RatingList) -> _ReportData:
    """Of a list: scores as they are rated, and conduct in the same sets, without the pairs left out."""
    rows = list(_read_sets(ReadSet.objects.filter(board_set__rated_in__list=rating_list)))
    scores = list_set_scores(rating_list)
    pairs = [set(pair) for pair in left_out_pairs(rating_list)]
    conduct = [(row.board_set.public_id, _without_pairs(row.conduct, pairs)) for row in rows]
    return _report_data("version", scores, conduct, rows)


def _event_data(report: Report) -> _ReportData:
    """Of an event: its closed sets, by entries."""
    in_event = {"board_set__round__stage__tournament": report.tournament_id}
    rows = list(_read_sets(ReadSet.objects.filter(**in_event)))
    scores = tuple(one for row in rows for one in unpack_cached(bytes(row.scores)))
    return _report_data("entry", scores, [(row.board_set.public_id, row.conduct) for row in rows], rows)


def _read_sets(rows: QuerySet[ReadSet]) -> QuerySet[ReadSet]:
    """Those that were read, in closing order."""
    return rows.exclude(scores=b"").select_related("board_set").order_by("board_set__closed_seq")


def _report_data(
    names: CountBy,
    scores: Sequence[SetScores],
    conduct: list[tuple[str, list[FixtureConduct]]],
    rows: Sequence[ReadSet],
) -> _ReportData:
    tables = sum(row.tables for row in rows)
    missing = sum(row.tables_missing for row in rows)
    return _ReportData(names, tuple(scores), conduct, len(rows), tables, missing)


def _without_pairs(played: Iterable[FixtureConduct], pairs: Sequence[set[str]]) -> list[FixtureConduct]:
    """The fixtures in which none of these pairs of versions sat on different sides."""
    if not pairs:
        return list(played)
    found = []
    for one in played:
        sides = [{member.partition("/")[2] for member in side} for side in one["sides"]]
        met = [
            {a, b} for at, side in enumerate(sides) for other in sides[at + 1 :] for a in side for b in other
        ]
        if not any(pair in pairs for pair in met):
            found.append(one)
    return found


def _encounters(material: _ReportData, what: ConductKind) -> list[Encounter]:
    return [
        encounter
        for board_set, played in material.conduct
        for encounter in encounters_of(board_set, played, what, material.names)
    ]


def _pair_finding(found: PairFinding) -> Finding:
    entry, partner = line_named(found.entry)
    return Finding(
        subject=Finding.Subject.RESULTS,
        kind=found.kind,
        entry=entry,
        other=line_named(found.other)[0],
        is_with_strangers=partner == "strangers",
        residual=found.residual,
        error=found.error,
        meetings=len(found.fixtures),
        boards=found.boards,
        p=found.p,
        q=found.q,
        odd_boards=[board._asdict() for board in found.odd_boards[:MAX_BOARDS]],
    )


def _conduct_finding(subject: Finding.Subject, found: OpponentFinding) -> Finding:
    boards = [{**board._asdict(), "stones": None} for board in found.boards[:MAX_BOARDS]]
    return Finding(
        subject=subject,
        kind=found.kind,
        entry=found.entry or "",
        other=found.other or "",
        seen=found.seen,
        meetings=found.meetings,
        expected=found.expected,
        boards=len(found.boards),
        p=found.p,
        q=found.q,
        odd_boards=boards,
    )
