"""Courses, made by the services."""

from __future__ import annotations

from typing import Any

from arena.accounts.models import User
from arena.competition.models import Course, CourseMember, Tournament
from arena.features.courses.invitations import course_join, invitation_create
from arena.features.courses.services import course_create
from tests.factories import a_tournament


def a_course(owner: User, *members: User, name: str = "Card games 101", **fields: Any) -> Course:
    course = course_create(owner, name, **fields)
    if members:
        link, _secret = invitation_create(course, owner)
        for member in members:
            course_join(link, member)
    return course


def member(course: Course, user: User) -> CourseMember:
    return CourseMember.objects.get(course=course, user=user)


def an_event_of(course: Course, organiser: User, **fields: Any) -> Tournament:
    return a_tournament(organiser, course=course.public_id, **fields)
