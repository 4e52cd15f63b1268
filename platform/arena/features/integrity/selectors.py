"""Selectors of reports: permissions, and findings with the names of their subjects."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Case, IntegerField, QuerySet, When

from arena.accounts.models import User
from arena.accounts.selectors import is_staff
from arena.common.errors import Forbidden, NotFound
from arena.competition.models import Entry, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import require_organiser
from arena.features.integrity.models import Finding, Report
from arena.features.ratings.models import RatingList
from arena.features.ratings.pairs import require_staff
from arena.roster.models import BotVersion


class NamedFinding(NamedTuple):
    """A finding with its subjects: entries in the report of an event, versions in the report of a list."""

    finding: Finding
    entry: Entry | BotVersion | None
    """None for ``received``, which concerns several."""
    other: Entry | BotVersion | None
    """None for ``frequent``, which concerns all opponents."""


def reports_visible_to(user: User) -> QuerySet[Report]:
    """Return computed reports: all for staff, those on own events for organisers; newest first."""
    rows = Report.objects.filter(revision__gt=0).select_related("list", "tournament__organiser")
    if not is_staff(user):
        if not user.is_organiser:
            raise Forbidden("Reports are for organisers and staff.", "organiser_role_required")
        rows = rows.filter(organiser_filter(user, "tournament__"))
    return rows.order_by("-computed_at", "-pk")


def reports_flagged_first(user: User) -> QuerySet[Report]:
    nothing = Case(When(finding_count=0, then=1), default=0, output_field=IntegerField())
    return reports_visible_to(user).order_by(nothing, "-computed_at", "-pk")


def reports_flagged(rows: QuerySet[Report], *, is_flagged: bool = True) -> QuerySet[Report]:
    return rows.filter(finding_count__gt=0) if is_flagged else rows.filter(finding_count=0)


def report_of_list(rating_list: RatingList, user: User) -> Report:
    """Return the report on a list. Raises Forbidden (``not_staff``), NotFound
    (``integrity_report_not_found``).
    """
    report = report_of_list_if_made(rating_list, user)
    if report is None:
        raise NotFound(
            f"The list {rating_list} has no report yet; it is made soon.",
            "integrity_report_not_found",
        )
    return report


def report_of_event(tournament: Tournament, user: User) -> Report:
    """Return the report on an event. Raises Forbidden (``not_organiser``), NotFound."""
    report = report_of_event_if_made(tournament, user)
    if report is None:
        raise NotFound(
            f"{tournament.name} has no report yet: one is made after a board set is closed.",
            "integrity_report_not_found",
        )
    return report


def report_of_list_if_made(rating_list: RatingList, user: User) -> Report | None:
    """Return the report on a list, or None before the first. One query. Raises Forbidden (``not_staff``)."""
    require_staff(user)
    return Report.objects.filter(list=rating_list, revision__gt=0).select_related("list").first()


def report_of_event_if_made(tournament: Tournament, user: User) -> Report | None:
    """Return the report on an event, or None before the first. One query. Raises Forbidden."""
    require_organiser(user, tournament)
    rows = Report.objects.filter(tournament=tournament, revision__gt=0)
    return rows.select_related("tournament").first()


def findings_of(report: Report) -> list[NamedFinding]:
    """Return the findings of a report in order, with their subjects. Two queries."""
    rows = list(report.findings.select_related("adjudicator").order_by("number"))
    names = {name for row in rows for name in (row.entry, row.other) if name}
    named: dict[str, Entry | BotVersion] = {}
    if report.tournament_id is not None:
        entries = Entry.objects.filter(tournament=report.tournament_id, public_id__in=names)
        along = ("player", "version__bot", "partner_version__bot")
        named.update({row.public_id: row for row in entries.select_related(*along).order_by()})
    else:
        versions = BotVersion.objects.filter(public_id__in=names).select_related("bot__owner")
        named.update({row.public_id: row for row in versions.order_by()})
    return [NamedFinding(row, named.get(row.entry), named.get(row.other)) for row in rows]
