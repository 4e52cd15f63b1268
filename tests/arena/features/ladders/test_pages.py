"""Pages of ladders: the table of a season, why who meets whom, putting bots on and taking them off."""

from __future__ import annotations

import datetime
import re

import pytest
import pytest_django
from django.test import Client
from django.test.utils import override_settings
from django.utils import timezone

from arena.features.ladders.models import Ladder, LadderSeason, Placement
from arena.matches.models import Fixture
from tests import factories
from tests.arena.features.ladders.ladders import (
    USUAL,
    a_ladder,
    house,
    ladders_advance,
    placed,
    round_open,
    round_play,
)
from tests.arena.once import given, made_once
from tests.arena.play import play_out
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


FOUR_BOARDS = USUAL._replace(boards=4)


def a_played_ladder() -> Ladder:
    """With the house, Aya and Ben on it; four rounds of four boards counted."""
    with override_settings(LADDERS=FOUR_BOARDS):
        found = a_ladder()
        house()
        placed(found, *factories.players(2))
        for _ in range(4):
            round_play(found)
    return found


rows_of_the_ladder = made_once(a_played_ladder, serials=1000)


@pytest.fixture
def ladder(rows_of_the_ladder: Ladder, settings: pytest_django.Settings, db: None) -> Ladder:
    """See ``a_played_ladder``."""
    settings.LADDERS = FOUR_BOARDS
    return given(rows_of_the_ladder)


def test_the_table_the_reasons_and_the_newcomers(client: Client, ladder: Ladder) -> None:
    placed(ladder, factories.chie())
    page = text_of(client, ladder.page)
    assert page.count('<tr id="rating-self') == 4
    assert "forest-reference" in page
    assert "chie" in page
    played = ladder.rounds.order_by("-number")[0]
    assert f'href="{played.tournament.page}"' in page
    assert page.count("/sign-in?next=") > 1, "in the header and for the ladder"
    (fixture, first, second) = re.findall(
        r'<a href="/fixtures/(\w+)">.*?<b class="num">(.*?)</b>.*?<b class="num">(.*?)</b>', page, re.S
    )[0]
    assert Fixture.objects.get(public_id=fixture).tournament.ladder_round == played
    assert first.lstrip("+−") == second.lstrip("+−")
    rounds = text_of(client, f"{ladder.page}/rounds")
    for each in ladder.rounds.all():
        assert f'id="round-{each.public_id}"' in rounds
    rankings = text_of(client, "/rankings")
    assert f'href="{ladder.page}"' in rankings
    assert "forest-reference" in rankings


def test_own_bots_are_marked_and_can_be_taken_off(client: Client, ladder: Ladder) -> None:
    aya = factories.aya()
    client.force_login(aya)
    own = Placement.objects.get(bot__owner__user=aya)
    page = text_of(client, ladder.page)
    assert page.count('class="is-own"') == 1
    assert f'name="out" value="{own.public_id}"' in page
    assert client.post(f"{ladder.page}/place", {"out": own.public_id}).status_code == 302
    own.refresh_from_db()
    assert own.left_reason == Placement.LeftReason.TAKEN_OFF
    assert text_of(client, ladder.page).count('class="tag"') == page.count('class="tag"') + 1


def test_a_bot_is_put_on_from_its_own_page(client: Client, ladder: Ladder) -> None:
    chie = factories.chie()
    bot = factories.a_bot(chie, name="suzume")
    version = factories.a_version(bot)
    address = f"/bots/{bot.public_id}"
    assert f"{ladder.page}/place" not in text_of(client, address)
    client.force_login(chie)
    assert f'name="version" value="{version.public_id}"' in text_of(client, address)
    body = {"version": version.public_id, "from": "bot"}
    answer = client.post(f"{ladder.page}/place", body, follow=True)
    assert answer.redirect_chain[-1][0] == address
    assert 'name="out"' in answer.content.decode()
    assert client.post(f"{ladder.page}/place", body).status_code == 409
    stranger = client.post(f"{ladder.page}/place", {"out": Placement.objects.order_by("pk")[2].public_id})
    assert stranger.status_code == 403


def test_a_season_that_is_over_shows_its_final_table(client: Client, ladder: Ladder) -> None:
    over = timezone.now() - datetime.timedelta(seconds=1)
    LadderSeason.objects.update(name="2001-Q1", begins_at=over - datetime.timedelta(days=90), ends_at=over)
    ladders_advance()
    play_out(round_open(ladder).tournament)
    page = text_of(client, ladder.page)
    assert "?season=2001-Q1" in page
    final = text_of(client, f"{ladder.page}?season=2001-Q1")
    assert 'id="final-title"' in final
    assert final.count('<tr id="rating-final') == 4
    assert 'id="cross-title"' not in final
    assert client.get(f"{ladder.page}?season=1999-Q1").status_code == 404


def test_before_the_first_round(client: Client, settings: pytest_django.Settings) -> None:
    settings.LADDERS = USUAL._replace(presets=frozenset({"kakeya6"}))
    assert 'class="forest"' not in text_of(client, a_ladder("kakeya6").page)
