"""Reading reports: who may, and what stands out in them with the names of those it is about."""

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
    """What stands out, and who: entries in the report of an event, versions in that of a list."""

    finding: Finding
    entry: Entry | BotVersion | None
    """None: several, of ``receives``."""
    other: Entry | BotVersion | None
    """None: nobody in particular, of ``often``."""


def reports_visible_to(user: User) -> QuerySet[Report]:
    """The reports that were made: all for staff, those of own events for their organiser; the latest
    first. List and event along.

    Raises:
        Forbidden: ``not_an_organiser``.
    """
    rows = Report.objects.filter(revision__gt=0).select_related("list", "tournament__organiser")
    if not is_staff(user):
        if not user.is_organiser:
            raise Forbidden("Reports are for organisers and staff.", "not_an_organiser")
        rows = rows.filter(organiser_filter(user, "tournament__"))
    return rows.order_by("-made_at", "-pk")


def reports_flagged_first(user: User) -> QuerySet[Report]:
    """The same with those in which something stands out before the others."""
    nothing = Case(When(flagged=0, then=1), default=0, output_field=IntegerField())
    return reports_visible_to(user).order_by(nothing, "-made_at", "-pk")


def reports_flagged(rows: QuerySet[Report], *, is_flagged: bool = True) -> QuerySet[Report]:
    """Those in which something stands out, or the others."""
    return rows.filter(flagged__gt=0) if is_flagged else rows.filter(flagged=0)


def report_of_list(rating_list: RatingList, user: User) -> Report:
    """The report of a list, for staff.

    Raises:
        Forbidden: ``not_staff``.
        NotFound: ``report_missing``: none was made yet.
    """
    found = report_of_list_if_made(rating_list, user)
    if found is None:
        raise NotFound(f"The list {rating_list} has no report yet; it is made soon.", "report_missing")
    return found


def report_of_event(tournament: Tournament, user: User) -> Report:
    """The report of an event, for its organiser and staff.

    Raises:
        Forbidden: ``not_the_organiser``.
        NotFound: ``report_missing``: none was made yet.
    """
    found = report_of_event_if_made(tournament, user)
    if found is None:
        raise NotFound(
            f"{tournament.name} has no report yet: one is made after a round of boards is closed.",
            "report_missing",
        )
    return found


def report_of_list_if_made(rating_list: RatingList, user: User) -> Report | None:
    """The report of a list, for staff; None before the first. One query.

    Raises:
        Forbidden: ``not_staff``.
    """
    require_staff(user)
    return Report.objects.filter(list=rating_list, revision__gt=0).select_related("list").first()


def report_of_event_if_made(tournament: Tournament, user: User) -> Report | None:
    """The report of an event, for its organiser and staff; None before the first. One query.

    Raises:
        Forbidden: ``not_the_organiser``.
    """
    require_organiser(user, tournament)
    rows = Report.objects.filter(tournament=tournament, revision__gt=0)
    return rows.select_related("tournament").first()


def findings_of(report: Report) -> list[NamedFinding]:
    """What stands out in a report, with names, in its order. Two queries."""
    rows = list(report.findings.select_related("ruler").order_by("number"))
    wanted = {name for row in rows for name in (row.entry, row.other) if name}
    found: dict[str, Entry | BotVersion] = {}
    if report.tournament_id is not None:
        entries = Entry.objects.filter(tournament=report.tournament_id, public_id__in=wanted)
        along = ("player", "version__bot", "partner_version__bot")
        found.update({row.public_id: row for row in entries.select_related(*along).order_by()})
    else:
        versions = BotVersion.objects.filter(public_id__in=wanted).select_related("bot__owner")
        found.update({row.public_id: row for row in versions.order_by()})
    return [NamedFinding(row, found.get(row.entry), found.get(row.other)) for row in rows]
