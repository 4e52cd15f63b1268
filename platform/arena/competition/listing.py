"""Filters and orders of the lists of tournaments and cups."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, Lower, RowNumber

from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.games import presets_of_family
from arena.competition.models import Entry, Series, Stage, Tournament
from arena.competition.selectors import Viewer, tournaments_visible_to
from league.formats import format_named


def tournaments_of(rows: QuerySet[Tournament], family: str, preset: str) -> QuerySet[Tournament]:
    """Filter by preset, or by the presets of a family; an empty one filters nothing."""
    if preset:
        return rows.filter(preset=preset)
    return rows.filter(preset__in=presets_of_family(family)) if family else rows


def tournaments_by_name(rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
    return rows.order_by(Lower("name"), "-id")


def tournaments_by_entries(rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Order by number of entries, largest first, then by time."""
    # A join would group the rows by all of their columns.
    entries = Entry.objects.filter(tournament=OuterRef("pk"), status__in=FIELD_STATUSES)
    count = entries.order_by().values("tournament").annotate(count=Count("pk")).values("count")
    size = Coalesce(Subquery(count, output_field=IntegerField()), 0)
    return rows.annotate(field_size=size).order_by("-field_size", "-state_at", "-id")


def series_of(rows: QuerySet[Series], family: str, preset: str) -> QuerySet[Series]:
    """Filter by the preset of the template, or by the presets of a family; an empty one filters nothing."""
    if preset:
        return rows.filter(template__preset=preset)
    if not family:
        return rows
    condition = Q()
    for name in presets_of_family(family):
        condition |= Q(template__preset=name)
    return rows.filter(condition)


def series_by_name(rows: QuerySet[Series]) -> QuerySet[Series]:
    return rows.order_by(Lower("name"), "-id")


def format_titles(tournaments: Collection[Tournament]) -> dict[int, list[str]]:
    """Return the titles of the stages' formats in order, by key of the tournament. One query."""
    rows = Stage.objects.filter(tournament__in=tournaments).order_by("tournament", "number")
    titles: dict[int, list[str]] = {}
    for tournament, name in rows.values_list("tournament_id", "format"):
        titles.setdefault(tournament, []).append(format_named(name).title)
    return titles


def last_editions(series: Collection[Series], viewer: Viewer) -> dict[int, Tournament]:
    """Return the latest final edition of each cup that the viewer may see, by key of the cup. One query."""
    ended = (Tournament.State.FINAL, Tournament.State.ARCHIVED)
    newest = Window(RowNumber(), partition_by=F("series"), order_by=F("edition").desc())
    rows = tournaments_visible_to(viewer).filter(series__in=series, state__in=ended)
    latest = rows.annotate(row_number=newest).filter(row_number=1).order_by()
    return {row.series_id: row for row in latest if row.series_id is not None}
