"""Many players invited and versions entered at once, looked at first."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.competition.models import Tournament
from tests import factories
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(client: Client) -> Tournament:
    """An open event for the invited; the client is its organiser's. Aya and Ben have handles."""
    client.force_login(factories.odo())
    for owner in (factories.aya(), factories.ben()):
        factories.a_bot(owner)
    return factories.an_open_tournament(entry_policy="invited")


def look(client: Client, event: Tournament, lines: str, **fields: Any) -> Any:
    return client.post(
        f"/organise/tournaments/{event.public_id}/bulk", {"lines": lines, "do": "look", **fields}
    )


def test_lines_are_looked_at_then_done(client: Client, event: Tournament) -> None:
    version = factories.a_version(factories.a_bot(factories.odo(), name="Own"))
    assert f"/organise/tournaments/{event.public_id}/bulk" in page_of(client.get(event.page))
    answer = look(client, event, f"aya\n@ben\n\nnobody-here\n{version.public_id}\naya")
    page = page_of(answer)
    assert answer.status_code == 200
    assert 'value="enter"' in page
    assert 'formaction="/organise/tournaments/' in page
    assert '<h2 id="lines-title" tabindex="-1">' in page, "where the button leads"
    left_out = page.partition("Skipped lines</h3>")[2]
    assert "line 4" in left_out
    assert "nobody-here" in left_out
    assert "aya" not in left_out
    assert not event.invitations.exists(), "looking does nothing"
    assert not event.entries.exists()
    form = controls_in(page, "confirm")
    done = client.post(f"/organise/tournaments/{event.public_id}/bulk", {**form, "do": "enter"})
    assert controls_in(page_of(done), "confirm")["lines"].strip() == "nobody-here", "what is left to correct"
    assert {row.player.handle for row in event.invitations.all()} == {"aya", "ben"}
    assert event.entries.get().version == version
    twice = client.post(f"/organise/tournaments/{event.public_id}/bulk", {**form, "do": "enter"})
    assert twice.status_code == 400


def test_nothing_that_can_be_done_is_no_button(client: Client, event: Tournament) -> None:
    page = page_of(look(client, event, "nobody\nno-one"))
    assert 'value="enter"' not in page


@pytest.mark.parametrize("lines", ["", "  \n ", "\n".join(f"x{n}" for n in range(101)), "x" * 10_001])
def test_a_mistake_stands_at_the_field(client: Client, event: Tournament, lines: str) -> None:
    answer = look(client, event, lines)
    assert answer.status_code == 400
    assert 'id="id_lines_error"' in page_of(answer)
