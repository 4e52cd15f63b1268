"""The pages of recurring cups."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client

from arena.competition.models import Series
from arena.competition.series import series_create, series_pause
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.sampled(2)]


def a_cup(**fields: object) -> Series:
    return series_create(
        factories.odo(),
        **{
            "name": "Evening cup",
            "template": {"preset": "kakeya4", "boards_per_round": 4},
            "every": "daily",
            "at": datetime.time(18, 0),
            "open_hours": 6,
            **fields,
        },
    )


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_a_cup_says_when_it_comes_again_and_why_it_rests(client: Client) -> None:
    series = a_cup()
    assert "every day at 18:00 UTC" in text(client, "/cups")
    html = text(client, f"/cups/{series.public_id}")
    assert html.count("entry opens") == 5
    series_pause(series, factories.odo(), "holidays")
    assert "holidays" in text(client, "/cups")
    assert "No further edition is planned" in text(client, f"/cups/{series.public_id}")
    assert client.get("/cups/nosuchcup").status_code == 404


def test_an_owner_has_a_bot_entered_each_time_and_no_more(client: Client) -> None:
    series = a_cup()
    bot = factories.a_version(factories.a_bot(factories.aya(), "Kingfisher")).bot
    address = f"/cups/{series.public_id}"
    assert "Sign in</a> to have" in text(client, address)
    turned_away = client.post(f"{address}/subscribe", {"bot": bot.public_id})
    assert turned_away["Location"] == f"/sign-in?next={address}"
    client.force_login(factories.aya())
    assert f'<option value="{bot.public_id}">Kingfisher</option>' in text(client, address)
    page = client.post(f"{address}/subscribe", {"bot": bot.public_id}, follow=True).content.decode()
    assert "is entered in every edition" in page
    assert "Enter Kingfisher no more" in page
    assert "<option" not in page
    again = client.post(f"{address}/subscribe", {"bot": bot.public_id}, follow=True).content.decode()
    assert "flash error" in again
    gone = client.post(f"{address}/subscribe", {"bot": bot.public_id, "out": "1"}, follow=True)
    assert "No bot yet" in gone.content.decode()


def test_a_stranger_may_not_enter_anothers_bot(client: Client) -> None:
    series = a_cup()
    bot = factories.a_version(factories.a_bot(factories.aya())).bot
    client.force_login(factories.chie())
    answer = client.post(f"/cups/{series.public_id}/subscribe", {"bot": bot.public_id}, follow=True)
    assert answer.status_code == 403
    assert "belongs to somebody else" in answer.content.decode()
    assert not series.subscriptions.exists()
