"""The list of tournaments."""

from __future__ import annotations

import datetime
import re

import pytest
from django.test import Client

from arena.competition.challenges import challenge_create
from arena.competition.models import Tournament
from arena.competition.series.services import series_create, series_pause
from tests import factories
from tests.arena.play import play_table, waiting
from tests.arena.web.conftest import in_state, under_way, with_entries

pytestmark = pytest.mark.django_db
State = Tournament.State


def text_of(client: Client, address: str = "/tournaments", **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def group(html: str, name: str) -> str:
    """The section under one heading."""
    start = html.index(f'id="{name}-title"')
    return html[start : html.index("</section>", start)]


def test_an_empty_house_says_so_kindly(client: Client) -> None:
    page = client.get("/tournaments").content.decode()
    assert 'href="/organise"' in page
    assert 'href="/docs/organisers"' in page


def test_challenges_are_not_among_the_tournaments(client: Client) -> None:
    versions = [factories.a_version(factories.a_bot(owner)) for owner in (factories.aya(), factories.ben())]
    challenge_create(factories.aya(), versions, preset=factories.PRESET, boards=2, name="A quick duel")
    client.force_login(factories.aya())
    assert "A quick duel" not in text_of(client)


def test_tournaments_stand_in_their_groups(client: Client) -> None:
    by_group = {
        "running": (State.RUNNING,),
        "paused": (State.PAUSED,),
        "provisional": (State.PROVISIONAL,),
        "upcoming": (State.OPEN, State.LOCKED),
        "past": (State.FINAL, State.ARCHIVED, State.CANCELLED),
    }
    made = {name: [in_state(state) for state in states] for name, states in by_group.items()}
    draft = in_state(State.DRAFT)
    html = text_of(client)
    for name, tournaments in made.items():
        section = group(html, name)
        for tournament in tournaments:
            assert tournament.name in section
    assert draft.name not in html


def test_a_live_one_shows_game_entries_and_progress(client: Client) -> None:
    tournament = under_way()
    play_table(waiting(tournament)[0])
    live = group(text_of(client), "running")
    assert "kakeya4" in live
    assert re.findall(r"\b(?:1\D{1,12}3|2\D{1,12}4)\b|\b16\b", live)


def test_a_final_one_names_its_winner_and_a_cancelled_one_nobody(client: Client) -> None:
    final, cancelled = in_state(State.FINAL), in_state(State.CANCELLED)
    winner = final.stages.get().standings.get(rank=1).entry
    past = group(text_of(client), "past")
    rows = {t.pk: past[past.index(t.name) :].split("</tr>")[0] for t in (final, cancelled)}
    assert winner.version.bot.name in rows[final.pk]
    assert "/bots/" not in rows[cancelled.pk]


def test_registration_tells_places_and_what_is_missing(client: Client) -> None:
    with_entries(1, max_entries=5)
    upcoming = group(text_of(client), "upcoming")
    assert re.search(r"\b1\D{1,12}5\b", upcoming)


def test_next_editions_of_active_cups_are_among_the_upcoming(client: Client) -> None:
    cups = [
        series_create(
            factories.odo(),
            name=name,
            template={"preset": "kakeya4", "boards_per_round": 4, "visibility": visibility},
            frequency="daily",
            start_time=datetime.time(18, 0),
            open_hours=1,
        )
        for name, visibility in (("Evening", "public"), ("Resting", "public"), ("Hidden", "private"))
    ]
    series_pause(cups[1], factories.odo(), "holidays")
    upcoming = group(text_of(client), "upcoming")
    assert re.findall(r"/cups/(\w+)", upcoming) == [cups[0].public_id]
    assert 'id="upcoming-title"' not in text_of(client, "/tournaments?q=nosuch")
    assert 'id="upcoming-title"' not in text_of(client, "/tournaments?game=etori")


def test_drafts_and_private_ones_show_only_to_those_who_may_see_them(client: Client) -> None:
    draft = factories.a_tournament()
    private = with_entries(1, visibility="private")
    seen = {factories.chie(): (), factories.aya(): (private,), factories.odo(): (draft, private)}
    seen[factories.sota()] = (draft, private)
    for user, visible in seen.items():
        client.force_login(user)
        html = text_of(client)
        assert {t for t in (draft, private) if t.name in html} == set(visible)


def test_htmx_gets_the_middle_alone(client: Client) -> None:
    in_state(State.RUNNING)
    part = text_of(client, hx_request="true")
    assert part.lstrip().startswith('<div id="overview"')
    assert "<html" not in part
