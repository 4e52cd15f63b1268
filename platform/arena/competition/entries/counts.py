"""Numbers of entries per tournament and per stage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Q

from arena.competition.models import Entry, Stage, StageEntry, Tournament

FIELD_STATUSES = (Entry.Status.ENTERED, Entry.Status.LEFT)


class EntryCounts(NamedTuple):
    playing: int
    """Entries that are entered: neither pending nor out."""
    in_field: int
    """Entered entries and those that left after the lock."""


def entry_counts(tournaments: Iterable[Tournament] | Iterable[int]) -> dict[int, EntryCounts]:
    """Return counts by key of the tournament; tournaments without entries are missing. One query.

    Tournaments may be given by key.
    """
    rows = Entry.objects.filter(tournament__in=list(tournaments), status__in=FIELD_STATUSES)
    counted = (
        rows.order_by()
        .values("tournament")
        .annotate(playing=Count("pk", filter=Q(status=Entry.Status.ENTERED)), in_field=Count("pk"))
    )
    return {
        tournament: EntryCounts(playing, in_field)
        for tournament, playing, in_field in counted.values_list("tournament", "playing", "in_field")
    }


def entry_statuses(tournament: Tournament) -> dict[str, int]:
    rows = tournament.entries.order_by().values_list("status")
    return dict(rows.annotate(count=Count("pk")))


class FieldCounts(NamedTuple):
    statuses: dict[str, int]
    has_organisers_own: bool
    """Whether an entered entry belongs to an organiser."""


def field_counts(tournament: Tournament) -> FieldCounts:
    """Return ``entry_statuses``, and whether an organiser plays. One query."""
    rows = tournament.entries.order_by().values_list("status")
    counted = list(rows.annotate(count=Count("pk"), own=Count("pk", filter=Q(is_organiser_entry=True))))
    return FieldCounts(
        {status: count for status, count, _ in counted},
        any(own and status == Entry.Status.ENTERED for status, _, own in counted),
    )


def field_sizes(stages: Iterable[Stage]) -> dict[int, int]:
    rows = StageEntry.objects.filter(stage__in=list(stages)).order_by().values_list("stage")
    return dict(rows.annotate(count=Count("pk")))
