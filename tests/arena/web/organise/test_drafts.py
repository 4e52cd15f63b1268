"""Drafts of forms that save themselves: bounded, of their owner alone, and never overwritten unseen."""

from __future__ import annotations

import datetime
import re

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts import form_drafts
from arena.accounts.form_drafts import DRAFT_RETENTION_DAYS, MAX_DRAFT_BYTES, draft_save, drafts_prune
from arena.accounts.models import FormDraft
from arena.competition.models import Tournament
from arena.competition.services import tournament_update
from arena.operations.own_data import own_data
from tests import factories
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in, form_at

pytestmark = pytest.mark.django_db


def carried(page: str) -> dict[str, str]:
    """What the next form is to carry."""
    found = dict(re.findall(r'name="(draft|draft_version)" value="([^"]*)"', page))
    assert set(found) == {"draft", "draft_version"}
    return found


def test_what_is_typed_is_saved_and_opened_again(odo: Client) -> None:
    fields = form_at(odo, name="Half done", boards_per_round="seven")
    first = page_of(odo.post("/organise/drafts", fields))
    fields |= {**carried(first), "description": "More of it."}
    assert carried(page_of(odo.post("/organise/drafts", fields)))["draft_version"] == "2"
    draft = FormDraft.objects.get()
    assert "Half done" in page_of(odo.get("/organise"))
    again = form_at(odo, f"/organise/new?draft={draft.public_id}")
    assert (again["name"], again["boards_per_round"], again["description"]) == (
        "Half done",
        "seven",
        "More of it.",
    )
    assert not {"once", "csrfmiddlewaretoken", "do"} & set(draft.data)


def test_a_draft_goes_when_its_event_is_made(odo: Client) -> None:
    fields = form_at(odo, name="Done")
    fields |= carried(page_of(odo.post("/organise/drafts", fields)))
    draft = FormDraft.objects.get()
    fields = form_at(odo, f"/organise/new?draft={draft.public_id}")
    wrong = odo.post("/organise/new", {**fields, "name": "", "do": "save"})
    assert wrong.status_code == 400
    assert controls_in(page_of(wrong))["draft"] == draft.public_id, "a mistake keeps it"
    assert odo.post("/organise/new", {**fields, "do": "save"}).status_code == 302
    assert Tournament.objects.get().name == "Done"
    assert not FormDraft.objects.exists()


def test_what_is_typed_into_a_stored_event_waits_beside_it(odo: Client) -> None:
    event = factories.a_tournament(name="Stored", description="as stored")
    where = f"/organise/tournaments/{event.public_id}"
    fields = form_at(odo, where, description="typed", boards_per_round="seven")
    odo.post("/organise/drafts", fields)
    event.refresh_from_db()
    assert event.description == "as stored"
    page = page_of(odo.get(where))
    again = controls_in(page)
    assert (again["description"], again["boards_per_round"]) == ("typed", "seven")
    assert where in page_of(odo.get("/organise"))
    assert odo.post("/organise/drafts", {**again, "description": "more"}).status_code == 200
    assert FormDraft.objects.count() == 1, "it goes on with what it opened"
    wrong = odo.post(where, {**again, "do": "save"})
    assert wrong.status_code == 400
    assert FormDraft.objects.exists(), "a mistake keeps it"
    assert odo.post(where, {**again, "boards_per_round": "4", "do": "save"})["Location"] == where
    event.refresh_from_db()
    assert (event.description, event.boards_per_round) == ("typed", 4)
    assert not FormDraft.objects.exists()


def test_what_was_typed_is_not_sent_over_a_change_nobody_saw(odo: Client) -> None:
    event = factories.a_tournament(description="first")
    where = f"/organise/tournaments/{event.public_id}"
    odo.post("/organise/drafts", form_at(odo, where, description="typed"))
    tournament_update(event, factories.odo(), description="changed by the API")
    refused = odo.post(where, {**form_at(odo, where), "do": "save"})
    assert refused.status_code == 400
    assert controls_in(page_of(refused))["description"] == "typed"


def test_what_was_typed_is_forgotten_on_demand(odo: Client) -> None:
    event = factories.a_tournament(description="as stored")
    where = f"/organise/tournaments/{event.public_id}"
    odo.post("/organise/drafts", form_at(odo, where, description="typed"))
    answer = odo.post(f"/organise/drafts/{FormDraft.objects.get().public_id}/delete")
    assert answer["Location"] == where
    assert form_at(odo, where)["description"] == "as stored"


def test_drafts_are_bounded_in_number_and_size(odo: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form_drafts, "MAX_DRAFTS", 2)
    for name in ("a", "b"):
        odo.post("/organise/drafts", {"name": name})
    odo.post("/organise/drafts", {"name": "c"})
    assert {draft.data["name"] for draft in FormDraft.objects.all()} == {"a", "b"}
    FormDraft.objects.all().delete()
    odo.post("/organise/drafts", {"name": "x" * MAX_DRAFT_BYTES})
    assert not FormDraft.objects.exists()


def test_drafts_are_exported_and_end(odo: Client) -> None:
    draft = draft_save(factories.odo(), "event", {"name": "Mine"})
    assert own_data(factories.odo())["form_drafts"][0]["data"] == {"name": "Mine"}
    assert drafts_prune() == 0
    long_ago = timezone.now() - datetime.timedelta(days=DRAFT_RETENTION_DAYS + 1)
    FormDraft.objects.filter(pk=draft.pk).update(saved_at=long_ago)
    assert drafts_prune() == 1


def test_an_older_window_saves_another_draft(odo: Client) -> None:
    fields = form_at(odo, name="Mine")
    old = {**fields, **carried(page_of(odo.post("/organise/drafts", fields)))}
    odo.post("/organise/drafts", {**old, "name": "Of another window"})
    odo.post("/organise/drafts", {**old, "name": "Of this one"})
    assert {draft.data["name"] for draft in FormDraft.objects.all()} == {"Of another window", "Of this one"}
