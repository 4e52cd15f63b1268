"""Feature descriptor of courses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Breadcrumb, DueTournament, Feature
from arena.competition.models import Tournament
from arena.features.courses.account_lists import lists_prune
from arena.features.courses.models import CourseAccount
from arena.features.courses.ranking import rankings_due, results_changed, round_closed
from arena.features.courses.services import member_remove


def _own_data(user: User) -> dict[str, Any]:
    memberships = user.course_memberships.select_related("course")
    return {
        "courses": [
            {
                "id": member.course.public_id,
                "name": member.course.name,
                "is_owner": member.is_owner,
                "joined_at": member.joined_at,
            }
            for member in memberships
        ],
        "created_for_course": [
            {"course": row.course.public_id, "name": row.course.name, "at": row.created_at}
            for row in CourseAccount.objects.filter(user=user).select_related("course")
        ],
        "course_invitations": [
            {"id": invitation.public_id, "course": invitation.course.name, "at": invitation.created_at}
            for invitation in user.course_invitations.select_related("course")
        ],
    }


def _delete_account(deletion: AccountDeletion) -> Iterable[DueTournament]:
    for member in deletion.user.course_memberships.select_related("course", "user"):
        member_remove(member, None)
    deletion.user.course_invitations.all().delete()
    CourseAccount.objects.filter(user=deletion.user).delete()
    return ()


def _crumbs(tournament: Tournament) -> Iterator[Breadcrumb]:
    if tournament.course is not None:
        yield Breadcrumb(tournament.course.name, tournament.course.page)


COURSES = Feature(
    name="courses",
    urls="arena.features.courses.urls",
    api_urls="arena.features.courses.api_urls",
    tick=[rankings_due, lists_prune],
    round_closed=round_closed,
    results_changed=results_changed,
    crumbs=_crumbs,
    own_data=_own_data,
    delete_account=_delete_account,
)
