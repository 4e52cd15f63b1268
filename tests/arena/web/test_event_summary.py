"""The description of a tournament for shared links, and the next fixture of a visitor's entry."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import Fixture
from arena.web.drawing.visitor_parts import own_entries, own_meetings
from arena.web.tournaments.event import load_event
from arena.web.tournaments.summary import summary_text
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def test_the_description_has_the_state_and_nothing_of_an_open_round(client: Client) -> None:
    tournament = under_way(4, boards_per_round=1)
    names = {entry.version.bot.name for entry in tournament.entries.all()}
    text = summary_text(load_event(tournament))
    assert not any(name in text for name in names)
    page = text_of(client, tournament.page)
    assert page.count(f'content="{text}"') == 2
    over = play_out(tournament)
    winner = over.stages.get().standings.get(rank=1).entry.version.bot.name
    ended = summary_text(load_event(over))
    assert winner in ended
    assert ended != text


def test_own_entries_have_their_fixture_of_the_open_round() -> None:
    tournament = under_way(4, boards_per_round=1)
    entry = tournament.entries.all()[0]
    user = entry.player.user
    assert user is not None
    (own,) = (
        each for each in own_meetings(tournament, own_entries(tournament, user)) if each.id == entry.public_id
    )
    fixture = Fixture.objects.get(sides__entry=entry, board_set__state="open")
    (other,) = (side.entry for side in fixture.sides.all() if side.entry != entry)
    assert own.meeting is not None
    assert own.meeting.fixture == fixture.public_id
    assert other.version.bot.name in own.meeting.opponents
    Tournament.objects.filter(pk=tournament.pk).update(state="provisional")
    tournament.refresh_from_db()
    assert all(each.meeting is None for each in own_meetings(tournament, own_entries(tournament, user)))
