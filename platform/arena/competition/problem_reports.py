"""Problem reports: an entrant asks the organiser to look at a problem, and the organiser answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound
from arena.common.states import wrong_state
from arena.common.texts import require_visible_characters
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, ProblemReport, Tournament
from arena.competition.selectors import (
    Viewer,
    entries_in_field,
    entry_owner_filter,
    may_organise,
    require_organiser,
)
from arena.competition.transitions import tournament_row_lock

State = Tournament.State
REPORTABLE_STATES = (State.RUNNING, State.PAUSED, State.PROVISIONAL)
"""States in which problems can be reported: those in which rulings are possible."""
EXCERPT_LENGTH = 200


def report_open(entry: Entry, actor: User, text: str) -> ProblemReport:
    """Report a problem for an entry and notify its organisers.

    Raises Forbidden ``not_owner``; Invalid ``text``; Conflict ``wrong_state``, ``reports_unsupported`` for
    kinds other than events, ``not_in_field``, ``report_is_open``.
    """
    if not any(owner.user_id == actor.pk for owner in entry.owners()):
        raise Forbidden("Only the owners of an entry can report a problem with it.", "not_owner")
    text = _require_text("text", text)
    tournament = entry.tournament
    try:
        with transaction.atomic():
            # Lock the event, so that it is not finalised meanwhile.
            tournament_row_lock(pk=tournament.pk)
            tournament.refresh_from_db()
            entry.refresh_from_db(fields=["status"])
            if tournament.kind != Tournament.Kind.TOURNAMENT:
                raise Conflict(
                    "Problems can be reported only in tournaments with an organiser.", "reports_unsupported"
                )
            if tournament.state not in REPORTABLE_STATES:
                raise wrong_state(tournament, "report a problem in", REPORTABLE_STATES)
            if entry.status not in FIELD_STATUSES:
                raise Conflict(f"{entry.bot_name} does not play in {tournament.name}.", "not_in_field")
            report = ProblemReport.objects.create(entry=entry, reporter=actor, text=text)
            audit(actor, "report_problem", tournament, report=report.public_id, entry=entry.public_id)
            excerpt = text if len(text) <= EXCERPT_LENGTH else f"{text[:EXCERPT_LENGTH]}…"
            for organiser in (tournament.organiser, *tournament.co_organisers.order_by("pk")):
                event_add(
                    "report.opened",
                    report,
                    tournament=tournament.public_id,
                    user=organiser,
                    entry=entry.public_id,
                )
                notice_create(
                    organiser,
                    Notice.Kind.TOURNAMENT,
                    {
                        "code": "report_opened",
                        "user": actor.username,
                        "tournament": tournament.name,
                        "bots": entry.bot_name,
                        "text": excerpt,
                    },
                    reports_page(tournament),
                )
    except IntegrityError:
        still_open = ProblemReport.objects.filter(entry=entry, closed_at=None).first()
        if still_open is None:
            raise
        raise Conflict(
            "This entry already has an open report. Wait for the answer before you report another problem.",
            "report_is_open",
            report=still_open.public_id,
        ) from None
    return report


def report_close(report: ProblemReport, actor: User, answer: str) -> None:
    """Answer and close a report. Raises Forbidden, Invalid, Conflict ``report_is_closed``."""
    tournament = report.entry.tournament
    require_organiser(actor, tournament)
    answer = _require_text("answer", answer)
    with transaction.atomic():
        changed = ProblemReport.objects.filter(pk=report.pk, closed_at=None).update(
            answer=answer, closed_at=timezone.now(), closed_by=actor
        )
        report.refresh_from_db()
        if not changed:
            raise Conflict("This report is already closed.", "report_is_closed", answer=report.answer)
        entry = report.entry
        audit(actor, "close_report", tournament, report=report.public_id, reason=answer)
        owners = {owner.user for owner in entry.owners()} - {actor}
        for user in sorted(owners, key=lambda user: user.pk):
            event_add(
                "report.closed", report, tournament=tournament.public_id, user=user, entry=entry.public_id
            )
            notice_create(
                user,
                Notice.Kind.TOURNAMENT,
                {
                    "code": "report_answered",
                    "tournament": tournament.name,
                    "bots": entry.bot_name,
                    "text": answer,
                },
                reports_page(tournament),
            )


def require_no_open_report(tournament: Tournament) -> None:
    """Raise Conflict ``reports_open`` if reports are open; ``extra["reports"]`` lists their ids."""
    waiting = list(
        ProblemReport.objects.filter(entry__tournament=tournament, closed_at=None)
        .order_by("pk")
        .values_list("public_id", flat=True)
    )
    if waiting:
        count = "A report is" if len(waiting) == 1 else f"{len(waiting)} reports are"
        raise Conflict(
            f"{count} open. Answer the reports before you end the review.",
            "reports_open",
            reports=waiting,
        )


def reports_visible_to(tournament: Tournament, user: User) -> QuerySet[ProblemReport]:
    """Return all reports for organisers and staff, otherwise those of the account's entries; latest first."""
    rows = ProblemReport.objects.filter(entry__tournament=tournament).order_by("-pk")
    rows = rows.select_related(
        "reporter",
        "closed_by",
        "entry__tournament__organiser",
        "entry__player__user",
        "entry__version__bot__owner__user",
        "entry__partner_version__bot__owner__user",
    )
    return rows if may_organise(user, tournament) else rows.filter(entry_owner_filter(user, "entry__"))


def report_get(tournament: Tournament, public_id: str, user: User) -> ProblemReport:
    report = reports_visible_to(tournament, user).filter(public_id=public_id).first()
    if report is None:
        raise NotFound(f"There is no report {public_id!r} that you can see.", "report_not_found")
    return report


def entries_to_report_for(tournament: Tournament, user: Viewer) -> list[Entry]:
    """Return the account's entries for which it can report a problem now. At most one query."""
    is_event = tournament.kind == Tournament.Kind.TOURNAMENT
    if not isinstance(user, User) or not is_event or tournament.state not in REPORTABLE_STATES:
        return []
    rows = entries_in_field(tournament).filter(entry_owner_filter(user))
    return list(rows.exclude(problem_reports__in=ProblemReport.objects.filter(closed_at=None)))


class ReportCounts(NamedTuple):
    open: int
    closed: int


def report_counts(tournament: Tournament, user: User) -> ReportCounts:
    closed = Q(closed_at__isnull=False)
    counts = reports_visible_to(tournament, user).aggregate(
        open=Count("pk", filter=~closed), closed=Count("pk", filter=closed)
    )
    return ReportCounts(**counts)


def open_report_counts(tournaments: Collection[Tournament]) -> dict[int, int]:
    """Return numbers of open reports by key of the tournament, without zeros. One query."""
    rows = ProblemReport.objects.filter(entry__tournament__in=tournaments, closed_at=None)
    counts = rows.order_by().values_list("entry__tournament").annotate(count=Count("pk"))
    return dict(counts)


def reports_page(tournament: Tournament) -> str:
    return f"{tournament.page}/reports"


def _require_text(field: str, text: str) -> str:
    text = text.strip()
    if not text:
        raise Invalid(f"The {field} is empty. Write a text.", "invalid", field=field)
    if len(text) > ProblemReport.MAX_LENGTH:
        raise Invalid(
            f"This {field} has {len(text)} characters; at most {ProblemReport.MAX_LENGTH} are accepted.",
            "invalid",
            field=field,
        )
    return require_visible_characters(field, text)
