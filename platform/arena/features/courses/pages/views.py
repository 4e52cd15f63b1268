"""Pages of courses for members: the list, a course, and its members."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.features.courses.pages.listed import ranked_line, ranking_title
from arena.features.courses.progress import lines_of, progress_of, rankings_of
from arena.features.courses.selectors import (
    course_get,
    courses_visible_to,
    invitations_to,
    may_manage,
    members_of,
    membership_of,
    owner_names,
    tournaments_of,
)
from arena.web.base.access import account_page
from arena.web.base.paging import page_number
from arena.web.base.states import TOURNAMENT_STATE_NAMES

PAGE_SIZE = 50
TOURNAMENTS_PER_PAGE = 20


@require_safe
@account_page()
def courses(request: HttpRequest, user: User) -> HttpResponseBase:
    """List the account's courses, and invitations to others."""
    context = {
        "nav": "me-page",
        "page": Paginator(courses_visible_to(user), PAGE_SIZE).get_page(page_number(request)),
        "invitations": invitations_to(user),
        "may_create": user.is_organiser or user.is_staff,
    }
    return render(request, "courses/list.html", context)


@require_safe
@account_page()
def course_page(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    course = course_get(public_id, user)
    page = Paginator(tournaments_of(course, user), TOURNAMENTS_PER_PAGE).get_page(page_number(request))
    context = {
        "nav": "me-page",
        "course": course,
        "page": page,
        "rows": [(row, TOURNAMENT_STATE_NAMES[Tournament.State(row.state)]) for row in page],
        "rankings": [(position, ranking_title(each)) for position, each in enumerate(rankings_of(course), 1)],
        "owners": owner_names(course),
        "is_manager": may_manage(user, course),
        "is_member": membership_of(user, course) is not None,
    }
    return render(request, "courses/course.html", context)


@require_safe
@account_page()
def ranking(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Show the ranking of ``?list=``, by its position, else the largest one."""
    course = course_get(public_id, user)
    rankings = rankings_of(course)
    number = min(page_number(request, "list"), max(1, len(rankings)))
    chosen = rankings[number - 1] if rankings else None
    rows = list(lines_of(chosen)) if chosen else []
    page = Paginator(rows, PAGE_SIZE).get_page(page_number(request))
    context = {
        "nav": "me-page",
        "course": course,
        "ranking": chosen,
        "number": number,
        "titles": [(position, ranking_title(each)) for position, each in enumerate(rankings, 1)],
        "page": page,
        "keep": f"list={number}&",
        "lines": [ranked_line(line, user) for line in page.object_list],
        "is_manager": may_manage(user, course),
    }
    return render(request, "courses/ranking.html", context)


@require_safe
@account_page()
def members(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    course = course_get(public_id, user)
    page = Paginator(members_of(course), PAGE_SIZE).get_page(page_number(request))
    rows, is_manager = list(page.object_list), may_manage(user, course)
    progress = progress_of(course, rows) if is_manager else {}
    context = {
        "nav": "me-page",
        "course": course,
        "page": page,
        "rows": [(member, progress.get(member.user_id)) for member in rows],
        "is_manager": is_manager,
    }
    return render(request, "courses/members.html", context)
