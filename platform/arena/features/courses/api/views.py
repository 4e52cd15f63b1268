"""API views of courses."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.base.serializers import RequestBody, validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
from arena.competition.models import Course, CourseMember
from arena.features.courses.api.answers import (
    CourseOut,
    CreatedLink,
    NewCourseInvitation,
    course_out,
    invitation_out,
    line_out,
    member_out,
    new_invitation_out,
)
from arena.features.courses.invitations import invitation_create, invitation_revoke
from arena.features.courses.limits import (
    INVITATION_DAYS,
    INVITATION_USES,
    MAX_INVITATION_DAYS,
    MAX_MEMBERS,
    NOTE_CHARACTERS,
)
from arena.features.courses.models import CourseInvitation, RankedLine
from arena.features.courses.progress import lines_of_course
from arena.features.courses.selectors import (
    course_get,
    course_managed,
    courses_visible_to,
    members_of,
    valid_invitations,
)


class CourseInvitationIn(RequestBody):
    """An invitation link to create."""

    days = serializers.IntegerField(
        required=False, default=INVITATION_DAYS, min_value=1, max_value=MAX_INVITATION_DAYS
    )
    uses = serializers.IntegerField(
        required=False,
        default=INVITATION_USES,
        min_value=1,
        max_value=MAX_MEMBERS,
        help_text="How many accounts may join with it.",
    )
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=NOTE_CHARACTERS)


class Courses(AccountView, ListView):
    """Courses."""

    write = staticmethod(course_out)
    page_ordering = "-id"

    def rows(self) -> QuerySet[Course]:
        """The courses that you are a member of, newest first; staff get all."""
        return courses_visible_to(self.user)


class OneCourse(AccountView):
    @extend_schema(responses=schema_of(CourseOut))
    def get(self, request: Request, course: str) -> Response:
        """Show a course. For its members and staff."""
        return self.respond(course_out, course_get(course, self.user))


class Members(AccountView, ListView):
    """Members of a course."""

    write = staticmethod(member_out)
    page_ordering = "id"

    def rows(self) -> QuerySet[CourseMember]:
        """In the order in which they joined. For members and staff."""
        return members_of(course_get(self.kwargs["course"], self.user))


class Ranking(AccountView, ListView):
    """Ranking of a course."""

    write = staticmethod(line_out)
    page_ordering = "id"

    def rows(self) -> QuerySet[RankedLine]:
        """The rankings of the course, each best first. For members and staff.

        Computed from the course's tournaments alone, a few seconds after each round.
        """
        return lines_of_course(course_get(self.kwargs["course"], self.user))


class Invitations(AccountView, ListView):
    """Invitations to a course."""

    write_scope = ApiToken.Scope.ORGANISE
    write = staticmethod(invitation_out)
    page_ordering = "-id"

    def rows(self) -> QuerySet[CourseInvitation]:
        """Valid links and invitations that wait for an answer, newest first. For owners and staff."""
        return valid_invitations(course_managed(self.kwargs["course"], self.user))

    @extend_schema(request=CourseInvitationIn, responses={201: schema_of(NewCourseInvitation)})
    def post(self, request: Request, course: str) -> Response:
        """Create an invitation link.

        The response contains the link, which is not stored.
        """
        data = validated_body(CourseInvitationIn, request)
        created = CreatedLink(*invitation_create(course_managed(course, self.user), self.user, **data))
        return self.created(
            new_invitation_out, created, "course-invitation", course, created.invitation.public_id
        )


class OneInvitation(AccountView):
    write_scope = ApiToken.Scope.ORGANISE

    @extend_schema(responses={204: None})
    def delete(self, request: Request, course: str, invitation: str) -> Response:
        """Revoke an invitation. Idempotent."""
        invitation_revoke(course_managed(course, self.user), invitation, self.user)
        return Response(status=204)
