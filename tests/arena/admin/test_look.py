"""The admin looks and does not touch, and never shows what must stay hidden."""

from __future__ import annotations

import datetime
import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from arena.accounts.models import ApiToken, AuditEvent, User
from arena.admin.read_only import ReadOnlyPage
from arena.matches.models import FaultGroup
from arena.webhooks.models import Webhook
from tests.arena.admin.pages import OURS, list_url, name_of, row_url, text_of
from tests.arena.api.conftest import World
from tests.factories import a_bot, a_suspended_version, a_token, aya, chie, odo, sota

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(shared_world: World) -> World:
    """The same for all tests here."""
    return shared_world


def test_every_model_of_ours_has_a_page() -> None:
    assert [model.__name__ for model in OURS if model not in admin.site._registry] == []
    assert Group not in admin.site._registry


def test_all_but_accounts_look_only() -> None:
    editable = [m.__name__ for m in OURS if not isinstance(admin.site._registry[m], ReadOnlyPage)]
    assert editable == ["User"]


def test_lists_and_pages_open_and_hide_secrets(world: World, staff: Client) -> None:
    a_token(aya())
    hook = Webhook.objects.create(user=odo(), url="https://example.org/hook", secret=b"s" * 32)
    secret = bytes(world.event.secret)
    hidden = [secret.hex(), repr(secret), repr(bytes(hook.secret)), ApiToken.objects.all()[0].token_hash]
    for model in OURS:
        row = model._default_manager.first()
        for url in [list_url(model), *([row_url(row)] if row is not None else [])]:
            text = text_of(staff, url)
            assert not [word for word in hidden if word in text], url


def test_pages_have_nothing_inline(world: World, organiser: Client) -> None:
    """The site's policy lets neither scripts nor styles within a page run."""
    confirm = reverse("admin:competition_tournament_do", args=["cancel"])
    urls = [
        reverse("admin:index"),
        reverse("admin:competition_tournament_add"),
        reverse("admin:competition_tournament_changelist"),
        row_url(world.event),
        f"{confirm}?ids={world.event.pk}",
    ]
    for url in urls:
        text = text_of(organiser, url)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), url
        assert "admin_actions/admin_actions.css" in text or url == reverse("admin:index"), url


def test_nobody_filters_by_what_is_hidden(world: World, staff: Client, organiser: Client) -> None:
    first = bytes(world.event.secret)[:1]
    for client in (staff, organiser):
        for query in ({"secret": first}, {"secret__startswith": first}):
            answer = client.get(reverse("admin:competition_tournament_changelist"), query)
            assert answer.status_code in (302, 400), query
    a_token(aya())
    tokens = reverse("admin:accounts_apitoken_changelist")
    assert staff.get(tokens, {"token_hash__startswith": "a"}).status_code == 400
    users = reverse("admin:accounts_user_changelist")
    assert staff.get(users, {"password__startswith": "p"}).status_code == 400


def test_nothing_is_changed_or_deleted_by_form(world: World, staff: Client) -> None:
    table = world.open_table
    assert staff.post(row_url(table), {"state": "void"}).status_code == 403
    for model in OURS:
        row = model._default_manager.first()
        if row is not None:
            assert staff.post(reverse(f"{name_of(model)}_delete", args=[row.pk])).status_code == 403
            if model.__name__ not in ("Tournament", "User"):
                assert staff.get(reverse(f"{name_of(model)}_add")).status_code == 403


def test_others_do_not_get_in(world: World) -> None:
    client = Client()
    client.force_login(aya())
    for model in OURS:
        assert client.get(list_url(model)).status_code == 302
    assert client.get(reverse("admin:index")).status_code == 302


def test_making_somebody_an_organiser_is_audited(staff: Client) -> None:
    user = chie()
    form = {"username": "chie", "is_active": "on", "is_organiser": "on", "email": ""}
    assert staff.post(reverse("admin:accounts_user_change", args=[user.pk]), form).status_code == 302
    assert User.objects.get(pk=user.pk).is_organiser
    event = AuditEvent.objects.get(verb="update", object_id=user.public_id)
    assert event.actor == sota()
    assert event.after["is_organiser"] is True
    assert event.after["fields"] == ["is_organiser"]


def test_a_name_that_the_site_refuses_cannot_be_saved(staff: Client) -> None:
    user = chie()
    page = reverse("admin:accounts_user_change", args=[user.pk])
    form = {"username": "chie", "is_active": "on", "email": ""}
    for name in ("x", "a b", "ch@ie", "c" * 27, "admin", "house-chie"):
        answer = staff.post(page, {**form, "username": name})
        assert answer.status_code == 200, name
        new = {"username": name, "usable_password": "false"}
        assert staff.post(reverse("admin:accounts_user_add"), new).status_code == 200, name
    assert [user.username for user in User.objects.all()].count("chie") == 1
    assert User.objects.get(pk=user.pk).username == "chie"
    assert staff.post(page, {**form, "username": "chie-2"}).status_code == 302
    new = {"username": "hana", "usable_password": "false"}
    assert staff.post(reverse("admin:accounts_user_add"), new).status_code == 302
    assert staff.post(reverse("admin:accounts_user_add"), new).status_code == 200, "there is one"
    User.objects.filter(pk=user.pk).update(username="given by@the operator")
    kept = staff.post(page, {**form, "username": "given by@the operator", "is_organiser": "on"})
    assert kept.status_code in (200, 302)
    assert "2 to 26 letters" in text_of(staff, page)


def test_accounts_have_no_fields_that_nothing_uses_and_dates_as_the_site_has_them(staff: Client) -> None:
    user = chie()
    User.objects.filter(pk=user.pk).update(
        date_joined=datetime.datetime(2026, 11, 27, 13, 58, tzinfo=datetime.UTC)
    )
    for page in (reverse("admin:accounts_user_change", args=[user.pk]), list_url(User)):
        text = text_of(staff, page)
        assert "27 Nov 2026, 13:58 UTC" in text
        assert "first_name" not in text
        assert "150 characters" not in text


def test_staff_find_suspended_versions_with_their_reason(world: World, staff: Client) -> None:
    version = a_suspended_version(a_bot(aya()))
    text = text_of(staff, reverse("admin:roster_botversion_changelist"), state__exact="suspended")
    assert version.suspended_reason in text
    assert world.version.public_id not in text


def test_faults_and_notices_are_filtered(world: World, staff: Client) -> None:
    page = reverse("admin:matches_faultgroup_changelist")
    found = FaultGroup.objects.first()
    assert found is not None
    assert found.fingerprint in text_of(staff, page, verdict=found.verdict)
    assert found.fingerprint not in text_of(staff, page, verdict="OVER_MEMORY")
    assert found.fingerprint in text_of(staff, page, q=world.version.public_id)
    page = reverse("admin:accounts_notice_changelist")
    assert "kita is suspended" in text_of(staff, page, read_at__isempty="1")
    assert "kita is suspended" not in text_of(staff, page, read_at__isempty="0")


def test_a_row_leads_on_to_what_belongs_to_it(world: World, staff: Client, organiser: Client) -> None:
    event = world.event
    for client in (staff, organiser):
        text = text_of(client, row_url(event))
        for page in ("competition_entry", "competition_stage", "matches_fixture", "matches_table"):
            url = f"{reverse(f'admin:{page}_changelist')}?tournament__id__exact={event.pk}"
            assert url in text
            assert client.get(url).status_code == 200
        assert f"/tournaments/{event.public_id}" in text
        fixture = text_of(client, row_url(world.open_fixture))
        assert row_url(event) in fixture
        assert f"fixture__id__exact={world.open_fixture.pk}" in fixture
        table = text_of(client, row_url(world.open_table))
        assert row_url(world.open_fixture) in table
    assert row_url(world.version) in text_of(staff, row_url(world.open_table))
    assert row_url(world.bot) in text_of(staff, row_url(world.version))
    # An organiser has no page of versions, and is led to the public one.
    assert f"/versions/{world.version.public_id}" in text_of(organiser, row_url(world.open_table))
    assert row_url(world.version) not in text_of(organiser, row_url(world.open_table))
