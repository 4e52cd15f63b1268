"""Players and what may be known of them."""

from __future__ import annotations

import re
from statistics import fmean

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.models import BoardSet, Fixture
from arena.standings.board_record import player_record, tournaments_won
from tests import factories
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import CAST, text_of, visit
from tests.scores import board_scores

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
    page = text_of(client, f"/players/{entry.player.handle}").partition('id="events-title"')[2]
    row = page[page.index(f'href="/tournaments/{tournament.public_id}"') :].split("</li>")[0]
    assert f"{entry.version.bot.name}" in row
    assert "final" in row
    assert f"<b>{rank}{'st' if rank == 1 else 'nd'} of 2</b>" in row


def opponents_of(client: Client, handle: str) -> dict[str, str]:
    """The row of each opponent on a player's page, without tags."""
    process_cache.clear()
    page = text_of(client, f"/players/{handle}")
    if 'id="opponents-title"' not in page:
        return {}
    section = page[page.index('id="opponents-title"') :].split("</section>")[0]
    rows = re.findall(r'<tr>\s*<th scope="row"><a\s+href="/players/(\w+)">(.*?)</tr>', section, re.S)
    return {name: " ".join(re.sub(r"<[^>]+>", " ", row).split()) for name, row in rows}


def test_opponents_have_the_mean_of_the_boards_with_an_interval(client: Client) -> None:
    tournament = play_out(under_way(3, boards_per_round=6))
    entries = {entry.player.handle: entry for entry in tournament.entries.all()}
    fixture = Fixture.objects.filter(sides__entry=entries["aya"]).filter(sides__entry=entries["ben"]).get()
    scores = board_scores(fixture=fixture, entry=entries["aya"])
    mean = fmean(float(score.value) for score in scores)
    rows = opponents_of(client, "aya")
    assert set(rows) == {"ben", "chie"}
    assert f"{mean:+.2f}".replace("-", "−") in rows["ben"] or mean == 0
    assert re.search(r"\d\.\d\d 6 (1–0–0|0–1–0|0–0–1)$", rows["ben"]), "an interval needs more boards"
    page = text_of(client, "/players/aya")
    best = sum(score.value > 0 for score in board_scores(entry=entries["aya"]))
    assert page.count('class="home-swing num"') == min(best, 5)
    Fixture.objects.filter(pk=fixture.pk).update(state=Fixture.State.OPEN)
    assert set(opponents_of(client, "aya")) == {"chie"}
    BoardSet.objects.update(state=BoardSet.State.OPEN)
    assert opponents_of(client, "aya") == {}
    BoardSet.objects.update(state=BoardSet.State.CLOSED)
    Tournament.objects.update(visibility=Tournament.Visibility.PRIVATE)
    client.force_login(factories.aya())
    assert opponents_of(client, "aya") == {}


def test_an_interval_covers_the_mean_of_many_boards(db: None) -> None:
    tournament = play_out(under_way(2, boards_per_round=12))
    record = player_record(tournament.entries.get(player__user=factories.aya()).player)
    (opponent,) = record.opponents
    assert (opponent.latest.player, opponent.boards, opponent.fixtures) == ("ben", 12, 1)
    assert (opponent.won + opponent.drawn + opponent.lost, opponent.expected_share) == (1, 1)
    assert opponent.has_interval
    assert opponent.interval.low <= opponent.interval.mean <= opponent.interval.high
    (reverse,) = player_record(factories.ben().player).opponents
    assert reverse.interval.mean == pytest.approx(-opponent.interval.mean)
    values = [board.value for board in record.best]
    assert values == sorted(values, reverse=True)
    assert sum(tournaments_won(user.player) for user in (factories.aya(), factories.ben())) == 1


def test_nobody_is_told_of_a_private_event(client: Client) -> None:
    factories.a_bot(factories.aya())
    tournament = under_way(2, visibility="private")
    handle = factories.aya().player.handle
    for name in CAST:
        visit(client, name)
        assert (tournament.name in text_of(client, f"/players/{handle}")) == (name in {"aya", "odo", "sota"})
