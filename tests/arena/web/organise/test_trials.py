"""The page of trial runs, and the buttons of the form that lead to it and add house bots."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.trials import trial_start
from arena.jobs.flow import tournament_cancel
from tests import factories
from tests.arena.competition.house_bots import house
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in, form_at
from tests.arena.web.visits import visit

pytestmark = pytest.mark.django_db
State = Tournament.State


def where(event: Tournament) -> str:
    return f"/organise/tournaments/{event.public_id}/trial"


def test_a_trial_run_is_started_once_per_form_and_leads_to_its_page(odo: Client) -> None:
    house()
    event = factories.a_tournament()
    form = controls_in(page_of(odo.get(where(event))), "confirm")
    answer = odo.post(where(event), form)
    trial = Tournament.objects.get(kind="trial")
    assert (answer.status_code, answer["Location"]) == (302, trial.page)
    assert trial.stages.get().rounds.count() == 1
    assert odo.post(where(event), form)["Location"] == trial.page
    assert odo.post(where(event), controls_in(page_of(odo.get(where(event))), "confirm")).status_code == 400
    assert Tournament.objects.filter(kind="trial").count() == 1
    page = page_of(odo.get(trial.page))
    assert f'href="/organise/tournaments/{event.public_id}"' in page
    assert trial.page in page_of(odo.get("/desk"))
    assert trial.page in page_of(odo.get(where(event)))
    assert f'href="{trial.page}"' not in page_of(odo.get("/tournaments"))
    assert odo.post(f"/organise/tournaments/{trial.public_id}/cancel", {"seen": "running", "reason": "seen"})
    trial.refresh_from_db()
    assert trial.state == State.CANCELLED


def test_only_organisers_open_the_page_and_see_the_run(client: Client) -> None:
    house()
    event = factories.an_open_tournament()
    trial = trial_start(event, event.organiser)
    for user, page, run in (
        (factories.aya(), 403, 404),
        (factories.chie(), 403, 404),
        (factories.odo(), 200, 200),
    ):
        client.force_login(user)
        assert client.get(where(event)).status_code == page
        assert client.get(trial.page).status_code == run
    client.logout()
    assert client.get(trial.page).status_code == 404


@pytest.mark.parametrize("state", [State.LOCKED, State.RUNNING, State.FINAL])
def test_there_is_no_button_after_the_lock(odo: Client, state: str) -> None:
    house()
    event = factories.a_tournament()
    Tournament.objects.filter(pk=event.pk).update(state=state)
    page = odo.get(where(event))
    assert page.status_code == 200
    assert 'id="confirm"' not in page_of(page)
    assert odo.post(where(event), {"once": "x" * 32}).status_code == 400
    assert not Tournament.objects.filter(kind="trial").exists()


def test_the_form_saves_the_draft_and_offers_the_trial_run(odo: Client) -> None:
    house()
    form = form_at(odo, name="Spring league", house_bots=["kakeya_greedy"])
    answer = odo.post("/organise/new", {**form, "do": "trial"})
    event = Tournament.objects.get(name="Spring league")
    assert (answer.status_code, answer["Location"]) == (302, where(event))
    assert (event.state, event.house_bots) == (State.DRAFT, ["kakeya_greedy"])
    assert odo.post("/organise/new", {**form, "once": "", "name": "", "do": "trial"}).status_code in (
        200,
        400,
    )
    assert Tournament.objects.count() == 1


def test_the_form_keeps_house_bots_of_the_game_only(odo: Client) -> None:
    house()
    house(game="kakkuri")
    form = form_at(odo, name="Mixed", house_bots=["kakeya_greedy"])
    assert 'value="kakkuri_greedy"' not in page_of(odo.get("/organise/new"))
    changed = {**form, "preset": "kakkuri", "do": "show"}
    page = page_of(odo.post("/organise/new", changed))
    assert 'value="kakkuri_greedy"' in page
    assert 'value="kakeya_greedy"' not in page
    odo.post("/organise/new", {**form, "house_bots": ["kakkuri_greedy"], "do": "save"})
    assert not Tournament.objects.exists()


def test_a_saved_draft_of_the_form_keeps_all_house_bots(odo: Client) -> None:
    house()
    house("rules")
    form = form_at(odo, name="Kept", house_bots=["kakeya_greedy", "kakeya_rules"])
    odo.post("/organise/drafts", form)
    draft = User.objects.get(username="odo").form_drafts.get()
    page = page_of(odo.get(f"/organise/new?draft={draft.public_id}"))
    assert page.count('name="house_bots"') == page.count('name="house_bots" value="kakeya_greedy"') + 1
    assert page.split('name="house_bots"')[1].partition(">")[0].endswith("checked")
    assert page.split('name="house_bots"')[2].partition(">")[0].endswith("checked")


def test_the_page_names_what_hinders(odo: Client) -> None:
    event = factories.a_tournament()
    page = page_of(odo.get(where(event)))
    assert 'id="confirm"' not in page
    assert odo.post(where(event), {"once": "x" * 32}).status_code == 400
    house()
    trial = trial_start(event, event.organiser)
    tournament_cancel(trial, event.organiser, "seen")
    assert 'id="confirm"' in page_of(odo.get(where(event)))


def test_the_signed_in_organiser_finds_it(client: Client) -> None:
    event = factories.a_tournament()
    visit(client, "odo")
    assert where(event) in page_of(client.get(event.page))
    assert where(event) in page_of(client.get("/organise"))
