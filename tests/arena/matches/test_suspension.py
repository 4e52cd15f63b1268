"""Versions that forfeit too many tables are suspended: from how many on, which tables count, once only."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from arena.accounts.models import AuditEvent, Notice
from arena.accounts.selectors import notices_for
from arena.common.errors import Conflict
from arena.competition.models import Entry, Tournament
from arena.competition.services import entry_create
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches.models import BoardSet, Table, TableSeat
from arena.matches.suspension import ForfeitRate, forfeit_rate, frequent_forfeiters_suspend
from arena.roster.models import BotVersion
from arena.roster.services import version_activate, version_suspend
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out, play_table, seats_of, started, waiting
from tests.factories import (
    a_bot,
    a_pair_entry,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def strict(settings: Any) -> None:
    """Small numbers, so that a test plays few tables."""
    settings.SUSPENSION_WINDOW_TABLES = 8
    settings.SUSPENSION_TABLES_MIN = 4
    settings.SUSPENSION_PERCENT = 25


rows_of_the_league = made_once(
    lambda: begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}] * 3), serials=1000
)


@pytest.fixture
def league(rows_of_the_league: Tournament, db: None) -> Tournament:
    """Aya and Ben meet six times, two tables each time; the first round is open. It is made once."""
    return given(rows_of_the_league)


def of(tournament: Tournament, owner: Callable[[], Any] = aya) -> Entry:
    return tournament.entries.get(player__user=owner())


def state_of(entry: Entry) -> str:
    return str(BotVersion.objects.get(pk=entry.version_id).state)


def play_round(tournament: Tournament, *forfeited: bool) -> None:
    """Play the open round; Aya's bot crashes at the tables told."""
    for table, is_lost in zip(waiting(tournament), forfeited, strict=True):
        play_table(table, forfeiting=seats_of(table, of(tournament)) if is_lost else frozenset())
    tournament_advance(tournament)


def test_over_the_share_of_enough_tables_a_version_is_suspended(league: Tournament) -> None:
    play_round(league, True, True)
    assert state_of(of(league)) == "ready"
    assert forfeit_rate(of(league).version) == ForfeitRate(2, 2)
    play_round(league, False, False)
    assert state_of(of(league)) == "suspended"
    assert state_of(of(league, ben)) == "ready"


def test_the_share_itself_is_borne(league: Tournament) -> None:
    play_round(league, True, False)
    play_round(league, False, False)
    assert forfeit_rate(of(league).version) == ForfeitRate(4, 1)
    assert state_of(of(league)) == "ready"


def test_only_the_last_tables_count(league: Tournament, settings: Any) -> None:
    settings.SUSPENSION_TABLES_MIN = 8
    for lost in ((True, True), (False, False), (False, False)):
        play_round(league, *lost)
    assert forfeit_rate(of(league).version) == ForfeitRate(6, 2)
    play_round(league, False, False)
    assert forfeit_rate(of(league).version) == ForfeitRate(8, 2)
    assert state_of(of(league)) == "ready"
    play_round(league, False, True)
    assert forfeit_rate(of(league).version) == ForfeitRate(8, 1)


def test_nothing_counts_before_its_boards_are_closed(league: Tournament) -> None:
    first, _ = waiting(league)
    play_table(first, forfeiting=seats_of(first, of(league)))
    tournament_advance(league)
    assert forfeit_rate(of(league).version) == ForfeitRate(0, 0)


def test_voided_tables_count_for_nothing(league: Tournament) -> None:
    play_round(league, False, False)
    first, _ = waiting(league)
    play_table(first, forfeiting=seats_of(first, of(league)))
    tournament_cancel(league, league.organiser, "rain")
    assert Table.objects.get(pk=first.pk).state == "finished"
    assert forfeit_rate(of(league).version) == ForfeitRate(2, 0)


def test_a_table_counts_once_however_many_seats_a_version_plays(league: Tournament) -> None:
    play_round(league, True, False)
    assert TableSeat.objects.filter(version=of(league).version, forfeited=True).count() == 2
    assert forfeit_rate(of(league).version) == ForfeitRate(2, 1)


def test_of_a_pair_the_one_that_failed_is_suspended() -> None:
    tournament = an_open_tournament(stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    pair = a_pair_entry(tournament, aya())
    an_entry(tournament, ben())
    started(tournament)
    while tables := waiting(tournament):
        for table in tables:
            play_table(table, forfeiting=frozenset({min(seats_of(table, pair))}))
        tournament_advance(tournament)
    states = [BotVersion.objects.get(pk=version.pk).state for version in pair.versions()]
    assert states == ["suspended", "ready"]


def test_the_owner_is_told_why_what_it_bars_and_the_ways_back(league: Tournament) -> None:
    version = of(league).version
    assert version.bot.active_version == version
    play_round(league, True, True)
    play_round(league, True, False)
    version.refresh_from_db()
    assert version.suspended_note == {"code": "forfeited_often", "forfeited": 3, "tables": 4}
    assert version.suspended_at is not None
    version.bot.refresh_from_db()
    assert version.bot.active_version is None
    (notice,) = notices_for(aya())
    assert (notice.kind, notice.url_path, notice.read_at) == (
        Notice.Kind.SUSPENDED,
        f"/versions/{version.public_id}",
        None,
    )
    assert notice.note == {
        "code": "suspended",
        "version": str(version),
        "why": {"code": "forfeited_often", "forfeited": 3, "tables": 4},
        "active": {"code": "none_active"},
    }
    audited = AuditEvent.objects.get(action="suspend")
    assert (audited.actor, audited.object_id, audited.before) == (None, version.public_id, {"state": "ready"})
    assert audited.after == {"state": "suspended", "reason": version.suspended_reason}
    assert not notices_for(ben()).exists()


def test_entries_locked_play_on_to_the_end(league: Tournament) -> None:
    play_round(league, True, True)
    play_round(league, True, True)
    assert state_of(of(league)) == "suspended"
    play_out(league)
    assert league.state == Tournament.State.FINAL
    assert not Table.objects.exclude(state=Table.State.FINISHED).exists()
    assert notices_for(aya()).filter(kind=Notice.Kind.SUSPENDED).count() == 1


def test_a_suspended_version_neither_enters_nor_becomes_active(league: Tournament) -> None:
    play_round(league, True, True)
    play_round(league, True, True)
    version = of(league).version  # as it was loaded before: the database decides
    next_event = an_open_tournament()
    for action in (
        lambda: entry_create(next_event, version, aya()),
        lambda: version_activate(version, aya()),
    ):
        refused = refusal(Conflict, action)
        assert refused.code == "version_suspended"
        assert refused.extra["ways_back"] == ["upload", "reinstate"]
        assert refused.extra["suspended_reason"] in refused.message
        assert "corrected version" in refused.message
    assert not next_event.entries.exists()
    version.bot.refresh_from_db()
    assert version.bot.active_version is None


def test_the_next_version_that_passes_takes_the_empty_place(league: Tournament) -> None:
    play_round(league, True, True)
    play_round(league, True, True)
    bot = of(league).version.bot
    mended = a_version(bot)
    bot.refresh_from_db()
    assert bot.active_version == mended
    assert entry_create(an_open_tournament(), mended, aya())


def test_tables_from_before_the_reinstatement_count_no_more(league: Tournament) -> None:
    version = of(league).version
    play_round(league, True, True)
    play_round(league, False, False)
    assert state_of(of(league)) == "suspended"
    now = timezone.now()
    BotVersion.objects.filter(pk=version.pk).update(
        state="ready", suspended_at=None, suspended_note={}, reinstated_at=now
    )
    version.refresh_from_db()
    assert forfeit_rate(version) == ForfeitRate(0, 0)
    play_round(league, True, False)
    assert state_of(of(league)) == "ready"
    # The round that is open was begun after it; so it counts, and there are enough again.
    play_round(league, True, False)
    assert state_of(of(league)) == "suspended"


def test_a_table_begun_before_the_reinstatement_does_not_count(league: Tournament) -> None:
    version = of(league).version
    play_round(league, True, True)
    between = Table.objects.filter(state="finished").order_by("-finished_at")[0].finished_at
    assert between is not None
    Table.objects.filter(state="finished").update(
        started_at=between - datetime.timedelta(minutes=1),
        finished_at=between + datetime.timedelta(minutes=1),
    )
    version.reinstated_at = between
    assert forfeit_rate(version) == ForfeitRate(0, 0)


def test_looking_again_suspends_and_tells_once(league: Tournament) -> None:
    play_round(league, True, True)
    play_round(league, True, True)
    board_set = BoardSet.objects.filter(state=BoardSet.State.CLOSED).last()
    assert board_set is not None
    with transaction.atomic():
        assert frequent_forfeiters_suspend(board_set) == []
    assert notices_for(aya()).count() == AuditEvent.objects.filter(action="suspend").count() == 1


def test_of_two_who_suspend_one_version_one_does_it() -> None:
    version = a_version(a_bot(aya()))
    same = BotVersion.objects.get(pk=version.pk)
    assert version_suspend(version, "it forfeited 5 of its last 10 tables")
    assert not version_suspend(same, "it forfeited 6 of its last 11 tables")
    same.refresh_from_db()
    assert same.suspended_reason == "it forfeited 5 of its last 10 tables"
    assert notices_for(aya()).count() == 1


@pytest.mark.parametrize("state", ["uploaded", "checking", "rejected", "retired"])
def test_only_a_ready_version_is_suspended(state: str) -> None:
    version = a_version(a_bot(aya()))
    BotVersion.objects.filter(pk=version.pk).update(state=state)
    assert not version_suspend(version, "it forfeited 5 of its last 10 tables")
    assert BotVersion.objects.get(pk=version.pk).state == state


def test_one_reinstated_meanwhile_is_not_suspended_for_what_it_did_before() -> None:
    version = a_version(a_bot(aya()))
    counted_before = BotVersion.objects.get(pk=version.pk)
    BotVersion.objects.filter(pk=version.pk).update(reinstated_at=timezone.now())
    assert not version_suspend(counted_before, "it forfeited 5 of its last 10 tables")
    assert BotVersion.objects.get(pk=version.pk).state == "ready"


def test_an_entry_is_refused_if_the_version_was_suspended_a_moment_ago() -> None:
    version = a_version(a_bot(chie()))
    loaded = BotVersion.objects.select_related("bot__owner").get(pk=version.pk)
    assert version_suspend(version, "it forfeited 5 of its last 10 tables")
    assert loaded.state == "ready"
    assert refusal(Conflict, entry_create, an_open_tournament(), loaded, chie()).code == "version_suspended"


def test_a_house_bot_is_treated_alike() -> None:
    version = a_version(a_bot(sota()))
    assert version_suspend(version, "it forfeited 5 of its last 10 tables")
    assert notices_for(sota()).count() == 1
