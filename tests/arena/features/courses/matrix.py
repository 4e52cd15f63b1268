"""Who may open which page of a course, and read what through the API."""

from __future__ import annotations

from arena.accounts.models import User
from arena.features.courses.account_lists import list_check
from arena.features.courses.invitations import accounts_invite, invitation_create
from arena.features.courses.models import CourseInvitation
from tests.arena.api.roles import USERS, Row, by
from tests.arena.features.courses.rooms import a_course
from tests.arena.web import roles as pages
from tests.factories import aya, ben, odo

READERS = by(401, 404, aya=200, odo=200, sota=200)
ROWS: list[Row] = [
    ("GET courses", "courses", {}, USERS),
    ("GET course", "courses/{course}", {}, READERS),
    ("GET members of a course", "courses/{course}/members", {}, READERS),
    ("GET ranking of a course", "courses/{course}/ranking", {}, READERS),
    (
        "GET invitations to a course",
        "courses/{course}/invitations",
        {},
        by(401, 404, aya=403, odo=200, sota=200),
    ),
    (
        "POST invitation to a course",
        "courses/{course}/invitations",
        {"uses": 3},
        by(401, 403, odo=201, rin=404, sota=201),
    ),
    (
        "DELETE invitation to a course",
        "courses/{course}/invitations/{course_link}",
        {},
        by(401, 403, odo=204, rin=404, sota=204),
    ),
]
MEMBERS = pages.by(pages.SIGN_IN, 404, aya=200, odo=200, sota=200)
OWNERS = pages.by(pages.SIGN_IN, 404, aya=403, odo=200, sota=200)
SENT_EMPTY = pages.by(pages.SIGN_IN, 404, aya=403, odo=400, sota=400)
PAGES: list[pages.Page] = [
    ("GET", "/courses", pages.ACCOUNTS),
    ("GET", "/courses/new", pages.ORGANISERS),
    ("POST", "/courses/new", pages.organiser(400, 400)),
    ("GET", "/courses/{course}", MEMBERS),
    ("GET", "/courses/{course}/members", MEMBERS),
    ("GET", "/courses/{course}/members/{course_account}", OWNERS),
    (
        "POST",
        "/courses/{course}/members/{course_account}",
        pages.by(pages.SIGN_IN, 404, aya=403, odo=pages.DONE, sota=pages.DONE),
    ),
    ("GET", "/courses/{course}/ranking", MEMBERS),
    ("GET", "/courses/{course}/grades.csv", OWNERS),
    ("GET", "/courses/{course}/edit", OWNERS),
    ("POST", "/courses/{course}/edit", SENT_EMPTY),
    ("GET", "/courses/{course}/invitations", OWNERS),
    ("POST", "/courses/{course}/invitations", SENT_EMPTY),
    (
        "POST",
        "/courses/{course}/invitations/{course_link}/revoke",
        pages.by(pages.SIGN_IN, 404, aya=403, odo=pages.DONE, sota=pages.DONE),
    ),
    ("GET", "/courses/{course}/accounts", OWNERS),
    ("POST", "/courses/{course}/accounts", SENT_EMPTY),
    (
        "POST",
        "/courses/{course}/accounts/links",
        pages.by(pages.SIGN_IN, 404, aya=403, odo=409, sota=409),
    ),
    (
        "GET",
        "/courses/{course}/accounts/lists/{course_list}",
        pages.by(pages.SIGN_IN, 404, aya=403, odo=200),
    ),
    (
        "POST",
        "/courses/{course}/accounts/lists/{course_list}",
        pages.by(pages.SIGN_IN, 404, aya=403, odo=pages.DONE),
    ),
    ("GET", "/courses/{course}/leave", pages.by(pages.SIGN_IN, 404, aya=200, odo=200)),
    ("POST", "/courses/{course}/leave", pages.by(pages.SIGN_IN, 404, aya=pages.DONE, odo=400)),
    ("GET", f"/courses/join/{pages.ONCE}", pages.by(pages.SIGN_IN, 404)),
    ("POST", f"/courses/join/{pages.ONCE}", pages.by(pages.SIGN_IN, 404)),
    ("POST", "/courses/invited/{course_invitation}", pages.by(pages.SIGN_IN, 404)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """A course of Odo's with Aya; Ben is invited."""
    course = a_course(odo(), aya())
    link, _secret = invitation_create(course, odo())
    accounts_invite(course, [ben()], odo())
    return {
        "course": course.public_id,
        "course_account": User.objects.get(username="aya").public_id,
        "course_list": list_check(course, b"name\nchie\n", odo()).public_id,
        "course_link": link.public_id,
        "course_invitation": CourseInvitation.objects.get(user=ben()).public_id,
    }
