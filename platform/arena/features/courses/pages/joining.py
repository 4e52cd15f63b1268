"""Pages on which an account joins or leaves a course."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import NotFound
from arena.competition.models import Course
from arena.features.courses.invitations import (
    course_join,
    invitation_decline,
    invitation_find,
    link_find,
)
from arena.features.courses.models import CourseInvitation
from arena.features.courses.selectors import course_get, membership_of
from arena.features.courses.services import member_remove
from arena.web.base.access import account_form, account_page, collect_service_errors, render_form


@account_page()
def join(request: HttpRequest, user: User, secret: str) -> HttpResponseBase:
    """Ask whether to join a course with the link; POST joins."""
    invitation = link_find(secret)
    if membership_of(user, invitation.course) is not None:
        return redirect(invitation.course.page)
    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with collect_service_errors(form):
            return _joined(request, invitation, user)
    context = {"nav": "me-page", "form": form, "invitation": invitation, "form_language": get_language()}
    return render_form(request, "courses/join.html", context)


@account_form()
def answer(request: HttpRequest, user: User, invitation: str) -> HttpResponseBase:
    """Join the course of an invitation, or decline it."""
    invited = invitation_find(invitation, user)
    if "join" in request.POST:
        return _joined(request, invited, user)
    invitation_decline(invited, user)
    messages.success(request, _("You declined the invitation."))
    return redirect("web:courses")


def _joined(request: HttpRequest, invitation: CourseInvitation, user: User) -> HttpResponseBase:
    course: Course = invitation.course
    course_join(invitation, user)
    messages.success(request, _("You are a member of %(course)s.") % {"course": course.name})
    return redirect(course.page)


@account_page()
def leave(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Ask for confirmation; POST leaves the course."""
    course = course_get(public_id, user)
    member = membership_of(user, course)
    if member is None:
        raise NotFound(f"You are not a member of {course.name}.", "member_not_found")
    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with collect_service_errors(form):
            member_remove(member, user)
            messages.success(request, _("You left the course %(course)s.") % {"course": course.name})
            return redirect("web:courses")
    context = {"nav": "me-page", "form": form, "course": course, "form_language": get_language()}
    return render_form(request, "courses/leave.html", context)
