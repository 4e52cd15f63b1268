"""Tokens made, shown once, revoked and restored on the pages of an account."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import ApiToken, User
from arena.accounts.services import token_authenticate, token_create
from tests.arena.web.forms import once_in, page_of

pytestmark = pytest.mark.django_db


def token_form(client: Client, **fields: Any) -> dict[str, Any]:
    page = page_of(client.get("/me/tokens"))
    return {"name": "ci", "scopes": ["read", "bots"], "days": "90", "once": once_in(page), **fields}


def test_a_token_is_shown_once_with_the_line_to_sign_in(client: Client, mina: User) -> None:
    form = token_form(client)
    answer = client.post("/me/tokens", form)
    page = page_of(answer)
    plain = re.search(r'id="made-text">(rensho_[\w-]+)<', page)
    assert plain
    assert "rensho login http://testserver<" in page
    assert answer["Cache-Control"] == "no-store, private"
    token = token_authenticate(plain[1])
    assert token
    assert (token.user, token.scopes) == (mina, ["read", "bots"])
    assert token.expires_at
    assert plain[1] not in page_of(client.get("/me/tokens"))
    again = client.post("/me/tokens", form)
    assert again.status_code == 409
    assert 'value="ci"' not in page_of(again), "the form is empty again"
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["organise"]}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"days": "100000"}, "days"),
    ],
)
def test_a_token_with_a_mistake_is_not_made(
    client: Client, mina: User, fields: dict[str, Any], field: str
) -> None:
    answer = client.post("/me/tokens", token_form(client, **fields))
    assert answer.status_code == 400
    assert f'id="id_{field}_error"' in page_of(answer)
    assert not ApiToken.objects.exists()
    if field != "name":
        assert 'value="ci"' in page_of(answer)


def test_a_revoked_token_can_be_restored_for_ten_seconds(client: Client, mina: User) -> None:
    token, plain = token_create(mina, name="ci", scopes=["read"], actor=mina)
    client.post(f"/me/tokens/{token.public_id}/revoke")
    assert token_authenticate(plain) is None
    assert "Undo" in page_of(client.get("/me/tokens"))
    assert "Undo" not in page_of(client.get("/me/tokens")), "offered once"
    client.post(f"/me/tokens/{token.public_id}/restore")
    assert token_authenticate(plain)
    client.post(f"/me/tokens/{token.public_id}/revoke")
    token.refresh_from_db()
    assert token.revoked_at
    ApiToken.objects.update(revoked_at=token.revoked_at.replace(year=2020))
    client.post(f"/me/tokens/{token.public_id}/restore")
    assert token_authenticate(plain) is None
