"""The pages of recurring cups."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client
from django.utils import timezone

from arena.competition.models import Series
from arena.competition.series.editions import edition_create
from arena.competition.series.services import series_create, series_pause
from arena.jobs.flow import tournament_cancel
from tests import factories
from tests.arena.web.visits import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def a_cup(**fields: object) -> Series:
    return series_create(
        factories.odo(),
        **{
            "name": "Evening cup",
            "template": {"preset": "kakeya4", "boards_per_round": 4},
            "frequency": "daily",
            "start_time": datetime.time(18, 0),
            "open_hours": 6,
            **fields,
        },
    )


def test_a_cup_says_when_it_comes_again_and_why_it_rests(client: Client) -> None:
    series = a_cup()
    assert "18:00" in text_of(client, "/cups")
    html = text_of(client, f"/cups/{series.public_id}")
    assert html.count("T18:00") == 5
    series_pause(series, factories.odo(), "holidays")
    assert "holidays" in text_of(client, "/cups")
    missing = client.get("/cups/nosuchcup")
    assert missing.status_code == 404
    assert "nosuchcup" in missing.content.decode()


def test_an_owner_has_a_bot_entered_each_time_and_no_more(client: Client) -> None:
    series = a_cup()
    bot = factories.a_version(factories.a_bot(factories.aya(), "Kingfisher")).bot
    address = f"/cups/{series.public_id}"
    assert f"/sign-in?next={address.replace('/', '%2F')}" in text_of(client, address)
    turned_away = client.post(f"{address}/subscribe", {"bot": bot.public_id})
    assert turned_away["Location"] == f"/sign-in?next={address}"
    client.force_login(factories.aya())
    assert f'value="{bot.public_id}">Kingfisher</option>' in text_of(client, address)
    page = client.post(f"{address}/subscribe", {"bot": bot.public_id}, follow=True).content.decode()
    assert 'name="out"' in page
    assert "<option" not in page
    again = client.post(f"{address}/subscribe", {"bot": bot.public_id}, follow=True).content.decode()
    assert "flash error" in again
    gone = client.post(f"{address}/subscribe", {"bot": bot.public_id, "out": "1"}, follow=True)
    assert 'name="out"' not in gone.content.decode()


def test_two_bots_of_one_owner_are_entered_as_a_pair(client: Client) -> None:
    series = a_cup()
    bots = [factories.a_version(factories.a_bot(factories.aya(), name)).bot for name in ("Crane", "Heron")]
    foreign = factories.a_version(factories.a_bot(factories.ben())).bot
    client.force_login(factories.aya())
    address = f"/cups/{series.public_id}"
    assert 'name="partner_bot"' in text_of(client, address)
    chosen = {"bot": bots[0].public_id, "partner_bot": bots[0].public_id}
    refused = client.post(f"{address}/subscribe", chosen)
    assert refused.status_code == 400
    page = refused.content.decode()
    assert page.count(f'value="{bots[0].public_id}" selected>') == 2, "what was chosen stays"
    wrong = client.post(f"{address}/subscribe", {**chosen, "partner_bot": foreign.public_id})
    assert wrong.status_code == 403
    assert client.post(f"{address}/subscribe", {**chosen, "partner_bot": "nothing"}).status_code == 404
    client.post(f"{address}/subscribe", {**chosen, "partner_bot": bots[1].public_id})
    row = series.subscriptions.get()
    assert (row.bot, row.partner_bot) == (bots[0], bots[1])
    assert "Crane</a> + <a" in text_of(client, address)


def test_a_cup_without_pairs_asks_for_no_partner(client: Client) -> None:
    series = a_cup(template={"preset": "kakkuri"})
    for name in ("Crane", "Heron"):
        factories.a_version(factories.a_bot(factories.aya(), name, game="kakkuri"))
    client.force_login(factories.aya())
    assert "partner_bot" not in text_of(client, f"/cups/{series.public_id}")


def test_a_cup_says_that_an_edition_opened_already_is_entered_on_its_own_page(client: Client) -> None:
    series = a_cup(
        start_time=(timezone.now() + datetime.timedelta(hours=2)).time().replace(second=0, microsecond=0)
    )
    address = f"/cups/{series.public_id}"
    edition = edition_create(series)
    assert edition is not None
    enter = f'href="/tournaments/{edition.public_id}/enter"'
    assert enter in text_of(client, address)
    tournament_cancel(edition, factories.odo())
    assert enter not in text_of(client, address)
