"""Changes of rating lines in the last week, or by their latest results."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Case, F, OuterRef, Q, Subquery, When
from django.utils import timezone

from arena.features.ratings.models import Rating, RatingChange
from arena.features.ratings.selectors import basis_of

WEEK = timedelta(days=7)


class Movement(NamedTuple):
    """Changes of lines of one list."""

    is_week: bool
    """Whether lines are compared with a week ago, else each with its rating before its latest board set.

    Both are changes of the difference from the reference line. In a list without one, and before all changes
    are stored with a difference from it, those by the latest board set are relative to the list's average.
    """
    by_line: Mapping[int, float]
    """Stones per board by key; lines without an earlier rating are missing."""


class _Line(NamedTuple):
    key: int
    list: int
    version: int
    partner: str
    estimate: float
    difference: float | None
    week: float | None
    previous: float | None
    week_difference: float | None
    previous_difference: float | None


def movements_of(rows: Collection[Rating]) -> dict[int, Movement]:
    """Return the stored changes of rated lines by key of the list; lists without any are missing.

    A week is used if any line of the list was rated by then. One query, and two per list not cached.
    """
    references = {row.list_id: basis_of(row.list).reference for row in rows}
    if not references:
        return {}
    chosen = Q(pk__in=[row.pk for row in rows])
    for rating_list, reference in references.items():
        if reference is not None:
            chosen |= Q(list=rating_list, version=reference[0], partner=reference[1])
    by_list: dict[int, list[_Line]] = {}
    for line in _lines(chosen):
        by_list.setdefault(line.list, []).append(line)
    movements = {key: _movement(lines, references[key]) for key, lines in by_list.items()}
    return {key: movement for key, movement in movements.items() if movement.by_line}


def _lines(chosen: Q) -> list[_Line]:
    changes = RatingChange.objects.filter(
        list=OuterRef("list"), version=OuterRef("version"), partner=OuterRef("partner")
    ).order_by("-pk")
    changes = changes.annotate(
        relative=Case(When(reference=OuterRef("list__reference"), then=F("difference")))
    )
    week = changes.filter(created_at__lte=timezone.now() - WEEK)
    rows = Rating.objects.filter(chosen, estimate__isnull=False).order_by()
    figures = rows.annotate(
        week=Subquery(week.values("estimate")[:1]),
        previous=Subquery(changes.values("estimate")[1:2]),
        week_difference=Subquery(week.values("relative")[:1]),
        previous_difference=Subquery(changes.values("relative")[1:2]),
    )
    keys = ("pk", "list_id", "version_id", "partner")
    return [_Line(*values) for values in figures.values_list(*keys, *_Line._fields[len(keys) :])]


def _movement(lines: Collection[_Line], reference: tuple[int, str] | None) -> Movement:
    is_week = any(line.week is not None for line in lines)
    differences = {line.key: line.week_difference if is_week else line.previous_difference for line in lines}
    if all(
        differences[line.key] is not None
        for line in lines
        if (line.week if is_week else line.previous) is not None
    ):
        by_line = {
            line.key: line.difference - earlier
            for line in lines
            if line.difference is not None and (earlier := differences[line.key]) is not None
        }
        if by_line:
            return Movement(is_week, by_line)
    if not is_week:
        before = {line.key: line.previous for line in lines}
        return Movement(False, _changes(lines, before, 0.0))
    before = {line.key: line.week for line in lines}
    zero = [line for line in lines if (line.version, line.partner) == reference]
    if reference is None:
        return Movement(True, _changes(lines, before, 0.0))
    moved = _changes(zero, before, 0.0)
    return Movement(True, _changes(lines, before, moved[zero[0].key]) if moved else {})


def _changes(lines: Collection[_Line], before: Mapping[int, float | None], zero: float) -> dict[int, float]:
    return {
        line.key: line.estimate - earlier - zero
        for line in lines
        if (earlier := before[line.key]) is not None
    }
