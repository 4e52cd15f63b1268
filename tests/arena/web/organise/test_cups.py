"""Cups made and run by form."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.test import Client

from arena.competition.models import Series
from arena.competition.series.subscriptions import subscription_add
from tests import factories
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in

pytestmark = pytest.mark.django_db


def form_at(client: Client, address: str, **fields: Any) -> dict[str, Any]:
    return {**controls_in(page_of(client.get(address)), "confirm"), **fields}


def a_cup(client: Client, **fields: Any) -> Series:
    form = form_at(client, "/organise/cups/new", name="Evening cup", source="plan:league", **fields)
    answer = client.post("/organise/cups/new", form)
    assert answer.status_code == 302, page_of(answer)
    return Series.objects.get()


def test_a_cup_is_made_from_a_plan_once(odo: Client) -> None:
    form = form_at(odo, "/organise/cups/new", name="Evening cup", source="plan:league")
    assert odo.post("/organise/cups/new", form).status_code == 302
    cup = Series.objects.get()
    assert (cup.name, cup.frequency, cup.template["preset"]) == ("Evening cup", "daily", "kakeya4.league")
    again = odo.post("/organise/cups/new", form)
    assert (again.status_code, again["Location"]) == (302, f"/cups/{cup.public_id}")
    assert Series.objects.count() == 1


def test_a_cup_is_made_like_an_event_of_ones_own(odo: Client) -> None:
    event = factories.a_tournament(boards_per_round=7)
    others = factories.a_tournament(organiser=factories.rin(), name="Not yours")
    page = page_of(odo.get("/organise/cups/new"))
    assert "Not yours" not in page
    form = form_at(
        odo,
        "/organise/cups/new",
        name="Weekly",
        source=event.public_id,
        frequency="weekly",
        weekday="wednesday",
    )
    assert odo.post("/organise/cups/new", form).status_code == 302
    made = Series.objects.get()
    assert (made.template["boards_per_round"], made.weekday) == (7, 2)
    foreign = odo.post("/organise/cups/new", {**form, "source": others.public_id})
    assert foreign.status_code == 400
    assert 'id="id_source_error"' in page_of(foreign)


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "name"),
        ({"start_time": "late"}, "start_time"),
        ({"frequency": "weekly", "weekday": ""}, "weekday"),
        ({"until": "2020-01-01T10:00"}, "until"),
        ({"source": "plan:nothing"}, "source"),
    ],
)
def test_a_mistake_stands_at_its_field(odo: Client, fields: dict[str, str], place: str) -> None:
    form = form_at(odo, "/organise/cups/new", **{"name": "Kept", "source": "plan:league", **fields})
    answer = odo.post("/organise/cups/new", form)
    assert answer.status_code == 400
    assert f'id="id_{place}_error"' in page_of(answer)
    assert controls_in(page_of(answer), "confirm")["name"] == form["name"]
    assert not Series.objects.exists()


def test_a_cup_is_changed_but_not_over_a_change_nobody_saw(odo: Client) -> None:
    cup = a_cup(odo)
    where = f"/organise/cups/{cup.public_id}"
    assert where in page_of(odo.get(f"/cups/{cup.public_id}"))
    form = form_at(odo, where, open_hours="6")
    assert odo.post(where, form).status_code == 302
    cup.refresh_from_db()
    assert (cup.open_hours, cup.template["preset"]) == (6, "kakeya4.league")
    stale = odo.post(where, {**form, "open_hours": "3"})
    assert stale.status_code == 400
    kept = controls_in(page_of(stale), "confirm")
    assert kept["open_hours"] == "3"
    assert odo.post(where, kept).status_code == 302


def test_a_cup_of_another_game_takes_out_its_bots(odo: Client) -> None:
    cup = a_cup(odo)
    subscription_add(cup, factories.a_version(factories.a_bot(factories.aya())).bot, factories.aya())
    where = f"/organise/cups/{cup.public_id}"
    for change, left in (({"open_hours": "6"}, 1), ({"source": "plan:heats"}, 0)):
        assert odo.post(where, form_at(odo, where, **change), follow=True).status_code == 200
        assert cup.subscriptions.count() == left


def test_a_cup_is_paused_resumed_and_ended(odo: Client) -> None:
    cup = a_cup(odo)
    for verb, state in (("pause", "paused"), ("resume", "active"), ("end", "ended")):
        where = f"/organise/cups/{cup.public_id}/{verb}"
        form = form_at(odo, where, reason="Holidays.")
        assert odo.post(where, form).status_code == 302
        cup.refresh_from_db()
        assert cup.state == state
        assert odo.post(where, form).status_code == 409


def test_times_are_typed_by_the_clocks_of_the_chosen_zone(odo: Client) -> None:
    made = a_cup(
        odo,
        frequency="monthly",
        month_day="31",
        timezone="Europe/Berlin",
        start_time="20:00",
        until="2099-07-01",
    )
    assert (made.timezone, made.month_day, made.start_time) == ("Europe/Berlin", 31, datetime.time(20))
    assert made.until == datetime.datetime(2099, 7, 1, 21, 59, tzinfo=datetime.UTC)
    again = form_at(odo, f"/organise/cups/{made.public_id}")
    assert again["until"] == "2099-07-01T23:59"
