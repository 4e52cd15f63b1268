"""The page of a bot and the list of bots, for everybody and from inside."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.accounts.models import User
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.competition.services import entry_create
from arena.matches.conduct import SeatConduct
from arena.matches.faults import check_faults_group
from arena.matches.models import BoardSet
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.services import check_finish, version_retire, version_suspend
from arena.standings.models import FixtureScore
from arena.web.base.figures import format_exact, format_rounded
from arena.web.bots import event_results
from arena.web.bots.event_results import place_of
from arena.web.bots.recent_results import health_sentence
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_out, started
from tests.arena.web import faulty
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import CAST, INSIDERS, text_of, visit
from tests.scores import board_scores

pytestmark = [pytest.mark.django_db, pytest.mark.full]
State = BotVersion.State


rows_of_a_final_event = made_once(lambda: play_out(under_way()), serials=1000)
rows_of_a_private_event = made_once(lambda: play_out(under_way(2, visibility="private")), serials=2000)


@pytest.fixture
def final(rows_of_a_final_event: Tournament, db: None) -> Tournament:
    """An event that is over; Aya, Ben and Chie played."""
    return given(rows_of_a_final_event)


@pytest.fixture
def private(rows_of_a_private_event: Tournament, db: None) -> Tournament:
    """A private one of Aya and Ben that is over."""
    return given(rows_of_a_private_event)


def page_of(client: Client, bot: Bot) -> str:
    return text_of(client, f"/bots/{bot.public_id}")


def suspended(owner: User) -> BotVersion:
    """A version that was suspended for its forfeits."""
    version = factories.a_version(factories.a_bot(owner))
    assert version_suspend(version, "it forfeited 14 of its last 50 tables")
    version.refresh_from_db()
    return version


def rejected(bot: Bot) -> BotVersion:
    """A version whose check did not pass, with a fault in its trial."""
    version = factories.an_upload(bot, notes="my very own note")
    fault = faulty.a_fault(phase="start", board=0, decision=0, action=None)
    check_finish(
        factories.a_running_check(version),
        accepted=False,
        steps=[
            {"name": "import", "ok": True, "detail": "3 files"},
            {"name": "trial", "ok": False, "detail": faulty.HOSTILE},
        ],
        reasons=[{"code": "protocol", "message": f"{faulty.HOSTILE} is no answer"}],
        report=faulty.a_trial_report(fault),
        runtime_digest="",
    )
    check_faults_group(CheckRun.objects.get(version=version))
    version.refresh_from_db()
    return version


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_who_sees_a_bot_at_all(client: Client, visibility: str) -> None:
    bot = factories.a_bot(factories.aya(), visibility=visibility)
    seen_by = set()
    for name in CAST:
        visit(client, name)
        status = client.get(f"/bots/{bot.public_id}").status_code
        assert status in (200, 404)
        if status == 200:
            seen_by.add(name)
        assert (f"/bots/{bot.public_id}" in text_of(client, "/bots")) == (status == 200)
    assert seen_by == (set(CAST) if visibility == "public" else INSIDERS)


def test_the_inside_of_a_version_is_its_owners_and_staffs(client: Client) -> None:
    bot = factories.a_bot(factories.aya())
    version = rejected(bot)
    for name in CAST:
        visit(client, name)
        page = page_of(client, bot)
        found = [word in page for word in ("my very own note", "is no answer", "3 files")]
        assert set(found) == {name in INSIDERS}, name
        assert (f"/versions/{version.public_id}/faults/" in page) == (name in INSIDERS)
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_a_check_tells_its_steps_and_how_it_ended(client: Client) -> None:
    bot = factories.a_bot(factories.aya())
    rejected(bot)
    visit(client, "aya")
    page = page_of(client, bot)
    assert page.index("<b>import</b>") < page.index("<b>trial</b>")


def test_a_version_no_worker_can_run_says_what_it_waits_for(client: Client) -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()), runtime="node/1")
    CheckRun.objects.update(
        waiting_for="runtime_unavailable", note={"code": "runtime_lacking", "runtimes": "node/1"}
    )
    for name in CAST:
        visit(client, name)
        page = page_of(client, version.bot)
        assert (">runtime_unavailable<" in page) == (name in INSIDERS), name


def test_a_suspension_tells_why_and_the_ways_back(client: Client) -> None:
    version = suspended(factories.aya())
    for name in CAST:
        visit(client, name)
        page = page_of(client, version.bot)
        assert ">suspended<" in page
        assert ("/reinstate" in page) == (name in INSIDERS), name


def test_results_are_told_by_opponent_with_the_latest_fixtures(client: Client, final: Tournament) -> None:
    entry = final.entries.get(player__user=factories.aya())
    others = final.entries.exclude(pk=entry.pk)
    totals = {
        (score.fixture_id, score.entry_id): score.value
        for score in FixtureScore.objects.filter(fixture__tournament=final)
    }
    for address in (f"/bots/{entry.version.bot.public_id}", entry.version.page):
        page = text_of(client, address)
        for other in others:
            fixture = final.fixtures.filter(entries=entry).get(entries=other)
            own, against = totals[fixture.pk, entry.pk], totals[fixture.pk, other.pk]
            record = (int(own > against), int(own == against), int(own < against))
            section = page[page.index("<table", page.index('id="opponents-title"')) :]
            row = section[section.index(f'href="/bots/{other.version.bot.public_id}"') :].split("</tr>")[0]
            assert "{}–{}–{}".format(*record) in row
            opponent = row.split("</th>")[0]
            assert 'class="stone"' not in opponent, "it would seem to be the opponent's"
            assert f'href="/fixtures/{fixture.public_id}"' in page
        recent = page[page.index('id="fixtures-title"') :].split("</table>")[0]
        heads = re.findall(r'<th scope="row">.*?</th>', recent, re.S)
        assert len(heads) == recent.count('class="stone"') == len(others)
        assert 'class="stone"' not in "".join(heads)
        assert 'class="site-clock"' in page


def test_private_events_count_for_those_who_may_see_them(client: Client, private: Tournament) -> None:
    bot = private.entries.get(player__user=factories.aya()).version.bot
    for name in CAST:
        visit(client, name)
        page = page_of(client, bot)
        shown = (private.name in page, f"/fixtures/{private.fixtures.all()[0].public_id}" in page)
        assert set(shown) == {name in {"aya", "odo", "sota"}}, name


def test_faults_are_counted_by_table_in_a_sentence() -> None:
    good = [SeatConduct(table, "OK", False, 10, 1000) for table in (1, 1, 2)]
    bad = [SeatConduct(3, "OUT_OF_TIME", True, 900, 1000), SeatConduct(4, "ILLEGAL_ACTION", False, 5, 1000)]
    figures = [re.findall(r"\d+", health_sentence(conduct)) for conduct in (good, [*good, *bad], [])]
    assert figures == [["2"], ["2", "4", "1"], []]


def test_the_list_finds_bots_by_their_names_and_their_players(client: Client) -> None:
    kappa = factories.a_version(factories.a_bot(factories.aya(), name="Kappa")).bot
    oni = factories.a_version(factories.a_bot(factories.ben(), name="Oni")).bot
    for query, expected in (("kap", {kappa}), (oni.owner.handle, {oni}), ("kap oni", set()), ("%00", set())):
        page = text_of(client, f"/bots?q={query}")
        assert {bot for bot in (kappa, oni) if f'href="/bots/{bot.public_id}"' in page} == expected


def test_whoever_has_no_bot_reads_how_to_make_one(client: Client) -> None:
    visit(client, "rin")
    assert "/me/bots/new" in text_of(client, "/bots")


def test_more_of_everything_needs_no_more_queries(client: Client) -> None:
    def queries(name: str) -> list[int]:
        """That the pages take for somebody, one after the other."""
        visit(client, name)
        counts = []
        for address in ("/bots", f"/bots/{bot.public_id}", version):
            process_cache.clear()
            with CaptureQueriesContext(connection) as seen:
                text_of(client, address)
            counts.append(len(seen))
        return counts

    def misbehave(bot: Bot, misdeeds: dict[int, faulty.Misdeed]) -> None:
        """A new version of the bot enters a tournament and is at fault there."""
        tournament = factories.an_open_tournament(boards_per_round=1)
        version = factories.a_version(bot)
        entry_create(tournament, version, factories.aya())
        factories.an_entry(tournament, factories.ben())
        faulty.play_round(started(tournament), {version.pk: misdeeds})

    bot = factories.a_bot(factories.aya())
    misbehave(bot, {2: faulty.illegal})
    version = bot.versions.earliest("number").page
    before = {name: queries(name) for name in CAST}
    for number in range(2):
        rejected(bot)
        version_retire(factories.a_version(bot), factories.aya())
        misbehave(factories.a_bot(factories.aya()), {2: faulty.illegal})
        misbehave(bot, {2: faulty.illegal, 3 + number: faulty.endless_word, 7: faulty.crash})
    assert {name: queries(name) for name in CAST} == before
    assert max(max(counts) for counts in before.values()) < 28


def test_pages_of_insiders_are_kept_by_no_cache_on_the_way(client: Client) -> None:
    bot = factories.a_bot(factories.aya())
    visit(client, "aya")
    response = client.get(f"/bots/{bot.public_id}")
    assert "private" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


def test_a_suspension_that_is_over_leaves_no_trace_for_strangers(client: Client) -> None:
    version = suspended(factories.aya())
    BotVersion.objects.filter(pk=version.pk).update(
        state=State.READY, suspended_at=None, suspended_note={}, reinstated_at=timezone.now()
    )
    assert "suspended" not in page_of(client, version.bot)


SECTIONS = ("rating", "events", "opponents", "boards", "fixtures", "accuracy", "costly", "ladders", "faults")


def test_a_bot_that_has_not_played_has_one_line_in_place_of_empty_sections(client: Client) -> None:
    name = "凧" * 60
    bot = factories.a_version(factories.a_bot(factories.aya(), name=name)).bot
    for who in CAST:
        visit(client, who)
        page = page_of(client, bot)
        assert [part for part in SECTIONS if f'id="{part}-title"' in page] == []
        assert page.count(name) >= 1
        assert f"/bots/{bot.public_id}/challenge" in page


def test_results_are_pages_of_lines_with_the_place_and_the_best_board(
    client: Client, final: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = final.entries.get(player__user=factories.aya())
    bot = entry.version.bot
    rank = final.stages.get().standings.get(entry=entry).rank
    page = page_of(client, bot)
    line = page.partition('id="events-title"')[2].partition("</section>")[0]
    assert place_of(rank, 3) in line
    best = max(board_scores(entry=entry), key=lambda score: score.value)
    assert format_exact(best.value, signed=True) in line
    assert f"/boards/{best.fixture.board_set.public_id}/" in line
    later = factories.an_open_tournament()
    entry_create(later, entry.version, factories.aya())
    monkeypatch.setattr(event_results, "EVENTS_PER_PAGE", 1)
    pages = [text_of(client, f"/bots/{bot.public_id}?events={number}") for number in (1, 2, 9)]
    listed = [
        [name for name in (later.public_id, final.public_id) if name in part]
        for part in map(events_of, pages)
    ]
    assert listed == [[later.public_id], [final.public_id], [final.public_id]]
    assert client.get(f"/bots/{bot.public_id}?events=x").status_code == 400
    Tournament.objects.filter(pk=final.pk).update(kind=Tournament.Kind.LADDER)
    assert final.public_id not in events_of(page_of(client, bot)), "a round of a ladder is no event"


def events_of(page: str) -> str:
    return page.partition('id="events-title"')[2].partition("</section>")[0]


def test_best_and_worst_boards_are_those_of_closed_sets(client: Client, final: Tournament) -> None:
    entry = final.entries.get(player__user=factories.aya())
    scores = sorted((score.value for score in board_scores(entry=entry)), reverse=True)
    best, worst = [value for value in scores if value > 0][:3], [value for value in scores if value < 0][-3:]

    def values() -> list[str]:
        process_cache.clear()
        page = page_of(client, entry.version.bot)
        part = page.partition('id="boards-title"')[2].partition("</section>")[0]
        return re.findall(r'<span class="home-swing num">(.*?)</span>', part)

    assert values() == [format_rounded(float(value)) for value in (*best, *worst)]
    assert values()
    BoardSet.objects.update(state=BoardSet.State.OPEN)
    assert values() == []


def test_boards_and_opponents_of_a_private_event_are_for_those_who_see_it(
    client: Client, private: Tournament
) -> None:
    entry = private.entries.get(player__user=factories.aya())
    sets = BoardSet.objects.filter(round__stage__tournament=private).values_list("public_id", flat=True)
    for name in CAST:
        visit(client, name)
        page = page_of(client, entry.version.bot)
        is_shown = (
            'id="opponents-title"' in page,
            any(f"/boards/{board_set}/" in page for board_set in sets),
        )
        assert set(is_shown) == {name in {"aya", "odo", "sota"}}, name
        assert "/watch/" not in page, "boards of private events are not watched"


def test_a_bot_whose_versions_are_retired_keeps_its_results_and_loses_its_actions(
    client: Client, final: Tournament
) -> None:
    bot = final.entries.get(player__user=factories.aya()).version.bot
    version_retire(bot.versions.get(), factories.aya())
    page = page_of(client, bot)
    assert all(f'id="{part}-title"' in page for part in ("events", "opponents"))
    assert "/challenge" not in page
    assert "/play?" not in page
