"""Pages for owners of a course: its settings, its members, and invitation links."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden
from arena.competition.course_limits import COURSE_LIMITS
from arena.competition.models.courses import MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS
from arena.features.courses.invitations import invitation_create, invitation_path, invitation_revoke
from arena.features.courses.limits import (
    INVITATION_DAYS,
    INVITATION_USES,
    MAX_INVITATION_DAYS,
    MAX_MEMBERS,
    NOTE_CHARACTERS,
)
from arena.features.courses.progress import grades_csv
from arena.features.courses.selectors import course_managed, invited_count, member_by_account, open_links
from arena.features.courses.services import (
    course_archive,
    course_create,
    course_update,
    member_remove,
    owner_set,
)
from arena.web.account.site_origin import site_address
from arena.web.base.access import (
    account_form,
    account_page,
    add_service_error,
    claim_form_key,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
)
from arena.web.organise.declared import control


class CourseForm(forms.Form):
    name = forms.CharField(label="Name", max_length=MAX_NAME_CHARACTERS)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=MAX_DESCRIPTION_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Shown to members, and to people with an invitation.",
    )
    new_accounts_limit = forms.IntegerField(
        label="Accounts that the owners may create",
        required=False,
        min_value=0,
        max_value=MAX_MEMBERS,
        help_text="Only staff can change this.",
    )
    once = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {name: control(limit) for name, limit in COURSE_LIMITS.items()}
        self.order_fields(["name", "description", *COURSE_LIMITS])
        if not user.is_staff:
            del self.fields["new_accounts_limit"]

    def service_fields(self) -> dict[str, Any]:
        fields = {name: value for name, value in self.cleaned_data.items() if name != "once"}
        if "new_accounts_limit" in fields:
            fields["new_accounts_limit"] = fields["new_accounts_limit"] or 0
        return fields


class InvitationForm(forms.Form):
    days = forms.IntegerField(
        label="Valid for (days)", min_value=1, max_value=MAX_INVITATION_DAYS, initial=INVITATION_DAYS
    )
    uses = forms.IntegerField(
        label="Number of people", min_value=1, max_value=MAX_MEMBERS, initial=INVITATION_USES
    )
    note = forms.CharField(
        label="Note", required=False, max_length=NOTE_CHARACTERS, help_text="Only owners see it."
    )
    once = forms.CharField(required=False, widget=forms.HiddenInput)


@account_page()
def course_new(request: HttpRequest, user: User) -> HttpResponseBase:
    if not (user.is_organiser or user.is_staff):
        raise Forbidden("Only organisers can create courses; ask the operator.", "organiser_role_required")
    data = request.POST if request.method == "POST" else None
    form = CourseForm(data, user=user, initial={"once": new_form_key()})
    if data is not None and form.is_valid():
        with collect_service_errors(form), idempotent_form(request, user) as outcome:
            course = course_create(user, **form.service_fields())
            outcome.redirect_to("web:course", course.public_id)
        if outcome.address:
            return redirect(outcome.address)
    return render_form(request, "courses/form.html", {"nav": "me-page", "form": form, "course": None})


@account_page()
def course_edit(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Change the course; the buttons ``archive`` and ``restore`` do so."""
    course = course_managed(public_id, user)
    if request.method == "POST" and request.POST.get("do") in ("archive", "restore"):
        course_archive(course, user, is_archived=request.POST["do"] == "archive")
        messages.success(
            request, "The course is archived." if course.archived_at else "The course is restored."
        )
        return redirect(course.page)
    names = {*CourseForm.base_fields, *COURSE_LIMITS} - {"once"}
    initial = {name: getattr(course, name) for name in names}
    form = CourseForm(request.POST if request.method == "POST" else None, user=user, initial=initial)
    if form.is_valid():
        with collect_service_errors(form):
            course_update(course, user, **form.service_fields())
            messages.success(request, "The changes are saved.")
            return redirect(course.page)
    return render_form(request, "courses/form.html", {"nav": "me-page", "form": form, "course": course})


@account_page()
def member_edit(request: HttpRequest, user: User, public_id: str, account: str) -> HttpResponseBase:
    """Remove a member, or change whether it is an owner."""
    course = course_managed(public_id, user)
    member = member_by_account(course, account)
    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name = member.user.username
        with collect_service_errors(form):
            match request.POST.get("do"):
                case "remove":
                    member_remove(member, user)
                    messages.success(request, f"{name} is no longer a member.")
                case "owner":
                    owner_set(member, user, is_owner=True)
                    messages.success(request, f"{name} is an owner.")
                case "member":
                    owner_set(member, user, is_owner=False)
                    messages.success(request, f"{name} is no longer an owner.")
            return redirect("web:course-members", public_id)
    context = {"nav": "me-page", "form": form, "course": course, "member": member}
    return render_form(request, "courses/member.html", context)


@require_safe
@account_page()
def grades(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Download the progress and ratings of all members as CSV."""
    course = course_managed(public_id, user)
    answer = HttpResponse(grades_csv(course), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="course-{course.public_id}-grades.csv"'
    return answer


@account_page()
def invitations(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """List the valid invitations. The response to a new link displays it, only this once."""
    course = course_managed(public_id, user)
    fresh = InvitationForm(initial={"once": new_form_key()})
    form = InvitationForm(request.POST) if request.method == "POST" else fresh
    address = ""
    if form.is_bound and form.is_valid():
        given = dict(form.cleaned_data)
        try:
            claim_form_key(user, given.pop("once"))
            _invitation, plain = invitation_create(course, user, **given)
        except ArenaError as error:
            add_service_error(form, error)
        else:
            address, form = site_address(request) + invitation_path(plain), fresh
    context = {
        "nav": "me-page",
        "form": form,
        "course": course,
        "address": address,
        "links": open_links(course),
        "invited": invited_count(course),
    }
    return render_form(request, "courses/invitations.html", context)


@account_form()
def revoke(request: HttpRequest, user: User, public_id: str, invitation: str) -> HttpResponseBase:
    course = course_managed(public_id, user)
    invitation_revoke(course, invitation, user)
    messages.success(request, "The invitation is revoked; its link no longer works.")
    return redirect("web:course-invitations", public_id)
