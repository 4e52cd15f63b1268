"""``manage.py user_change``: roles and address of an account from the command line."""

import io

import pytest
from django.core.management import CommandError, call_command

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import AuditEvent
from arena.accounts.services import system_account
from tests.factories import aya, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    err = io.StringIO()
    call_command("user_change", *args, stdout=io.StringIO(), stderr=err)
    return err.getvalue()


def test_roles_are_given_and_taken_and_audited():
    user = aya()
    run("AYA", "--organiser", "--staff")
    user.refresh_from_db()
    assert (user.is_organiser, user.is_staff, user.is_superuser) == (True, True, True)
    sota()
    run("aya", "--no-staff")
    user.refresh_from_db()
    assert (user.is_organiser, user.is_staff, user.is_superuser) == (True, False, False)
    lines = AuditEvent.objects.filter(action="update", object_id=user.public_id).order_by("id")
    assert [line.after["is_staff"] for line in lines] == [True, False]


def test_what_is_so_already_is_not_a_change():
    user = aya()
    assert run("aya", "--active").startswith("unchanged")
    assert not AuditEvent.objects.filter(object_id=user.public_id, action="update").exists()


def test_a_blocked_account_has_no_sessions(client):
    client.force_login(aya())
    assert client.get("/me").status_code == 200
    run("aya", "--no-active")
    assert client.get("/me").status_code == 302


def test_the_address_is_checked():
    aya()
    run("aya", "--email", "Aya@EXAMPLE.org")
    assert aya().email == "Aya@example.org"
    refusal(CommandError, run, "aya", "--email", "nowhere")
    assert aya().email == "Aya@example.org"


@pytest.mark.parametrize("option", ["--no-staff", "--no-active"])
def test_the_last_staff_account_stays(option: str):
    user = sota()
    refusal(CommandError, run, "sota", option)
    user.refresh_from_db()
    assert (user.is_staff, user.is_active) == (True, True)


def test_what_cannot_be_changed_is_refused():
    house = system_account(HOUSE_USERNAME)
    aya()
    for args in (("nobody", "--staff"), (house.username, "--staff"), ("aya",)):
        refusal(CommandError, run, *args)
    house.refresh_from_db()
    assert not house.is_staff
