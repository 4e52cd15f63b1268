"""The admin looks and does not touch, and never shows what must stay hidden."""

from __future__ import annotations

import html

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from arena.accounts.models import ApiToken, AuditEvent, User
from arena.common.admin import LookOnly
from arena.matches.models import FaultGroup, Table
from tests.arena.api.conftest import World
from tests.factories import a_bot, a_suspended_version, a_token, aya, chie, sota

pytestmark = pytest.mark.django_db

OURS = [model for model in apps.get_models() if model.__module__.startswith("arena.")]


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(sota())
    return client


def test_every_model_of_ours_has_a_page() -> None:
    assert [model.__name__ for model in OURS if model not in admin.site._registry] == []


def test_all_but_accounts_can_only_be_looked_at() -> None:
    editable = [m.__name__ for m in OURS if not isinstance(admin.site._registry[m], LookOnly)]
    assert editable == ["User"]


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_lists_and_pages_open_and_hide_the_secret(world: World, staff: Client, model: type) -> None:
    a_token(aya())
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    secret = bytes(world.event.secret)
    hidden = [secret.hex(), repr(secret), ApiToken.objects.all()[0].token_hash]
    row = model._default_manager.first()
    assert row is not None or model.__name__ == "Worker"
    pages = [staff.get(reverse(f"{name}_changelist"))]
    if row is not None:
        pages.append(staff.get(reverse(f"{name}_change", args=[row.pk])))
    for page in pages:
        assert page.status_code == 200
        text = html.unescape(page.content.decode())
        assert not [word for word in hidden if word in text]


def test_the_list_of_a_model_takes_few_queries(
    world: World, staff: Client, django_assert_max_num_queries: object
) -> None:
    for model in OURS:
        with django_assert_max_num_queries(12):  # type: ignore[operator]
            staff.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))


def test_nothing_is_added_changed_or_deleted(world: World, staff: Client) -> None:
    page = reverse("admin:competition_tournament_change", args=[world.event.pk])
    assert staff.post(page, {"name": "mine"}).status_code == 403
    assert (
        staff.post(reverse("admin:competition_tournament_delete", args=[world.event.pk])).status_code == 403
    )
    assert staff.post(reverse("admin:competition_tournament_add")).status_code == 403
    assert staff.post(reverse("admin:accounts_user_delete", args=[chie().pk])).status_code == 403


def test_others_do_not_get_in(world: World) -> None:
    client = Client()
    client.force_login(aya())
    for model in OURS:
        page = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert client.get(page).status_code == 302


def test_making_somebody_an_organiser_is_audited(staff: Client) -> None:
    user = chie()
    form = {"username": "chie", "is_active": "on", "is_organiser": "on", "email": ""}
    assert staff.post(reverse("admin:accounts_user_change", args=[user.pk]), form).status_code == 302
    assert User.objects.get(pk=user.pk).is_organiser
    event = AuditEvent.objects.get(verb="update", object_id=user.public_id)
    assert event.actor == sota()
    assert event.after["is_organiser"] is True
    assert event.after["fields"] == ["is_organiser"]


def act(staff: Client, page: str, action: str, pk: int) -> str:
    response = staff.post(reverse(page), {"action": action, "_selected_action": [pk]}, follow=True)
    return response.content.decode()


def test_actions_go_through_the_services(world: World, staff: Client) -> None:
    a_token(aya())
    token = aya().tokens.get()
    act(staff, "admin:accounts_apitoken_changelist", "revoke", token.pk)
    token.refresh_from_db()
    assert token.revoked_at is not None

    table = world.waiting_table
    assert "it is waiting" in act(staff, "admin:matches_table_changelist", "retry", table.pk)
    Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED)
    act(staff, "admin:matches_table_changelist", "retry", table.pk)
    table.refresh_from_db()
    assert table.state == Table.State.WAITING

    assert "is waiting" in act(
        staff, "admin:roster_botversion_changelist", "check_once_more", world.upload.pk
    )
    act(staff, "admin:roster_botversion_changelist", "retire", world.upload.pk)
    world.upload.refresh_from_db()
    assert world.upload.state == "retired"


def test_staff_find_suspended_versions_with_their_reason_and_reinstate_them(
    world: World, staff: Client
) -> None:
    version = a_suspended_version(a_bot(aya()))
    page = reverse("admin:roster_botversion_changelist")
    shown = staff.get(page, {"state__exact": "suspended"}).content.decode()
    assert version.suspended_reason in shown
    assert world.version.public_id not in shown
    act(staff, "admin:roster_botversion_changelist", "reinstate", version.pk)
    version.refresh_from_db()
    assert version.state == "ready"
    assert AuditEvent.objects.get(verb="reinstate", object_id=version.public_id).actor == sota()
    told = act(staff, "admin:roster_botversion_changelist", "reinstate", version.pk)
    assert "it is ready; that needs suspended" in told


def test_faults_and_notices_are_filtered(world: World, staff: Client) -> None:
    page = reverse("admin:matches_faultgroup_changelist")
    found = FaultGroup.objects.first()
    assert found is not None
    assert found.fingerprint in staff.get(page, {"verdict": found.verdict}).content.decode()
    assert found.fingerprint not in staff.get(page, {"verdict": "OVER_MEMORY"}).content.decode()
    assert found.fingerprint in staff.get(page, {"q": world.version.public_id}).content.decode()
    page = reverse("admin:accounts_notice_changelist")
    assert "kita is suspended" in staff.get(page, {"read_at__isempty": "1"}).content.decode()
    assert "kita is suspended" not in staff.get(page, {"read_at__isempty": "0"}).content.decode()
