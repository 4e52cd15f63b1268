"""First steps of an author: sign-up leads to the first bot, and a passed check to ladder, cup and play."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.features.ladders.placements import placement_create
from arena.roster.models import Bot, BotVersion
from arena.web.bots.next_steps import NextSteps, next_steps
from tests import factories
from tests.arena.competition.house_bots import house
from tests.arena.features.ladders.ladders import a_ladder, ladders_set
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db


def ready_version(owner: User, **fields: str) -> BotVersion:
    version = factories.a_version(factories.a_bot(owner, **fields))
    Bot.objects.filter(pk=version.bot_id).update(active_version=version)
    return BotVersion.objects.select_related("bot__active_version", "bot__owner__user").get(pk=version.pk)


def steps_of(version: BotVersion) -> NextSteps:
    steps = next_steps(version, version.bot.owner.user)
    assert steps is not None
    return steps


def test_a_new_account_is_led_to_its_first_bot_with_three_ways(client: Client) -> None:
    fields = {"username": "mina", "email": "", "password": "correct horse battery"}
    answer = client.post("/sign-up", fields)
    assert answer["Location"] == "/me/bots/new"
    page = page_of(client.get(answer["Location"]))
    assert re.findall(r'name="then" value="(\w+)"', page) == ["write", "submit"]
    assert "rensho submit" in page
    for address in ("/docs/tutorial", "/docs/runtimes", "/me/tokens"):
        assert f'href="{address}"' in page
    games = set(re.findall(r'name="game" value="(\w+)"', page))
    assert games == {"kakeya", "kakkuri"}


def test_a_ready_version_is_led_to_ladder_tournament_play_and_a_rival(
    client: Client, settings: object
) -> None:
    house()
    rules = house("rules")
    ladders_set()
    ladder = a_ladder()
    event = factories.an_open_tournament()
    factories.an_open_tournament(preset="kakkuri")
    version = ready_version(factories.aya())
    steps = steps_of(version)
    assert steps.ladders == [ladder]
    assert (steps.events, steps.rival) == ([event], rules.bot)
    client.force_login(factories.aya())
    page = page_of(client.get(version.page))
    for address in (
        f"/tournaments/{event.public_id}/enter?version={version.public_id}",
        f"/bots/{rules.bot.public_id}/challenge?version={version.public_id}",
        steps.play_address.replace("&", "&amp;"),
        *(f"/ladders/{ladder.public_id}/place" for ladder in steps.ladders),
    ):
        assert f'"{address}"' in page, address
    for user in (factories.ben(), factories._user("sota")):
        client.force_login(user)
        assert 'id="next-title"' not in page_of(client.get(version.page))


def test_the_links_preselect_the_version(client: Client) -> None:
    rules = house("rules")
    older = ready_version(factories.aya())
    version = ready_version(factories.aya())
    event = factories.an_open_tournament()
    client.force_login(factories.aya())
    for address in (
        f"/tournaments/{event.public_id}/enter?version={older.public_id}",
        f"/bots/{rules.bot.public_id}/challenge?version={older.public_id}",
    ):
        chosen = re.search(
            r'<input[^>]*name="version"[^>]*value="(\w+)"[^>]*checked', page_of(client.get(address))
        )
        assert chosen is not None
        assert chosen[1] == older.public_id
    page = page_of(client.get(steps_of(version).play_address))
    assert re.search(rf'<option value="{version.public_id}" selected', page)
    assert re.search(r'name="opponents" value="public"[^>]*checked', page)


def test_only_what_is_possible_is_offered(settings: object) -> None:
    ladders_set()
    ladder = a_ladder()
    version = ready_version(factories.aya())
    private = ready_version(factories.aya(), visibility="private")
    older = factories.a_version(version.bot)
    assert steps_of(version).play_address != ""
    assert steps_of(private).play_address == ""
    assert steps_of(older).play_address == ""
    assert steps_of(version).rival is None
    placement_create(factories.aya(), ladder, version)
    assert ladder not in steps_of(version).ladders
    assert next_steps(factories.an_upload(version.bot), factories.aya()) is None
