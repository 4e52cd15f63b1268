"""Pages on which owners upload a list of accounts, confirm it, and get the links, once."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language

from arena.accounts.bulk import MAX_LIST_BYTES, Finding, ListInvalid
from arena.accounts.models import User
from arena.common.rates import rate_consume
from arena.competition.models import Course
from arena.features.courses.account_lists import (
    NewLink,
    checked_list,
    course_plan,
    links_csv,
    links_renew,
    list_apply,
    list_check,
    rows_of,
    unused_of,
)
from arena.features.courses.limits import PREVIEW_ROWS
from arena.features.courses.selectors import course_managed, created_count
from arena.features.mail.password_links import can_send_mail, first_links_queue
from arena.web.account.site_origin import site_address
from arena.web.base.access import account_form, account_page, collect_service_errors, render_form


class ListForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        help_text="The first line names the columns: name, and optionally email. Other columns are ignored.",
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )


class ConfirmForm(forms.Form):
    by_mail = forms.BooleanField(
        label="Send the links by e-mail where the list has an address", required=False
    )


@account_page()
def accounts(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Check an uploaded list. It is not applied before it is confirmed."""
    course = course_managed(public_id, user)
    form, findings, wait_s = ListForm(), [], 0.0
    if request.method == "POST":
        form = ListForm(request.POST, request.FILES)
        wait_s = rate_consume("uploads", f"u{user.pk}").wait_s
        if form.is_valid() and not wait_s:
            data = form.cleaned_data["file"].read(MAX_LIST_BYTES + 1)
            with collect_service_errors(form):
                try:
                    checked = list_check(course, data, user)
                    return redirect("web:course-list", public_id, checked.public_id)
                except ListInvalid as error:
                    findings = error.findings
                    raise
    return _page(request, course, form, findings, wait_s)


def _page(
    request: HttpRequest, course: Course, form: forms.Form, findings: Sequence[Finding], wait_s: float = 0
) -> HttpResponseBase:
    context = {
        "nav": "me-page",
        "form": form,
        "course": course,
        "findings": findings,
        "created": created_count(course),
        "unused": len(unused_of(course)),
    }
    return render_form(request, "courses/accounts.html", context, wait_s=wait_s)


@account_page()
def confirm(request: HttpRequest, user: User, public_id: str, account_list: str) -> HttpResponseBase:
    """Show what a checked list changes; POST applies it and downloads the links, only this once."""
    course = course_managed(public_id, user)
    checked = checked_list(course, account_list, user)
    form = ConfirmForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with collect_service_errors(form):
            applied = list_apply(checked, user)
            messages.success(
                request,
                f"Accounts created: {len(applied.links)}; invited: {applied.invited}; "
                f"unchanged: {applied.members}.",
            )
            links = _mailed(request, course, applied.links) if form.cleaned_data["by_mail"] else applied.links
            if not links:
                return redirect("web:course-accounts", public_id)
            return _download(request, course, links)
    plan = course_plan(course, rows_of(checked), user)
    context = {
        "nav": "me-page",
        "form": form,
        "course": course,
        "checked": checked,
        "new": plan.new[:PREVIEW_ROWS],
        "new_count": len(plan.new),
        "invited": plan.invited[:PREVIEW_ROWS],
        "invited_count": len(plan.invited),
        "member_count": len(plan.members),
        "sends_mail": can_send_mail() and any(row.email for row in plan.new),
    }
    return render_form(request, "courses/account_list.html", context)


@account_form(recent=True)
def renew(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Download new links for the accounts that have not been used."""
    course = course_managed(public_id, user)
    return _download(request, course, links_renew(course, user))


def _mailed(request: HttpRequest, course: Course, links: Sequence[NewLink]) -> list[NewLink]:
    """Put mails to accounts with an address into the outbox, and return the links of the others."""
    if not can_send_mail():
        return list(links)
    users = [link.user for link in links if link.user.email]
    first_links_queue(users, site_address(request), course.name, get_language() or "")
    return [link for link in links if not link.user.email]


def _download(request: HttpRequest, course: Course, links: Sequence[NewLink]) -> HttpResponse:
    answer = HttpResponse(links_csv(links, site_address(request)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="course-{course.public_id}-links.csv"'
    return answer
