"""The page of one tournament, in every state and for every role."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.competition.services import tournament_pause
from arena.jobs.flow import tournament_advance, tournament_close_early
from arena.matches.leases import table_fail, table_heartbeat
from arena.matches.models import Table, TableSeat
from arena.web.tournaments.event import conditions_context, load_event
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import claimed, play_out, play_table, waiting
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db
State = Tournament.State

TYPED = {State.PAUSED: "lunch is served", State.CANCELLED: "rain"}


rows_of_a_round = made_once(under_way, serials=2000)
rows_of_a_final_event = made_once(lambda: in_state(State.FINAL), serials=3000)


@pytest.fixture
def running(rows_of_a_round: Tournament, db: None) -> Tournament:
    """Three entries, the first round open."""
    return given(rows_of_a_round)


@pytest.fixture
def final(rows_of_a_final_event: Tournament, db: None) -> Tournament:
    """Three entries, all played."""
    return given(rows_of_a_final_event)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("state", State.values)
def test_every_state_shows_what_it_may(client: Client, final: Tournament, state: str) -> None:
    tournament = final if state == State.FINAL else in_state(state)
    client.force_login(tournament.organiser)
    html = text_of(client, tournament.page)
    assert f"state-{state}" in html
    assert TYPED.get(State(state), "") in html
    is_over = state in (State.FINAL, State.ARCHIVED, State.CANCELLED)
    assert ("data-stream" in html) != is_over
    assert (f"/api/v1/tournaments/{tournament.public_id}/export" in html) == is_over
    assert (bytes(tournament.secret).hex() in html) == is_over


@pytest.mark.parametrize("state", [State.DRAFT, State.RUNNING, State.FINAL])
def test_nothing_on_the_page_needs_inline_code_or_the_outside(
    client: Client, running: Tournament, final: Tournament, state: str
) -> None:
    made = {State.RUNNING: running, State.FINAL: final}
    tournament = made.get(State(state)) or in_state(state)
    client.force_login(tournament.organiser)
    response = client.get(f"/tournaments/{tournament.public_id}")
    html = response.content.decode()
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
    assert all(tag.startswith("<script defer src=") for tag in re.findall(r"<script[^>]*>", html))
    loaded = html.replace('<link rel="canonical" href="http://testserver/', "")
    assert not re.search(r'(src|href)="(https?:)?//', loaded)


@pytest.mark.parametrize(
    ("fields", "seen_by"),
    [
        ({}, {"anonymous", "chie", "aya", "odo", "sota"}),
        ({"visibility": "private"}, {"aya", "odo", "sota"}),
    ],
)
def test_who_sees_a_tournament(client: Client, fields: dict[str, str], seen_by: set[str]) -> None:
    tournament = with_entries(1, **fields)
    seen = set()
    for name in ("anonymous", "chie", "aya", "odo", "sota"):
        client.logout()
        if name != "anonymous":
            client.force_login(getattr(factories, name)())
        statuses = {
            client.get(f"/tournaments/{tournament.public_id}{part}").status_code for part in ("", "/live")
        }
        assert statuses in ({200}, {404})
        if statuses == {200}:
            seen.add(name)
    assert seen == seen_by


def test_standings_show_exact_values_and_what_decided(client: Client) -> None:
    tournament = play_out(under_way(5, boards_per_round=1))
    html = text_of(client, tournament.page)
    table = html[html.index('class="standings"') : html.index("</table>")]
    rows = table.split("<tr id=")[1:]
    standings = list(tournament.stages.get().standings.order_by("rank"))
    assert len(rows) == len(standings) == 5
    for row, standing in zip(rows, standings, strict=True):
        assert standing.entry.version.bot.name in row
        assert ("deciding" in row) == bool(standing.decided_by)
        # A narrow screen has a column for the others.
        named = standing.decided_by in ("head_to_head", "sonneborn_berger")
        assert ('class="small decided"' in row) == named
        counts = "-".join(str(standing.values[name]) for name in ("won", "drawn", "lost"))
        assert f">{counts}<" in row


def test_an_event_that_was_ended_early_does_not_look_played_out(client: Client) -> None:
    stages = [{"format": "round_robin"}, {"format": "single_elimination", "qualify": 2}]
    event = under_way(4, stages=stages, boards_per_round=1)
    for table in waiting(event):
        play_table(table)
    tournament_pause(event, event.organiser)
    tournament_close_early(event, event.organiser, "the hall closes")
    tournament_advance(event)
    html = " ".join(text_of(client, event.page).split())
    assert "the hall closes" in html
    for stage in (1, 2):
        page = client.get(f"/tournaments/{event.public_id}/standings?stage={stage}").content.decode()
        assert re.search(r'class="note">[^<]+the hall closes<', page)


def test_closed_rounds_show_scores_forfeits_and_the_crosstable(client: Client, running: Tournament) -> None:
    table = waiting(running)[0]
    loser = TableSeat.objects.get(table=table, seat=2).entry
    play_table(table, frozenset({2, 4}))
    for other in waiting(running):
        play_table(other)
    tournament_advance(running)
    html = text_of(client, running.page)
    fixture = html[html.index(f'id="f-{table.fixture.public_id}"') :].split("</li>")[0]
    side = fixture[fixture.index(loser.version.bot.name) :].split("</div>")[0]
    assert "−4" in side


def test_an_organisers_own_entry_is_marked(client: Client) -> None:
    tournament = with_entries(2)
    assert 'class="own"' not in text_of(client, tournament.page)
    factories.an_entry(tournament, factories.odo())
    assert 'class="own"' in text_of(client, tournament.page)


def test_a_running_table_shows_state_boards_and_clock(client: Client, running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert table_heartbeat(lease.table_id, lease.fence, 1, 20)
    html = text_of(client, running.page)
    assert '<progress max="2" value="1"' in html
    assert "data-since=" in html


def test_only_those_who_run_it_read_why_a_table_is_held_back(client: Client, running: Tournament) -> None:
    table = waiting(running)[0]
    for _ in range(settings.TABLE_ATTEMPTS_MAX):
        lease = claimed(table)
        table_fail(lease.table_id, lease.fence, "bwrap: no namespaces")
    assert Table.objects.get(pk=table.pk).state == Table.State.QUARANTINED
    for user, sees_reason in ((factories.aya(), False), (factories.odo(), True), (factories.sota(), True)):
        client.force_login(user)
        html = text_of(client, running.page)
        assert ("bwrap: no namespaces" in html) == sees_reason


def test_tables_no_worker_can_run_say_which_runtime_is_missing(client: Client) -> None:
    tournament = under_way(4)
    stuck = waiting(tournament)[0]
    note = {"code": "runtime_lacking", "runtimes": "node/1"}
    unserved = {"waiting_for": "runtime_unavailable", "note": note}
    Table.objects.filter(pk=stuck.pk).update(**unserved)
    html = text_of(client, tournament.page)
    assert "node/1" in html
    lease = claimed(stuck)
    Table.objects.filter(pk=lease.table_id).update(**unserved)
    process_cache.clear()
    assert "node/1" not in text_of(client, tournament.page)


def test_the_lot_is_shown_only_where_it_decided(client: Client, final: Tournament) -> None:
    standings = final.stages.get().standings
    standings.filter(rank=2).update(decided_by="wins")
    assert 'class="legend by-lot"' not in text_of(client, final.page)
    standings.filter(rank=2).update(decided_by="lot")
    process_cache.clear()
    ranking = client.get(final.page).context["results"]["rankings"][0]
    lots = {row.rank: row.values["lot"] for row in standings.order_by("rank")}
    assert [line.by_lot for line in ranking.lines] == ["", lots[2]]
    assert "lot" not in [column.name for column in ranking.columns]
    process_cache.clear()
    assert text_of(client, final.page).count('class="legend by-lot"') == 1
    assert ranking.by_lot == "1–2"


@pytest.mark.parametrize(
    ("state", "steps"),
    [
        (State.DRAFT, []),
        (State.OPEN, ["committed"]),
        (State.LOCKED, ["committed", "field_fixed"]),
        (State.FINAL, ["committed", "field_fixed", "revealed"]),
    ],
)
def test_the_steps_of_fair_deals_follow_the_state(final: Tournament, state: str, steps: list[str]) -> None:
    tournament = final if state == State.FINAL else in_state(state)
    assert conditions_context(load_event(tournament))["fair_steps"] == steps


def test_a_winner_by_lot_alone_is_called_so(client: Client, final: Tournament) -> None:
    """The season gives both the same points."""
    standings = final.stages.get().standings
    standings.filter(rank=2).update(decided_by="wins")
    assert not client.get(final.page).context["head"]["by_lot"]
    standings.filter(rank=2).update(decided_by="lot")
    process_cache.clear()
    assert client.get(final.page).context["head"]["by_lot"]
