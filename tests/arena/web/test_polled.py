"""Pages of a bot, a player and a cup ask for what is new on them, and get nothing if they have it."""

from __future__ import annotations

import re
from datetime import time

import pytest
from django.test import Client

from arena.competition.entries.services import entry_create
from arena.competition.series.services import series_create, series_pause
from arena.jobs.flow import tournament_cancel
from arena.web.base.polled import ACTIVE_POLL_S, IDLE_POLL_S
from tests import factories
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db


def asked(client: Client, page: str, have: str = "") -> tuple[int, str]:
    """What comes when a page asks by itself: status and text."""
    answer = client.get(page, {"have": have} if have else {}, headers={"HX-Request": "true"})
    return answer.status_code, page_of(answer)


def known(page: str) -> str:
    """What the page says it has."""
    found = re.search(r'id="polled-version" name="have" value="([^"]+)"', page)
    assert found
    return found[1]


def paces(page: str) -> str:
    return page.partition('hx-trigger="every ')[2].partition('"')[0]


def test_a_bots_and_a_players_page_follow_what_they_show(client: Client) -> None:
    version = factories.a_version(factories.a_bot(factories.aya(), "Kingfisher"))
    bot = version.bot
    for address in (f"/bots/{bot.public_id}", "/players/aya"):
        name = f"Lakeside of {address}"
        event = factories.an_open_tournament(name=name)
        page = page_of(client.get(address))
        assert f'hx-get="{address}"' in page
        assert paces(page) == f"{IDLE_POLL_S}s"
        assert asked(client, address, known(page)) == (204, "")
        entry_create(event, version, factories.aya())
        status, part = asked(client, address, known(page))
        assert (status, name in part, "<html" in part) == (200, True, False)
        assert paces(part) == f"{ACTIVE_POLL_S}s", "something goes on now"
        assert asked(client, address, known(part)) == (204, "")
        tournament_cancel(event, event.organiser, "rain")
        status, part = asked(client, address, known(part))
        assert (status, paces(part)) == (200, f"{IDLE_POLL_S}s")
        assert "cancelled" in part


def test_a_cups_page_follows_and_keeps_what_is_chosen_in_its_form(client: Client) -> None:
    series = series_create(
        factories.odo(),
        name="Cup",
        template={"preset": "kakeya4"},
        frequency="daily",
        start_time=time(18),
        open_hours=6,
    )
    factories.a_version(factories.a_bot(factories.aya(), "Kingfisher"))
    client.force_login(factories.aya())
    address = f"/cups/{series.public_id}"
    page = page_of(client.get(address))
    assert 'id="pick-bot"' in page
    assert asked(client, address, known(page)) == (204, "")
    series_pause(series, factories.odo(), "holidays")
    status, part = asked(client, address, known(page))
    assert (status, "holidays" in part, "pick-bot" in part) == (200, True, False)
