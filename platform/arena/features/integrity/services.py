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

from arena.features.integrity.conduct import Names, Played, What, encounters_of
from arena.features.integrity.conflicts import events_behind, findings_of_rulings
from arena.features.integrity.models import Finding, ReadSet, Report, SetsSeen
from arena.features.integrity.reading import mark, sets_of_list_note, sets_read, sets_take_in
from arena.features.ratings.models import RatingList
from arena.features.ratings.reading import pairs_left_out, unpacked
from arena.features.ratings.selectors import sets_of
from arena.matches.models import BoardSet
from league.rating.columns import line_named
from league.rating.fixtures import SetScores
from league.rating.integrity import PairFinding, pair_findings
from league.rating.opponents import Encounter, OpponentFinding, by_opponent, more_than_others

log = logging.getLogger(__name__)

MOST_S = 20.0
"""So long one call of ``reports_make`` begins another table, set or report."""
BUSY_S = 600
"""After so long whoever makes reports is taken for lost."""
REST_S = 60
"""A report is not made again sooner."""
REST_TIMES = 20
"""Nor before so many times what it took have passed: at most a twentieth of a core."""
BOARDS_SHOWN = 8
"""Boards to look at, of each finding."""
RULINGS_S = 3600
"""Rulings of persons are compared with all reports after so long."""
MOST_FINDINGS = 50
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
    return bool(_lists_behind().exists() or _due(moment))


def reports_make(most_s: float = MOST_S, rest_s: float = REST_S) -> int:
    """Take in and read closed sets, then make reports that are due, the one that waits longest first; how
    many were made. Whoever comes while somebody is at it goes away."""
    SetsSeen.objects.get_or_create(pk=1)
    now = timezone.now()
    until = now + datetime.timedelta(seconds=BUSY_S)
    mine = SetsSeen.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=1)
    if not mine.update(busy_until=until):
        return 0
    try:
        return _made(time.monotonic() + most_s, rest_s)
    finally:
        SetsSeen.objects.filter(pk=1, busy_until=until).update(busy_until=None)


def _made(until: float, rest_s: float) -> int:
    while sets_take_in() and time.monotonic() < until:
        pass
    for rating_list in _lists_behind():
        report, _ = Report.objects.get_or_create(list=rating_list)
        sets_of_list_note(rating_list)
        Report.objects.filter(pk=report.pk, due="").update(due=mark())
    while sets_read(until) and time.monotonic() < until:
        pass
    _rulings_compare(timezone.now())
    made = 0
    for report in _due(timezone.now(), rest_s):
        try:
            made += report_make(report)
        except Exception:
            # One report that cannot be made must not hold up the others.
            log.exception("integrity: report %s", report.pk)
        if time.monotonic() >= until:
            break
    return made


def _rulings_are_due(seen: SetsSeen, now: datetime.datetime) -> bool:
    return seen.rulings_at is None or now >= seen.rulings_at + datetime.timedelta(seconds=RULINGS_S)


def _rulings_compare(now: datetime.datetime) -> None:
    """Note the reports of events whose rulings by persons with an interest are others than reported."""
    if not _rulings_are_due(SetsSeen.objects.get(pk=1), now):
        return
    for tournament in events_behind():
        report, _ = Report.objects.get_or_create(tournament_id=tournament)
        Report.objects.filter(pk=report.pk).update(due=mark())
    SetsSeen.objects.filter(pk=1).update(rulings_at=now)


def _lists_behind() -> QuerySet[RatingList]:
    """Lists without a report, or with one of an earlier revision. One query."""
    behind = Q(integrity=None) | Q(integrity__list_revision__lt=F("revision"), integrity__due="")
    return RatingList.objects.filter(behind, revision__gt=0).order_by("pk")


def _due(now: datetime.datetime, rest_s: float = REST_S) -> list[Report]:
    """Reports that are due and had their rest, the one made longest ago first. One query."""
    rows = Report.objects.exclude(due="").select_related("list", "tournament")
    found = [report for report in rows if _has_rested(report, now, rest_s)]
    return sorted(found, key=lambda report: (report.made_at is not None, report.made_at, report.pk))


def _has_rested(report: Report, now: datetime.datetime, rest_s: float) -> bool:
    if report.made_at is None:
        return True
    rest = max(rest_s, REST_TIMES * report.took_ms / 1000 if rest_s else 0)
    return now >= report.made_at + datetime.timedelta(seconds=rest)


class _Material(NamedTuple):
    """What a report follows from."""

    names: Names
    scores: tuple[SetScores, ...]
    conduct: list[tuple[str, list[Played]]]
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
    material = _of_list(report.list) if report.list is not None else _of_event(report)
    pairs = pair_findings(material.scores)
    forfeits = _encounters(material, "forfeits")
    waited = _encounters(material, "waits")
    rows = [
        *(_of_pair(found) for found in pairs.findings),
        *(_of_conduct(Finding.Subject.FORFEITS, found) for found in by_opponent(forfeits)[:MOST_FINDINGS]),
        *(
            _of_conduct(Finding.Subject.WAITS, found)
            for found in (*by_opponent(waited)[:MOST_FINDINGS], *more_than_others(waited)[:MOST_FINDINGS])
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


def _of_list(rating_list: RatingList) -> _Material:
    """Of a list: scores as they are rated, and conduct in the same sets, without the pairs left out."""
    rows = list(_read_sets(ReadSet.objects.filter(board_set__rated_in__list=rating_list)))
    scores = sets_of(rating_list)
    pairs = [set(pair) for pair in pairs_left_out(rating_list)]
    conduct = [(row.board_set.public_id, _without(row.conduct, pairs)) for row in rows]
    return _material("version", scores, conduct, rows)


def _of_event(report: Report) -> _Material:
    """Of an event: its closed sets, by entries."""
    in_event = {"board_set__round__stage__tournament": report.tournament_id}
    rows = list(_read_sets(ReadSet.objects.filter(**in_event)))
    scores = tuple(one for row in rows for one in unpacked(bytes(row.scores)))
    return _material("entry", scores, [(row.board_set.public_id, row.conduct) for row in rows], rows)


def _read_sets(rows: QuerySet[ReadSet]) -> QuerySet[ReadSet]:
    """Those that were read, in closing order."""
    return rows.exclude(scores=b"").select_related("board_set").order_by("board_set__closed_seq")


def _material(
    names: Names,
    scores: Sequence[SetScores],
    conduct: list[tuple[str, list[Played]]],
    rows: Sequence[ReadSet],
) -> _Material:
    tables = sum(row.tables for row in rows)
    missing = sum(row.tables_missing for row in rows)
    return _Material(names, tuple(scores), conduct, len(rows), tables, missing)


def _without(played: Iterable[Played], pairs: Sequence[set[str]]) -> list[Played]:
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


def _encounters(material: _Material, what: What) -> list[Encounter]:
    return [
        encounter
        for board_set, played in material.conduct
        for encounter in encounters_of(board_set, played, what, material.names)
    ]


def _of_pair(found: PairFinding) -> Finding:
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
        odd_boards=[board._asdict() for board in found.odd_boards[:BOARDS_SHOWN]],
    )


def _of_conduct(subject: Finding.Subject, found: OpponentFinding) -> Finding:
    boards = [{**board._asdict(), "stones": None} for board in found.boards[:BOARDS_SHOWN]]
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
