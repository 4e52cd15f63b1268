from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent
from arena.accounts.services import user_create
from arena.common.errors import Invalid
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def test_a_user_without_a_password_cannot_sign_in() -> None:
    assert not user_create("aya").has_usable_password()


def test_a_user_with_a_password_can() -> None:
    assert user_create("aya", password="long enough 123").check_password("long enough 123")


def test_roles_are_what_was_asked_for() -> None:
    aya, odo, sota = (
        user_create("aya"),
        user_create("odo", is_organiser=True),
        user_create("sota", is_staff=True),
    )
    assert [(u.is_organiser, u.is_staff) for u in (aya, odo, sota)] == [
        (False, False),
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("name", ["aya", "AYA"])
def test_a_username_is_given_once_whatever_its_case(name: str) -> None:
    user_create("aya")
    assert refusal(Invalid, user_create, name).code == "username_taken"


def test_a_name_that_looks_like_another_one_is_refused() -> None:
    user_create("kita-lo")
    refused = refusal(Invalid, user_create, "kita_10")
    assert (refused.code, refused.extra["field"]) == ("username_taken", "username")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"username": "a b"}, "username"),
        ({"username": ""}, "username"),
        ({"username": "aya", "email": "nonsense"}, "email"),
        ({"username": "aya", "password": "123"}, "password"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, str], field: str) -> None:
    assert refusal(Invalid, user_create, **fields).extra["field"] == field


def test_making_an_account_is_audited() -> None:
    aya = user_create("aya")
    event = AuditEvent.objects.get(object_id=aya.public_id)
    assert (event.actor, event.action, event.kind, event.after["username"]) == (None, "create", "user", "aya")
