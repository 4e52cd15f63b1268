"""``manage.py user_create``: accounts and tokens from the command line."""

import io

import pytest
from django.core.management import CommandError, call_command

from arena.accounts.models import User
from arena.accounts.services import token_authenticate
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    out = io.StringIO()
    call_command("user_create", *args, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_prints_the_token_and_nothing_else_on_stdout():
    plain = run("aya", "--token")

    token = token_authenticate(plain)
    assert token is not None
    assert token.user.username == "aya"
    assert "organise" not in token.scopes


def test_roles_and_scopes_are_those_asked_for():
    plain = run("chie", "--organiser", "--token", "--scopes", "organise", "read")

    token = token_authenticate(plain)
    assert token is not None
    assert token.scopes == ["organise", "read"]
    assert token.user.is_organiser
    assert not token.user.is_staff


def test_without_token_nothing_is_printed_and_no_password_works():
    assert run("ben") == ""
    assert not User.objects.get(username="ben").has_usable_password()


def test_the_password_comes_from_stdin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("rice-and-fish-7\n"))
    run("ben", "--staff", "--password-stdin")

    ben = User.objects.get(username="ben")
    assert ben.check_password("rice-and-fish-7")
    assert ben.is_staff


def test_a_scope_beyond_the_role_makes_no_account_either():
    assert "organise" in str(refusal(CommandError, run, "aya", "--token", "--scopes", "organise"))
    assert not User.objects.filter(username="aya").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["aya", "--scopes", "read"], "--token"),
        (["no spaces please"], "2 to 26"),
        (["a"], "2 to 26"),
        (["a" * 27], "2 to 26"),
        (["house-aya", "--staff"], "reserved"),
        (["admin", "--organiser"], "reserved"),
    ],
)
def test_wrong_input_is_explained(args: list[str], message: str):
    with pytest.raises(CommandError, match=message):
        run(*args)


def test_reserved_names_are_for_staff():
    """They are kept from strangers, who would pass for staff; whoever has the terminal is that."""
    run("operator", "--staff")
    assert User.objects.get(username="operator").is_staff


def test_a_taken_name_is_refused():
    run("aya")
    assert "is taken" in str(refusal(CommandError, run, "AYA"))
