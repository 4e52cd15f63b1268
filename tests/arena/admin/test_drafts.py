"""A tournament is made and changed on a form of the admin, by the rules of the API."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from arena.accounts.models import AuditEvent
from arena.competition.models import Tournament
from tests.arena.admin.pages import row_url
from tests.factories import a_locked_tournament, a_tournament, an_open_tournament, odo, rin

pytestmark = [pytest.mark.django_db, pytest.mark.full]

ADD = "/admin/competition/tournament/add/"
FORM = {
    "name": "Autumn cup",
    "description": "",
    "visibility": "public",
    "preset": "kakeya4",
    "board_kind": "deal",
    "boards_per_round": "8",
    "stages": "",
    "board_plan": "fixed",
    "most_passes": "",
    "budget_cpu_s": "",
    "scoring": "match_points",
    "tie_breaks": "",
    "entry_policy": "open",
    "entries_per_player": "1",
    "min_entries": "",
    "max_entries": "",
    "closes_at_0": "",
    "closes_at_1": "",
    "starts_at_0": "",
    "starts_at_1": "",
    "quarantine_hours": "24",
    "fault_policy": "substitute",
    "ruleset": "",
    "clock": "",
}


def post(client: Client, url: str, **changes: Any) -> str:
    answer = client.post(url, {**FORM, **changes}, follow=True)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_an_organiser_makes_a_draft(organiser: Client) -> None:
    assert reverse("admin:competition_tournament_add") == ADD
    stages = '[{"format": "groups"}, {"format": "single_elimination", "qualify": 4}]'
    post(
        organiser,
        ADD,
        stages=stages,
        max_entries="16",
        min_entries="8",
        closes_at_0="2030-01-02",
        closes_at_1="10:00",
    )
    made = Tournament.objects.get()
    assert (made.organiser, made.name, made.state, made.max_entries) == (odo(), "Autumn cup", "draft", 16)
    assert [stage.format for stage in made.stages.order_by("number")] == ["groups", "single_elimination"]
    assert made.closes_at is not None
    assert AuditEvent.objects.get(verb="create", object_id=made.public_id).actor == odo()


def test_every_field_is_explained(organiser: Client) -> None:
    text = organiser.get(ADD).content.decode()
    for name in FORM:
        assert f'name="{name}"' in text, name
    assert text.count('class="help"') >= 18


def test_what_the_service_refuses_is_shown_at_its_field(organiser: Client) -> None:
    text = post(organiser, ADD, stages='[{"format": "chess"}]')
    assert "chess" in text
    assert "errorlist" in text
    assert "most_passes" in post(organiser, ADD, most_passes="3")
    assert "unbounded" in post(organiser, ADD, preset="kakeya4", board_kind="game") or not (
        Tournament.objects.exists()
    )
    assert not Tournament.objects.exists()


def test_the_plan_is_shown_before_anything_is_saved(organiser: Client) -> None:
    text = post(organiser, ADD, _preview="1", max_entries="8")
    assert "What it takes with 8 entries" in text
    assert ">28<" in text, "fixtures of a round robin of eight"
    assert 'value="Autumn cup"' in text, "what was filled in stays"
    assert not Tournament.objects.exists()


def test_a_draft_is_changed_in_every_field(organiser: Client) -> None:
    draft = a_tournament()
    page = row_url(draft)
    assert "What it takes with" in organiser.get(page).content.decode()
    post(
        organiser,
        page,
        name="Winter cup",
        boards_per_round="4",
        stages='[{"format": "swiss"}]',
        max_entries="32",
    )
    draft.refresh_from_db()
    assert (draft.name, draft.boards_per_round, draft.max_entries) == ("Winter cup", 4, 32)
    assert draft.stages.get().format == "swiss"
    assert AuditEvent.objects.filter(verb="update", object_id=draft.public_id, actor=odo()).exists()


def test_saving_a_draft_unchanged_changes_nothing(organiser: Client) -> None:
    draft = a_tournament(tie_breaks=["buchholz"], clock={"increment_cpu_ms": 50})
    page = organiser.get(row_url(draft))
    form = page.context["adminform"].form
    data = {}
    for bound in form:
        value = bound.value()
        if isinstance(value, list | dict):
            value = bound.field.prepare_value(value)
        data[bound.html_name] = "" if value is None else value
    before = Tournament.objects.values().get(pk=draft.pk)
    organiser.post(
        row_url(draft), {**data, "closes_at_0": "", "closes_at_1": "", "starts_at_0": "", "starts_at_1": ""}
    )
    after = Tournament.objects.values().get(pk=draft.pk)
    assert {k: v for k, v in after.items() if k != "revision"} == {
        k: v for k, v in before.items() if k != "revision"
    }


def test_later_only_what_its_state_allows(organiser: Client) -> None:
    opened = an_open_tournament()
    post(
        organiser,
        row_url(opened),
        name="New name",
        description="Later",
        boards_per_round="99",
        max_entries="40",
    )
    opened.refresh_from_db()
    assert (opened.name, opened.max_entries) == ("Cup 1", 40), "its name is published"
    assert opened.boards_per_round != 99
    assert "max_entries" in post(organiser, row_url(opened), description="Other", max_entries="1")
    opened.refresh_from_db()
    assert opened.description == "Later"
    locked = a_locked_tournament(2)
    post(organiser, row_url(locked), name="Too late", budget_cpu_s="5000")
    locked.refresh_from_db()
    assert locked.budget_cpu_s == 5000
    assert locked.name != "Too late"


def test_nothing_of_an_archived_one_is_changed(organiser: Client) -> None:
    event = a_tournament()
    Tournament.objects.filter(pk=event.pk).update(state="archived")
    assert organiser.post(row_url(event), FORM).status_code == 403


def test_nobody_changes_the_drafts_of_others(stranger: Client) -> None:
    draft = a_tournament()
    stranger.post(row_url(draft), FORM)
    draft.refresh_from_db()
    assert draft.name != FORM["name"]
    assert draft.organiser != rin()
