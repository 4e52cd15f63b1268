"""Courses: members, owners, invitations, and their tournaments."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import AuditEvent, Notice
from arena.common.errors import ArenaError
from arena.competition.models import Course, CourseMember, Entry
from arena.competition.selectors import events_visible_to, may_organise, tournaments_visible_to
from arena.competition.services import (
    invitation_add,
    tournament_create,
    tournament_open,
    tournament_update,
)
from arena.features.courses.feature import COURSES
from arena.features.courses.invitations import (
    accounts_invite,
    course_join,
    invitation_create,
    invitation_decline,
    invitation_find,
    invitation_revoke,
    link_find,
)
from arena.features.courses.models import CourseInvitation
from arena.features.courses.selectors import course_get, courses_visible_to, invitations_to
from arena.features.courses.services import (
    course_archive,
    course_create,
    course_update,
    member_remove,
    owner_set,
)
from arena.features.experiments.limits import require_course_limits
from arena.operations.account_deletion import account_delete
from arena.roster.services import player_of
from tests.arena.features.courses.rooms import a_course, an_event_of, member
from tests.arena.features.experiments.batches import asked, two_versions
from tests.factories import (
    PRESET,
    a_token,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    players,
    rin,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def code_of(function: object, *args: object, **kwargs: object) -> str:
    return refusal(ArenaError, function, *args, **kwargs).code  # type: ignore[arg-type]


def test_only_members_and_staff_see_a_course() -> None:
    course = a_course(odo(), aya())
    for user in (odo(), aya(), sota()):
        assert course_get(course.public_id, user) == course
    for user in (chie(), rin(), None):
        assert code_of(course_get, course.public_id, user) == "course_not_found"
        assert not courses_visible_to(user).exists()


def test_organisers_create_courses_and_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_of(course_create, aya(), "Mine") == "organiser_role_required"
    monkeypatch.setattr("arena.features.courses.services.MAX_COURSES", 1)
    course = course_create(odo(), "Mine")
    assert code_of(course_create, odo(), "Another") == "too_many_courses"
    course_archive(course, odo())
    course_create(odo(), "Another")
    assert code_of(course_create, odo(), "Invisible\u202ename") == "invalid"


def test_a_link_admits_as_many_as_it_says_until_it_expires_or_is_revoked() -> None:
    course = a_course(odo())
    link, secret = invitation_create(course, odo(), uses=1)
    assert link_find(secret) == link
    assert not CourseInvitation.objects.filter(token_hash=secret).exists()
    assert code_of(link_find, secret[:-1] + "x") == "link_not_found"
    assert course_join(link, aya())
    assert not course_join(link, aya()), "a member uses up nothing"
    assert code_of(course_join, link, ben()) == "link_not_found"
    assert not CourseMember.objects.filter(user=ben()).exists(), "nothing half done"
    other, secret = invitation_create(course, odo())
    CourseInvitation.objects.filter(pk=other.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert code_of(link_find, secret) == "link_not_found"
    assert code_of(course_join, other, ben()) == "link_not_found"
    third, secret = invitation_create(course, odo())
    invitation_revoke(course, third.public_id, odo())
    assert code_of(link_find, secret) == "link_not_found"


def test_members_invite_nobody() -> None:
    course = a_course(odo(), aya())
    for user in (aya(), chie(), rin()):
        assert code_of(invitation_create, course, user) == "not_course_owner"


def test_an_invited_account_joins_or_declines_once() -> None:
    course = a_course(odo())
    accounts_invite(course, [aya(), ben()], odo())
    assert Notice.objects.filter(user=aya(), kind="invited").count() == 1
    invitation = invitations_to(aya())[0]
    assert code_of(invitation_find, invitation.public_id, ben()) == "link_not_found"
    course_join(invitation_find(invitation.public_id, aya()), aya())
    assert invitations_to(aya()) == []
    declined = invitations_to(ben())[0]
    invitation_decline(declined, ben())
    assert code_of(invitation_find, declined.public_id, ben()) == "link_not_found"
    accounts_invite(course, [ben()], odo())
    assert len(invitations_to(ben())) == 1


def test_nobody_joins_an_archived_or_full_course(monkeypatch: pytest.MonkeyPatch) -> None:
    course = a_course(odo())
    link, _secret = invitation_create(course, odo())
    course_archive(course, odo())
    assert code_of(course_join, link, aya()) == "course_archived"
    assert code_of(an_event_of, course, odo()) == "course_archived"
    course_archive(course, odo(), is_archived=False)
    monkeypatch.setattr("arena.features.courses.services.MAX_MEMBERS", 1)
    assert code_of(course_join, link, aya()) == "course_full"


def test_one_owner_always_remains_and_owners_are_organisers() -> None:
    course = a_course(odo(), aya(), rin())
    assert code_of(member_remove, member(course, odo()), odo()) == "last_owner"
    assert code_of(owner_set, member(course, odo()), odo(), is_owner=False) == "last_owner"
    assert code_of(owner_set, member(course, aya()), odo(), is_owner=True) == "organiser_role_required"
    assert code_of(owner_set, member(course, rin()), rin(), is_owner=True) == "not_course_owner"
    owner_set(member(course, rin()), odo(), is_owner=True)
    member_remove(member(course, odo()), rin())
    assert code_of(course_get, course.public_id, odo()) == "course_not_found"


def test_a_courses_tournament_is_seen_and_entered_by_members_alone() -> None:
    course = a_course(odo(), aya(), rin())
    event = an_event_of(course, odo())
    assert (event.course, event.visibility) == (course, "private")
    assert not tournaments_visible_to(aya()).exists(), "a draft is the organisers'"
    tournament_open(event, odo())
    for user in (aya(), odo(), sota(), rin()):
        assert event in tournaments_visible_to(user)
    for stranger in (ben(), chie(), None):
        assert event not in tournaments_visible_to(stranger)
    an_entry(event, aya())
    assert code_of(an_entry, event, ben()) == "not_course_member"
    assert code_of(invitation_add, event, player_of(ben()), odo()) == "not_course_member"
    assert code_of(tournament_update, event, odo(), visibility="public") == "course_private"
    assert not may_organise(rin(), event)


def test_only_owners_create_tournaments_of_a_course() -> None:
    course = a_course(odo(), rin())
    for user in (rin(), chie()):
        code = code_of(tournament_create, user, name="Mine", preset=PRESET, course=course.public_id)
        assert code in ("course_not_found", "organiser_role_required")
    draft = tournament_create(rin(), name="Mine", preset=PRESET)
    assert code_of(tournament_update, draft, rin(), course=course.public_id) == "course_not_found"
    owner_set(member(course, rin()), odo(), is_owner=True)
    tournament_update(draft, rin(), course=course.public_id)
    draft.refresh_from_db()
    assert (draft.course, draft.visibility) == (course, "private")


def test_a_removed_member_sees_nothing_more_and_leaves_open_events() -> None:
    course = a_course(odo(), aya(), ben())
    event = an_open_tournament(odo(), course=course.public_id)
    entry = an_entry(event, aya())
    assert code_of(member_remove, member(course, aya()), ben()) == "not_course_owner"
    member_remove(member(course, aya()), odo())
    assert event not in tournaments_visible_to(aya()), "an entry alone shows nothing of a course"
    entry.refresh_from_db()
    assert (entry.status, entry.status_note["code"]) == (Entry.Status.WITHDRAWN, "left_course")
    assert code_of(course_get, course.public_id, aya()) == "course_not_found"


def test_a_former_owners_tournaments_pass_to_another_owner() -> None:
    course = a_course(odo(), rin())
    owner_set(member(course, rin()), odo(), is_owner=True)
    event = an_open_tournament(rin(), course=course.public_id)
    assert may_organise(odo(), event), "owners organise all tournaments of their course"
    member_remove(member(course, rin()), odo())
    event.refresh_from_db()
    assert (event.organiser, may_organise(rin(), event)) == (odo(), False)
    assert event not in tournaments_visible_to(rin())
    assert AuditEvent.objects.filter(action="hand_over", object_id=event.public_id).exists()


def test_staff_alone_grant_accounts() -> None:
    course = a_course(odo())
    assert code_of(course_update, course, odo(), new_accounts_limit=9) == "not_staff"
    course_update(course, sota(), new_accounts_limit=9)
    course_update(course, odo(), name="Another", experiments_limit=4, member_experiments_limit=1)
    stored = Course.objects.get(pk=course.pk)
    assert (stored.new_accounts_limit, stored.name, stored.experiments_limit) == (9, "Another", 4)
    assert code_of(course_update, course, odo(), experiments_limit=-1) == "invalid"


def test_a_deleted_account_leaves_its_courses() -> None:
    course = a_course(odo(), aya())
    assert COURSES.own_data is not None
    assert COURSES.own_data(aya())["courses"][0]["id"] == course.public_id
    account_delete(aya())
    assert not CourseMember.objects.filter(user__username="aya").exists()
    assert course.members.count() == 1
    assert code_of(account_delete, odo()) == "active_organiser"
    course_archive(course, odo())
    account_delete(odo())
    assert course.members.count() == 0


def test_members_cannot_take_all_workers() -> None:
    course = a_course(odo(), aya(), ben(), experiments_limit=2, member_experiments_limit=1)
    asked(*two_versions())
    assert code_of(require_course_limits, aya()) == "course_limit_reached"
    require_course_limits(ben())
    course_update(course, odo(), experiments_limit=1)
    assert code_of(require_course_limits, ben()) == "course_limit_reached"
    for free in (odo(), chie()):
        require_course_limits(free)
    course_archive(course, odo())
    require_course_limits(aya())


def test_events_of_a_courses_tournament_reach_members_alone() -> None:
    """Streams and webhooks read the same selector."""
    course = a_course(odo(), aya())
    event = an_open_tournament(odo(), course=course.public_id)
    assert logged_events().filter(tournament=event.public_id).exists()
    for user, count in ((aya(), 1), (chie(), 0), (rin(), 0), (None, 0)):
        visible = events_visible_to(user).filter(tournament=event.public_id, kind="tournament.opened")
        assert visible.count() == count, user


def test_the_api_shows_a_link_once(client: Client) -> None:
    course = a_course(odo(), aya())
    headers = {"Authorization": f"Bearer {a_token(odo(), 'organise', 'read')}"}
    path = f"/api/v1{course.page}/invitations"
    made = client.post(path, {"uses": 2}, content_type="application/json", headers=headers)
    assert made.status_code == 201
    assert course_join(link_find(made.json()["link"].rpartition("/")[2]), ben())
    listed = client.get(path, headers=headers).json()
    assert next(row["uses"] for row in listed["results"] if row["username"] is None) == 1
    assert made.json()["link"] not in str(listed)


@pytest.mark.parametrize("count", [2, 40])
def test_queries_of_the_pages_do_not_grow_with_the_members(
    count: int, client: object, django_assert_max_num_queries: object
) -> None:
    course = a_course(odo(), *players(count))
    client.force_login(odo())  # type: ignore[attr-defined]
    for page, most in (("", 15), ("/members", 15)):
        with django_assert_max_num_queries(most):  # type: ignore[operator]
            assert client.get(course.page + page).status_code == 200  # type: ignore[attr-defined]
