"""Pages of reports, and of rulings on pairs, which list the effects of a ruling before it is confirmed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.accounts.selectors import is_staff
from arena.competition.impartiality import conflict_text
from arena.competition.permissions import allowed_actions
from arena.competition.tournament_actions import format_count
from arena.features.integrity.models import Report
from arena.features.integrity.panels import finding_views, headline, member_name
from arena.features.integrity.rulings import EventPair, event_pair, pair_lift, pair_rulings, pair_void
from arena.features.integrity.selectors import (
    findings_of,
    report_of_event_if_made,
    report_of_list_if_made,
    reports_flagged_first,
)
from arena.features.ratings import pairs
from arena.features.ratings.panels.lines import list_title
from arena.features.ratings.selectors import list_get
from arena.features.ratings.tasks import ratings_request
from arena.jobs.flow import tournament_advance
from arena.web.base.access import collect_service_errors, render_form, submitted_data
from arena.web.base.paging import page_number
from arena.web.organise.access import organiser_page, own_event
from arena.web.organise.verb_pages import ConfirmForm

PAGE_SIZE = 50


@require_safe
@organiser_page
def reports(request: HttpRequest, user: User) -> HttpResponseBase:
    page = Paginator(reports_flagged_first(user), PAGE_SIZE).get_page(page_number(request))
    context = {"nav": "organise-page", "page": page, "is_staff": is_staff(user)}
    return render(request, "integrity/reports.html", context)


@require_safe
@organiser_page
def list_report(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    rating_list = list_get(public_id)
    report = report_of_list_if_made(rating_list, user)
    context = {
        "list": rating_list,
        "name": list_title(rating_list),
        "rulings": _rulings(pairs.rulings_on(rating_list)),
    }
    return _report_page(request, report, context)


@require_safe
@organiser_page
def event_report(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = own_event(public_id, user)
    report = report_of_event_if_made(event, user)
    conflict = conflict_text(user, event)
    context = {
        "event": event,
        "name": event.name,
        "rulings": _rulings(pair_rulings(event)),
        "conflict": conflict,
    }
    return _report_page(request, report, context, may_rule=not conflict)


def _report_page(
    request: HttpRequest, report: Report | None, context: dict[str, Any], *, may_rule: bool = True
) -> HttpResponse:
    findings = findings_of(report) if report is not None else []
    report_context = {
        "nav": "organise-page",
        "report": report,
        "headline": headline(report, findings) if report is not None else [],
        "findings": finding_views(report, findings, may_rule=may_rule) if report is not None else [],
    }
    return render(request, "integrity/report.html", {**context, **report_context})


def _rulings(rows: Any) -> list[dict[str, Any]]:
    return [
        {"row": row, "names": (member_name(row.first), member_name(row.second)), "ids": _pair_ids(row)}
        for row in rows
    ]


def _pair_ids(row: Any) -> tuple[str, str]:
    return row.first.public_id, row.second.public_id


@organiser_page
def event_pair_rule(
    request: HttpRequest, user: User, public_id: str, first: str, second: str
) -> HttpResponseBase:
    """Show the effects of a ruling on two entries, or of lifting it; POST carries it out."""
    event = own_event(public_id, user)
    pair = event_pair(event, [first, second])
    fingerprint = f"{len(pair.fixtures)}.{pair.ruling.public_id if pair.ruling else ''}.{pair.to_lift}"
    form = ConfirmForm(submitted_data(request), confirms=fingerprint, reason="needed")
    is_possible = "adjudicate" in allowed_actions(event, user)
    if form.is_bound and form.is_valid():
        with collect_service_errors(form):
            if pair.ruling is None:
                pair_void(event, user, [first, second], form.given_reason)
            else:
                pair_lift(pair.ruling, user, form.given_reason)
            tournament_advance(event)
            messages.success(
                request, "The ruling is in effect." if pair.ruling is None else "The ruling is lifted."
            )
            return redirect("web:organise-integrity", public_id=public_id)
    context = {
        "event": event,
        "back": reverse("web:organise-integrity", args=[public_id]),
        "back_name": event.name,
        "does": _event_effects(pair),
        "is_possible": is_possible and bool(pair.fixtures or pair.ruling),
        "impossible": conflict_text(user, event)
        or (
            "No fixture of this pair is left to rule on."
            if is_possible
            else "You can rule on fixtures until the tournament is final. This one is "
            f"{event.state}. Staff can exclude the pair from ratings."
        ),
    }
    return _pair_page(request, form, pair, context)


def _event_effects(pair: EventPair) -> list[str]:
    if pair.ruling is not None:
        stays = pair.ruling.adjudications.count() - pair.to_lift
        says = [f"{format_count(pair.to_lift, 'fixture').capitalize()} will count again as played."]
        if stays:
            says.append(f"Still void, or under a later ruling: {format_count(stays, 'fixture')}.")
        return says
    says = [
        f"{format_count(len(pair.fixtures), 'fixture').capitalize()} between the two will be void for "
        "everybody who played in them.",
        "The ruling and its reason are published with your name on each fixture.",
        "Standings and ratings are computed again without them. Rounds already drawn keep their pairings.",
        "The ruling does not cover fixtures of later rounds.",
    ]
    if pair.other_entries:
        entries = "one other entry" if pair.other_entries == 1 else f"{pair.other_entries:,} other entries"
        says.append(f"{entries.capitalize()} also played in these fixtures.")
    if pair.unfinished:
        unfinished = format_count(pair.unfinished, "fixture")
        says.append(
            f"Not finished: {unfinished}. What is left of them will not be played, and they stay void if the "
            "ruling is lifted."
        )
    if pair.ruled:
        says.append(f"Kept under an earlier ruling: {format_count(pair.ruled, 'fixture')}.")
    if pair.fixed:
        says.append(
            f"Kept, because a later stage was drawn from theirs: {format_count(pair.fixed, 'fixture')}."
        )
    return says


@organiser_page
def list_pair_rule(
    request: HttpRequest, user: User, public_id: str, first: str, second: str
) -> HttpResponseBase:
    """Show the effects of excluding or including two versions; POST carries it out."""
    pairs.require_staff(user)
    rating_list = list_get(public_id)
    pair = pairs.list_pair(rating_list, [first, second])
    fingerprint = f"{len(pair.fixtures)}.{pair.ruling.public_id if pair.ruling else ''}"
    form = ConfirmForm(submitted_data(request), confirms=fingerprint, reason="needed")
    if form.is_bound and form.is_valid():
        with collect_service_errors(form):
            if pair.ruling is None:
                pairs.pair_leave_out(rating_list, user, [first, second], form.given_reason)
            else:
                pairs.pair_lift(pair.ruling, user, form.given_reason)
            ratings_request()
            messages.success(
                request, "The ruling is in effect." if pair.ruling is None else "The ruling is lifted."
            )
            return redirect("web:integrity-list", public_id=public_id)
    context = {
        "back": reverse("web:integrity-list", args=[public_id]),
        "back_name": list_title(rating_list),
        "does": _list_effects(pair),
        "is_possible": user.pk not in (pair.first.bot.owner.user_id, pair.second.bot.owner.user_id),
        "impossible": "One of the two versions is yours. Another staff member can decide this.",
    }
    return _pair_page(request, form, pair, context)


def _list_effects(pair: pairs.ListPair) -> list[str]:
    if pair.ruling is not None:
        return [
            f"Counts in this list again: {format_count(pair.ruling.fixtures, 'fixture')}.",
            "That you lift the ruling, and your reason, are published with your name.",
        ]
    other_players = "nobody else" if not pair.others else format_count(pair.others, "other version")
    return [
        f"{format_count(len(pair.fixtures), 'fixture').capitalize()} between the two, on "
        f"{format_count(pair.boards, 'board')} of {format_count(pair.events, 'event')}, "
        "will not count in this list. "
        f"{other_players.capitalize()} played in them.",
        "The list is computed again. Histories of versions show every change.",
        "Tournaments and their standings do not change.",
        "Later fixtures of the two do not count either, until the ruling is lifted.",
        "The ruling and its reason are published with your name.",
    ]


def _pair_page(
    request: HttpRequest, form: ConfirmForm, pair: EventPair | pairs.ListPair, context: dict[str, Any]
) -> HttpResponse:
    pair_context = {
        "nav": "organise-page",
        "form": form,
        "ruling": pair.ruling,
        "names": (member_name(pair.first), member_name(pair.second)),
    }
    return render_form(request, "integrity/pair.html", {**pair_context, **context})
