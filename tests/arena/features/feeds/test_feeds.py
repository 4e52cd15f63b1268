"""Feeds: valid Atom, without anything private or sealed, and unchanged while nothing changes."""

from __future__ import annotations

from typing import Any

import feedparser
import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.roster.models import Bot, BotVersion
from tests.arena.features.feeds.events import event, rows_of_the_event
from tests.arena.play import play_out
from tests.factories import a_bot, a_version, an_upload, aya, sota

__all__ = ["event", "rows_of_the_event"]
pytestmark = pytest.mark.django_db


def feed(address: str, client: Client | None = None) -> Any:
    """The parsed feed, which must be valid."""
    answer = (client or Client()).get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/atom+xml; charset=utf-8")
    parsed = feedparser.parse(answer.content)
    assert not parsed.bozo, parsed.bozo_exception
    assert parsed.version == "atom10"
    assert parsed.feed.id
    assert parsed.feed.updated
    assert parsed.feed.author
    ids = [entry.id for entry in parsed.entries]
    assert len(set(ids)) == len(ids)
    assert all(entry.title and entry.updated and entry.link.startswith("http") for entry in parsed.entries)
    return parsed


def address_of(event: Tournament) -> str:
    return f"/tournaments/{event.public_id}/feed.atom"


def test_a_tournament_announces_closed_rounds_and_its_statements(event: Tournament) -> None:
    entries = feed(address_of(event)).entries
    rounds = [entry.link for entry in entries if "/rounds/" in entry.link]
    assert rounds == [f"http://testserver/tournaments/{event.public_id}/rounds/1/1"], "round 2 is open"
    assert len(entries) == 3, "entry, field and the round"
    assert [entry.updated for entry in entries] == sorted((each.updated for each in entries), reverse=True)


def test_ids_of_entries_stay_when_more_happens(event: Tournament) -> None:
    before = {entry.id for entry in feed(address_of(event)).entries}
    play_out(event)
    process_cache.clear()
    after = {entry.id for entry in feed(address_of(event)).entries}
    assert before < after


def test_a_finished_event_is_in_the_feeds_of_its_players_and_bots(event: Tournament) -> None:
    play_out(event)
    event.refresh_from_db()
    assert event.state == Tournament.State.FINAL
    entry = event.entries.select_related("player", "version__bot").first()
    assert entry is not None
    for address in (f"/players/{entry.player.handle}", f"/bots/{entry.version.bot.public_id}"):
        (item,) = [item for item in feed(f"{address}/feed.atom").entries if "/versions/" not in item.link]
        assert event.name in item.title
        assert event.public_id in item.link
    assert any(event.public_id in item.link for item in feed("/feed.atom").entries)


def test_the_feed_of_a_bot_has_the_versions_that_visitors_see(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    bot = a_bot(aya())
    states = BotVersion.State
    versions = {state: a_version(bot) for state in (states.READY, states.REJECTED, states.RETIRED)}
    versions[states.UPLOADED] = an_upload(bot)
    for state, version in versions.items():
        BotVersion.objects.filter(pk=version.pk).update(state=state)
    client.force_login(aya())

    def items() -> dict[str, str]:
        address = f"/bots/{bot.public_id}/feed.atom"
        process_cache.clear()
        with django_assert_max_num_queries(6):
            entries = feed(address).entries
        process_cache.clear()
        assert feed(address, client).entries == entries, "the owner gets no more"
        return {item.id: item.link for item in entries}

    before = items()
    seen = [versions[state].page for state in (states.READY, states.RETIRED)]
    assert sorted(before.values()) == sorted(f"http://testserver{page}" for page in seen)
    BotVersion.objects.filter(pk=versions[states.READY].pk).update(state=states.RETIRED)
    BotVersion.objects.filter(pk=versions[states.UPLOADED].pk).update(state=states.READY)
    after = items()
    assert before.items() < after.items(), "ids and links stay"
    assert len(after) == 3


def test_nothing_private_is_in_a_feed_not_even_for_staff(event: Tournament) -> None:
    bot = Bot.objects.filter(versions__entries__tournament=event).first()
    assert bot is not None
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    Bot.objects.filter(pk=bot.pk).update(visibility="private")
    staff = Client()
    staff.force_login(sota())
    for client in (Client(), staff):
        assert client.get(address_of(event)).status_code == 404
        assert client.get(f"/bots/{bot.public_id}/feed.atom").status_code == 404
        assert event.public_id not in client.get("/feed.atom").content.decode()


def test_a_feed_of_nothing_is_valid_and_does_not_change(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    first = Client().get("/feed.atom")
    process_cache.clear()
    assert feed("/feed.atom").entries == []
    assert Client().get("/feed.atom")["ETag"] == first["ETag"]


def test_a_reader_with_the_current_feed_gets_304(event: Tournament) -> None:
    first = Client().get(address_of(event))
    again = Client().get(address_of(event), headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "no-cache" in again["Cache-Control"]


def test_a_feed_takes_as_many_queries_for_many_events(
    event: Tournament, django_assert_max_num_queries: Any
) -> None:
    play_out(event)
    handle = event.entries.values_list("player__handle", flat=True)[0]
    process_cache.clear()
    for address in ("/feed.atom", address_of(event), f"/players/{handle}/feed.atom"):
        with django_assert_max_num_queries(6):
            assert Client().get(address).status_code == 200


def test_markup_and_control_characters_in_names_keep_the_feed_valid(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(name="<b>&]]>" + "凧" * 60, description="\u2028<script>")
    parsed = feed(address_of(event))
    assert parsed.feed.title.startswith("<b>&]]>") or "&lt;b&gt;" in parsed.feed.title


def test_tables_of_an_open_round_are_not_mentioned(event: Tournament) -> None:
    table = Table.objects.filter(tournament=event, state="waiting").first()
    assert table is not None
    text = Client().get(address_of(event)).content.decode()
    assert table.public_id not in text
    assert table.fixture.public_id not in text


def test_pages_name_their_feeds_unless_they_are_private(event: Tournament) -> None:
    page, address = f"/tournaments/{event.public_id}", address_of(event)
    assert f'type="application/atom+xml" title="{event.name}" href="{address}"' in text_of(page, Client())
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    organiser = Client()
    organiser.force_login(event.organiser)
    assert address not in text_of(page, organiser)


def text_of(address: str, client: Client) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_pages_lead_to_feed_and_files_and_a_browser_can_show_the_feed(event: Tournament) -> None:
    page = f"/tournaments/{event.public_id}"
    html = Client().get(page).content.decode()
    assert f'<a href="{page}/feed.atom">' in html
    for name in ("standings", "crosstable", "rounds", "board-scores"):
        assert f'<a href="{page}/{name}.csv">' in html
    assert ".csv" in Client().get(f"{page}/deals").content.decode()
    assert b'<?xml-stylesheet href="/static/feeds/feed.css"' in Client().get(address_of(event)).content
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    process_cache.clear()
    staff = Client()
    staff.force_login(sota())
    private = staff.get(page).content.decode()
    assert "feed.atom" not in private
    assert f"{page}/standings.csv" in private
