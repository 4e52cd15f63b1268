"""Players and what may be known of them."""

from __future__ import annotations

import pytest
from django.test import Client

from tests import factories
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import CAST, text_of, visit

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def statuses(client: Client, address: str) -> dict[str, int]:
    found = {}
    for name in CAST:
        visit(client, name)
        found[name] = client.get(address).status_code
    return found


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_player_is_known_by_a_bot_that_may_be_seen(client: Client, visibility: str) -> None:
    bot = factories.a_bot(factories.aya(), visibility=visibility)
    known = set(CAST) if visibility == "public" else {"aya", "sota"}
    address = f"/players/{bot.owner.handle}"
    assert {name for name, status in statuses(client, address).items() if status == 200} == known
    for name in CAST:
        visit(client, name)
        assert (f'href="{address}"' in text_of(client, "/players")) == (name in known)
        if name in known:
            assert bot.name in text_of(client, address)


def test_a_player_is_found_in_any_case(client: Client) -> None:
    bot = factories.a_bot(factories.aya())
    handle = bot.owner.handle.upper()
    assert bot.name in text_of(client, f"/players/{handle}")
    assert [row["id"] for row in client.get("/api/v1/bots", {"owner": handle}).json()["results"]] == [
        bot.public_id
    ]


def test_events_tell_version_state_and_rank(client: Client) -> None:
    tournament = play_out(under_way(2))
    entry = tournament.entries.get(player__user=factories.aya())
    rank = tournament.stages.get().standings.get(entry=entry).rank
    page = text_of(client, f"/players/{entry.player.handle}")
    row = page[page.index(f'href="/tournaments/{tournament.public_id}"') :].split("</tr>")[0]
    assert f"{entry.version.bot.name} v1" in row
    assert "final" in row
    assert f">{rank}</td>" in row


def test_nobody_is_told_of_a_private_event(client: Client) -> None:
    factories.a_bot(factories.aya())
    tournament = under_way(2, visibility="private")
    handle = factories.aya().player.handle
    for name in CAST:
        visit(client, name)
        assert (tournament.name in text_of(client, f"/players/{handle}")) == (name in {"aya", "odo", "sota"})
