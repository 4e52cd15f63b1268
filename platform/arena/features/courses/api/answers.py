"""API answers for courses, their members, invitations and rankings."""

from __future__ import annotations

import datetime
from typing import Annotated, NamedTuple, TypedDict

from django.conf import settings
from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.course_limits import (
    EXPERIMENTS,
    MEMBER_CHALLENGES,
    MEMBER_EXPERIMENTS,
    MEMBER_VERSIONS,
)
from arena.competition.models import Course, CourseMember
from arena.features.courses.invitations import invitation_path
from arena.features.courses.models import CourseInvitation, RankedLine
from arena.roster.models import Bot


class CourseOut(TypedDict):
    """A course: a group of accounts with private tournaments and its own ranking."""

    id: str
    name: str
    description: str
    members: int
    is_owner: Annotated[bool, "Whether you are one of its owners."]
    created_at: datetime.datetime
    archived_at: datetime.datetime | None
    experiments_limit: Annotated[int | None, EXPERIMENTS.help]
    member_experiments_limit: Annotated[int | None, MEMBER_EXPERIMENTS.help]
    member_challenges_limit: Annotated[int | None, MEMBER_CHALLENGES.help]
    member_versions_limit: Annotated[int | None, MEMBER_VERSIONS.help]


class CourseMemberOut(TypedDict):
    """A member of a course."""

    username: str
    is_owner: bool
    joined_at: datetime.datetime


class CourseInvitationOut(TypedDict):
    """An invitation link to a course, or the invitation of an account."""

    id: str
    username: Annotated[str | None, "The invited account; null for a link."]
    note: str
    uses: int
    max_uses: int
    created_at: datetime.datetime
    expires_at: datetime.datetime


class NewCourseInvitation(CourseInvitationOut):
    """A new link."""

    link: Annotated[str, "The link, which is shown only now."]


class CourseLineOut(TypedDict):
    """A version in the ranking of a course, in stones per board relative to the ranking's average."""

    preset: str
    seats: int
    board_kind: str
    bot: Annotated[str | None, "Id of the bot; null for a private bot of another member."]
    bot_name: str
    version: Annotated[int, "Number of the version."]
    player: str
    partners: Annotated[str, ("self", "other")]
    estimate: float | None
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int


class CreatedLink(NamedTuple):
    invitation: CourseInvitation
    secret: str


def course_out(course: Course, _: Request) -> CourseOut:
    """Answer for a course of ``courses_visible_to``."""
    return build_shape(
        CourseOut,
        course,
        members=course.member_count,  # type: ignore[attr-defined]
        is_owner=course.viewer_is_owner,  # type: ignore[attr-defined]
    )


def member_out(member: CourseMember, _: Request) -> CourseMemberOut:
    return build_shape(CourseMemberOut, member, username=member.user.username)


def invitation_out(invitation: CourseInvitation, _: Request) -> CourseInvitationOut:
    return build_shape(
        CourseInvitationOut, invitation, username=invitation.user.username if invitation.user else None
    )


def new_invitation_out(created: CreatedLink, request: Request) -> NewCourseInvitation:
    site = settings.SITE_ADDRESS or f"{request.scheme}://{request.get_host()}"
    return build_shape(
        NewCourseInvitation,
        created.invitation,
        username=None,
        link=site + invitation_path(created.secret),
    )


def line_out(line: RankedLine, request: Request) -> CourseLineOut:
    bot = line.version.bot
    is_shown = bot.visibility == Bot.Visibility.PUBLIC or bot.owner.user_id == request.user.pk
    ranking = line.ranking
    return build_shape(
        CourseLineOut,
        line,
        preset=ranking.preset,
        seats=ranking.seats,
        board_kind=ranking.board_kind,
        bot=bot.public_id if is_shown else None,
        bot_name=bot.name,
        version=line.version.number,
        player=bot.owner.handle,
        partners=line.partner,
    )
