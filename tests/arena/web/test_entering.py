"""Entering and challenging from the pages: what may and what may not, partners, and what is sent wrongly."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.roster.models import Bot
from tests import factories
from tests.arena.web.forms import once_in, page_of
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


def at(tournament: Tournament) -> str:
    return f"/tournaments/{tournament.public_id}/enter"


def test_a_version_enters_in_two_clicks_from_its_page(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament()
    version = factories.a_version(factories.a_bot(aya))
    door = f"{at(tournament)}?version={version.public_id}"
    assert door in text_of(client, version.page)
    assert f'value="{version.public_id}" required id="id_version_0" checked' in text_of(client, door)
    answer = client.post(at(tournament), {"version": version.public_id}, follow=True)
    assert answer.redirect_chain == [(tournament.page, 302)]
    assert tournament.entries.get().version == version
    again = client.post(at(tournament), {"version": version.public_id})
    assert again.status_code == 400
    assert tournament.entries.count() == 1


def test_each_version_that_may_not_enter_says_why(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament(entries_per_player=1)
    ready = factories.a_version(factories.a_bot(aya, "Ready"))
    factories.a_version(factories.a_bot(aya, "Another"))
    factories.a_suspended_version(factories.a_bot(aya, "Suspended"))
    factories.an_upload(factories.a_bot(aya, "Unchecked"))
    factories.a_version(factories.a_bot(aya, "Of another game", game="kakkuri"))
    page = text_of(client, at(tournament))
    may, _, may_not = page.partition('id="refused-title"')
    assert "Ready v1" in may
    assert all(name in may_not for name in ("Unchecked v1", "Suspended v1"))
    assert "Of another game" not in page
    client.post(at(tournament), {"version": ready.public_id})
    assert "Ready v1" in text_of(client, at(tournament)).partition('id="refused-title"')[2]


def test_many_versions_are_a_list_of_active_ones_first_as_people_count(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament()
    for number in (12, 2, 147, 1, 30, 4, 5, 6):
        factories.a_version(factories.a_bot(aya, f"bot {number}"))
    page = text_of(client, at(tournament))
    names = [
        name.strip()
        for name in re.findall(r"<label for=\"id_version_[0-9]+\">.*?>\s*([^<>]+)</label>", page, re.S)
    ]
    assert names == [f"bot {number} v1" for number in (1, 2, 4, 5, 6, 12, 30, 147)], "few stand side by side"
    newer = factories.a_version(Bot.objects.get(name="bot 2"))
    page = text_of(client, at(tournament))
    chosen = page.partition('<select name="version"')[2].partition("</select>")[0]
    groups = re.findall(r"<optgroup[^>]*>(.*?)</optgroup>", chosen, re.S)
    assert [re.findall(r">([^<]+)</option>", options) for options in groups] == [
        [f"bot {number} v1" for number in (1, 2, 4, 5, 6, 12, 30, 147)],
        ["bot 2 v2"],
    ]
    assert re.search(r"selected>bot 1 v1<", chosen)
    assert "selected>bot 2 v2<" in text_of(client, f"{at(tournament)}?version={newer.public_id}")
    rival = factories.a_version(factories.a_bot(factories.ben()))
    assert "selected>bot 1 v1<" in text_of(client, f"/bots/{rival.bot.public_id}/challenge")
    answer = client.post(at(tournament), {"version": newer.public_id})
    assert answer.status_code == 302
    assert tournament.entries.get().version == newer


def test_the_active_version_of_a_bot_is_named_beside_a_newer_one(client: Client, aya: User) -> None:
    bot = factories.a_bot(aya, "Crane")
    factories.a_version(bot)
    factories.a_version(bot)
    page = text_of(client, at(factories.an_open_tournament()))
    assert page.index("Crane v1") < page.index("Crane v2")


def test_a_partner_is_asked_by_handle(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament()
    version = factories.a_version(factories.a_bot(aya))
    theirs = factories.a_version(factories.a_bot(factories.ben()))
    client.post(at(tournament), {"version": version.public_id, "partner": "BEN"}, follow=True)
    entry = tournament.entries.get()
    assert (entry.status, entry.partner_version) == (Entry.Status.PENDING, theirs)


def test_a_partner_of_several_bots_is_chosen_from_them(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament()
    version = factories.a_version(factories.a_bot(aya))
    factories.a_version(factories.a_bot(factories.ben(), "First"))
    second = factories.a_version(factories.a_bot(factories.ben(), "Second"))
    factories.a_version(factories.a_bot(factories.ben(), "Hidden", visibility="private"))
    form = {"version": version.public_id, "partner": "ben"}
    page = page_of(client.post(at(tournament), form))
    assert 'id="id_partner_version_error"' in page
    assert "Second v1" in page
    assert "Hidden" not in page
    client.post(at(tournament), {**form, "partner_version": second.public_id})
    assert tournament.entries.get().partner_version == second


def test_partnering_everybody_wants_consent(client: Client, aya: User) -> None:
    tournament = factories.an_open_tournament(stages=[{"format": "movement"}])
    version = factories.a_version(factories.a_bot(aya))
    page = text_of(client, at(tournament))
    assert 'name="accepts_partners"' in page
    assert 'name="partner"' not in page
    refused = client.post(at(tournament), {"version": version.public_id})
    assert 'id="id_accepts_partners_error"' in page_of(refused)
    client.post(at(tournament), {"version": version.public_id, "accepts_partners": "on"})
    assert tournament.entries.get().accepts_partners


def challenge_form(client: Client, against: Any, **fields: Any) -> dict[str, Any]:
    page = text_of(client, f"/bots/{against.bot.public_id}/challenge")
    chosen = page.partition('name="version" value="')[2].partition('"')[0]
    given = {"version": chosen, "preset": "kakeya4", "boards": "4", "target": against.public_id}
    return {**given, "once": once_in(page), **fields}


@pytest.mark.parametrize(("game", "preset"), [("kakeya", "kakeya4"), ("kakkuri", "kakkuri")])
def test_a_public_bot_is_challenged_and_the_challenge_begins(
    client: Client, aya: User, game: str, preset: str
) -> None:
    version = factories.a_version(factories.a_bot(aya, game=game))
    target = factories.a_version(factories.a_bot(factories.ben(), game=game))
    address = f"/bots/{target.bot.public_id}/challenge"
    assert address in text_of(client, f"/bots/{target.bot.public_id}")
    form = challenge_form(client, target, preset=preset)
    answer = client.post(address, form)
    made = Tournament.objects.get(kind="challenge")
    assert answer["Location"] == made.page
    assert made.state == "running"
    assert {entry.version for entry in made.entries.all()} == {version, target}
    again = client.post(address, form)
    assert (again.status_code, again["Location"]) == (302, made.page), "to what the first one made"
    assert Tournament.objects.count() == 1
    client.force_login(factories.chie())
    assert client.get(made.page).status_code == 404


@pytest.mark.parametrize("handle", ["nobody", "<script>alert(1)</script>", "chie"])
def test_a_partner_that_cannot_be_is_told_at_the_field(client: Client, aya: User, handle: str) -> None:
    tournament = factories.an_open_tournament()
    version = factories.a_version(factories.a_bot(aya))
    factories.a_version(factories.a_bot(factories.chie(), game="kakkuri"))
    answer = client.post(at(tournament), {"version": version.public_id, "partner": handle})
    page = page_of(answer)
    assert answer.status_code == 400
    assert 'id="id_partner_error"' in page
    assert "<script>alert" not in page
    assert not tournament.entries.exists()


def test_the_quota_of_challenges_is_that_of_the_api(client: Client, aya: User, settings: Any) -> None:
    settings.CHALLENGES_PER_DAY = 1
    factories.a_version(factories.a_bot(aya))
    target = factories.a_version(factories.a_bot(factories.ben()))
    address = f"/bots/{target.bot.public_id}/challenge"
    assert client.post(address, challenge_form(client, target)).status_code == 302
    refused = client.post(address, challenge_form(client, target))
    assert refused.status_code == 400
    assert Tournament.objects.count() == 1
