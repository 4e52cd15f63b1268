from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from arena.accounts.models import ApiToken, AuditEvent
from arena.accounts.services import token_authenticate, token_create, token_refusal, token_revoke
from arena.common.errors import Forbidden, Invalid
from tests.factories import aya, chie, odo, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def test_the_text_finds_the_token_and_is_kept_nowhere() -> None:
    token, plain = token_create(aya(), name="laptop", scopes=["read"], actor=aya())
    assert plain.startswith("rensho_")
    assert token_authenticate(plain) == token
    stored = [str(value) for row in ApiToken.objects.values() for value in row.values()]
    stored += [str(event.after) for event in AuditEvent.objects.all()]
    assert not any(plain in value or plain.removeprefix("rensho_") in value for value in stored)


def test_another_text_finds_nothing() -> None:
    token_create(aya(), name="laptop", scopes=["read"], actor=aya())
    assert token_authenticate("rensho_nonsense") is None


def test_an_expired_token_finds_nothing_and_says_when_it_ended() -> None:
    token, plain = token_create(
        aya(), name="laptop", scopes=["read"], expires_at=timezone.now() + timedelta(hours=1), actor=aya()
    )
    assert token_authenticate(plain) is not None
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert token_authenticate(plain) is None
    ended = token.created_at.replace(2026, 3, 4, 5, 6, 7, 890123)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=ended)
    for culprit in ("'laptop'", "2026-03-04 05:06 UTC", "/me/tokens"):
        assert culprit in token_refusal(plain)


def test_a_revoked_token_finds_nothing_and_revoking_twice_is_harmless() -> None:
    token, plain = token_create(aya(), name="laptop", scopes=["read"], actor=aya())
    token_revoke(token, aya())
    token_revoke(token, aya())
    assert token_authenticate(plain) is None
    assert "revoked" in token_refusal(plain)
    assert "/me/tokens" in token_refusal(plain)
    assert AuditEvent.objects.filter(object_id=token.public_id, action="revoke").count() == 1


def test_a_disabled_account_has_no_tokens() -> None:
    _, plain = token_create(aya(), name="laptop", scopes=["read"], actor=aya())
    user = aya()
    user.is_active = False
    user.save()
    assert token_authenticate(plain) is None
    assert "disabled" in token_refusal(plain)


def test_use_is_noted_to_the_minute() -> None:
    token, plain = token_create(aya(), name="laptop", scopes=["read"], actor=aya())
    token_authenticate(plain)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    token_authenticate(plain)
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    token_authenticate(plain)
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert token.last_used_at >= first


def test_unknown_scopes_are_refused_with_the_known_ones() -> None:
    refused = refusal(Invalid, token_create, aya(), name="laptop", scopes=["read", "everything"], actor=aya())
    assert refused.code == "unknown_scope"
    assert refused.extra["allowed"] == ["read", "bots", "organise", "tokens", "bots:connect"]


def test_a_token_needs_a_scope_a_name_and_a_future() -> None:
    for fields in (
        {"scopes": [], "name": "x"},
        {"scopes": ["read"], "name": " "},
        {"scopes": ["read"], "name": "x", "expires_at": timezone.now() - timedelta(1)},
    ):
        refusal(Invalid, token_create, aya(), actor=aya(), **fields)


def test_only_organisers_get_the_organisers_scope() -> None:
    assert token_create(odo(), name="x", scopes=["organise"], actor=odo())
    refused = refusal(Forbidden, token_create, aya(), name="x", scopes=["organise"], actor=aya())
    assert refused.code == "scope_not_granted"


def test_a_token_cannot_hand_out_more_than_it_has() -> None:
    with pytest.raises(Forbidden) as refused:
        token_create(aya(), name="x", scopes=["bots"], actor=aya(), within=["tokens", "read"])
    assert refused.value.extra["allowed"] == ["read", "tokens"]


def test_tokens_are_ones_own_affair_and_the_staffs() -> None:
    token, _ = token_create(aya(), name="x", scopes=["read"], actor=aya())
    refusal(Forbidden, token_revoke, token, chie())
    refusal(Forbidden, token_create, aya(), name="x", scopes=["read"], actor=chie())
    token_revoke(token, sota())
    assert token_create(aya(), name="x", scopes=["read"], actor=sota())[0].user == aya()
