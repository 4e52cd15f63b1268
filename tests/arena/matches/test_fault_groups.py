"""Faults that look alike are one group, made when boards close and checks end; the same if made again."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.errors import Forbidden, NotFound
from arena.competition.models import Entry, Tournament
from arena.competition.services import entry_create
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches import faults
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.faults import check_faults_group, faults_group, faults_rebuild
from arena.matches.models import BoardSet, FaultGroup, Fixture, Table
from arena.matches.selectors import bot_faults, fault_group_get, version_faults
from arena.roster.selectors import version_get
from arena.roster.services import check_finish
from referee.contract import Fault, Verdict
from tests.arena.once import given, made_once
from tests.arena.play import a_start_fault, begun, play_out, play_table, seats_of, started, waiting
from tests.factories import (
    a_bot,
    a_running_check,
    a_version,
    an_entry,
    an_open_tournament,
    an_upload,
    aya,
    ben,
    chie,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


rows_of_the_meeting = made_once(
    lambda: begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}]), serials=1000
)


@pytest.fixture
def meeting(rows_of_the_meeting: Tournament, db: None) -> Tournament:
    """Aya and Ben meet twice; the first round is open. It is made once."""
    return given(rows_of_the_meeting)


def ayas(tournament: Tournament) -> Entry:
    return tournament.entries.get(player__user=aya())


def play_faulty(tournament: Tournament, table: Table, **how: Any) -> None:
    """Aya's bot answers nonsense once on each of its two seats."""
    play_table(table, faulty=seats_of(table, ayas(tournament)), **how)


def stored() -> list[tuple[Any, ...]]:
    """Every column of every group but its number."""
    names = [field.attname for field in FaultGroup._meta.concrete_fields if field.attname != "id"]
    return list(FaultGroup.objects.order_by("version", "fingerprint").values_list(*names))


def a_check_with(*found: Fault) -> Any:
    """A check of a new version of Aya's, done, whose trial had these faults."""
    check = a_running_check(an_upload(a_bot(aya())))
    report = {"seats": [{"seat": 1, "faults": [dataclasses.asdict(fault) for fault in found]}]}
    check_finish(check, accepted=not found, steps=[], reasons=[], report=report, runtime_digest="")
    check_faults_group(check)
    return check


def test_nothing_is_known_of_a_fault_before_its_boards_close(meeting: Tournament) -> None:
    first, second = waiting(meeting)
    version = ayas(meeting).version
    play_faulty(meeting, first)
    tournament_advance(meeting)
    assert not FaultGroup.objects.exists()
    assert version_faults(version, aya()) == []
    assert sum(group.count for group in version_faults(version, sota())) == 2
    play_table(second)
    tournament_advance(meeting)
    assert sum(group.count for group in version_faults(version, aya())) == 2


def test_a_closing_round_tells_nothing_of_tables_sealed_elsewhere(meeting: Tournament) -> None:
    version = ayas(meeting).version
    other = an_open_tournament()
    entry_create(other, version, aya())
    an_entry(other, chie())
    play_faulty(other, waiting(started(other))[0], log="sealed elsewhere")
    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    faults_rebuild(version)
    assert {group.sample["log_tail"] for group in version_faults(version, aya())} == {"KeyError: 'QH'"}
    assert {group.sample["log_tail"] for group in version_faults(version, sota())} == {
        "KeyError: 'QH'",
        "sealed elsewhere",
    }


def test_a_group_tells_how_often_when_and_where(meeting: Tournament) -> None:
    version = ayas(meeting).version
    for line in ("KeyError: 'QH'", "KeyError: 'AS'"):
        for table in waiting(meeting):
            play_faulty(meeting, table, log=line)
        tournament_advance(meeting)
    groups = version_faults(version, aya())
    assert sum(group.count for group in groups) == 8
    tables = Table.objects.order_by("finished_at")
    for group in groups:
        assert (group.verdict, group.sample["verdict"]) == ("ILLEGAL_ACTION", "ILLEGAL_ACTION")
        assert group.phase == group.sample["phase"]
        # Quoted words do not tell faults apart; the sample is the latest.
        assert group.sample["log_tail"] == "KeyError: 'AS'"
        assert group.first_seen_at < group.last_seen_at
        at = group.table
        assert at is not None
        assert at.finished_at == group.last_seen_at
        assert group.seat in seats_of(at, ayas(meeting))
        assert group.check_run is None
    assert max(group.last_seen_at for group in groups) == tables.last().finished_at
    assert [group.count for group in groups] == sorted((group.count for group in groups), reverse=True)


def test_groups_of_others_are_their_own(meeting: Tournament) -> None:
    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    assert set(FaultGroup.objects.values_list("version", flat=True)) == {ayas(meeting).version_id}


def test_making_them_again_gives_the_same(meeting: Tournament) -> None:
    check = a_check_with(a_start_fault(Verdict.CRASHED, "ModuleNotFoundError: No module named 'x'"))
    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    before = stored()
    assert len(before) > 1
    for board_set in BoardSet.objects.filter(state=BoardSet.State.CLOSED):
        faults_group(board_set)
    check_faults_group(check)
    assert stored() == before
    FaultGroup.objects.all().delete()
    out = io.StringIO()
    call_command("faults_rebuild", stdout=out)
    assert stored() == before
    assert out.getvalue().startswith(f"{len(before)} groups of faults of 3 versions")
    FaultGroup.objects.filter(version=check.version).update(count=77)
    call_command("faults_rebuild", check.version.public_id, stdout=out)
    assert stored() == before
    assert "nosuch" in str(refusal(CommandError, call_command, "faults_rebuild", "nosuch"))


def test_faults_at_a_table_of_a_void_fixture_are_its_owners_to_read(meeting: Tournament) -> None:
    first, _ = waiting(meeting)
    play_faulty(meeting, first)
    assert version_faults(ayas(meeting).version, aya()) == [], "sealed"
    tournament_cancel(meeting, meeting.organiser, "rain")
    first.refresh_from_db()
    assert (first.state, first.fixture.state) == (Table.State.FINISHED, Fixture.State.VOID)
    groups = version_faults(ayas(meeting).version, aya())
    assert groups != []
    assert {group.table for group in groups} == {first}
    before = stored()
    call_command("faults_rebuild", stdout=io.StringIO())
    assert stored() == before


def test_a_ruling_takes_no_fault_away(meeting: Tournament) -> None:
    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    before = stored()
    fixture = Fixture.objects.order_by("pk")[0]
    for kind in ("void", "lift"):
        fixture_adjudicate(fixture, meeting.organiser, kind, [], "power cut")
        tournament_advance(meeting)
        assert stored() == before != []


def test_what_was_played_before_a_cancellation_stays(meeting: Tournament) -> None:
    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    before = stored()
    tournament_cancel(meeting, meeting.organiser, "rain")
    call_command("faults_rebuild", stdout=io.StringIO())
    assert stored() == before != []


def test_faults_of_a_check_are_known_at_once() -> None:
    check = a_check_with(a_start_fault())
    (group,) = version_faults(check.version, aya())
    assert (group.table, group.check_run, group.seat, group.count) == (None, check, 1, 1)
    assert group.last_seen_at == check.finished_at
    assert a_check_with().version.fault_groups.count() == 0


def test_a_bots_faults_are_those_since_its_last_upload() -> None:
    bot = a_check_with(a_start_fault()).version.bot
    assert [group.phase for group in bot_faults(bot, aya())] == ["start"]
    assert len(bot_faults(bot, sota())) == 1
    a_version(bot)
    assert bot_faults(bot, aya()) == []
    assert len(version_faults(bot.versions.get(number=1), aya())) == 1
    assert bot_faults(a_bot(aya()), aya()) == []


def test_they_are_shown_to_the_owner_and_staff_alone() -> None:
    version = a_check_with(a_start_fault()).version
    fingerprint = version.fault_groups.get().fingerprint
    for look in (
        lambda: version_faults(version, chie()),
        lambda: bot_faults(version.bot, ben()),
        lambda: fault_group_get(version, fingerprint, None),
    ):
        assert refusal(Forbidden, look).code == "not_owner"
    assert fault_group_get(version, fingerprint, aya()).fingerprint == fingerprint
    refusal(NotFound, fault_group_get, version, "0" * 16, aya())


def test_a_sealed_fault_is_as_unknown_to_its_owner_as_none(meeting: Tournament) -> None:
    play_faulty(meeting, waiting(meeting)[0])
    version = ayas(meeting).version
    (group, *_) = version_faults(version, sota())
    refused = refusal(NotFound, fault_group_get, version, group.fingerprint, aya())
    unknown = refusal(NotFound, fault_group_get, version, "0" * 16, aya())
    assert refused.code == unknown.code == "fault_not_found"
    assert refused.message.replace(group.fingerprint, "") == unknown.message.replace("0" * 16, "")


def test_a_bot_that_never_fails_alike_fills_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "MAX_GROUPS", 3)
    lines = ["a", "b", "c", "d", "d", "e", "e"]
    version = a_check_with(*(a_start_fault(log=line) for line in lines)).version
    assert [group.count for group in version_faults(version, aya())] == [2, 2, 1]
    assert len(version_faults(version, sota())) == 3


def test_reading_costs_the_same_however_many_there_are(meeting: Tournament) -> None:
    version = version_get(ayas(meeting).version.public_id, aya())

    def queries(viewer: Any) -> int:
        with CaptureQueriesContext(connection) as seen:
            for group in version_faults(version, viewer):
                assert group.table.fixture.board_set.round.stage.tournament
                assert group.version.bot.owner.user_id
        return len(seen)

    for table in waiting(meeting):
        play_faulty(meeting, table)
    tournament_advance(meeting)
    few = {viewer: queries(viewer()) for viewer in (aya, sota)}
    for step, table in enumerate(waiting(meeting)):
        play_faulty(meeting, table, log=f"line {'abc'[step]}", at=4 + step)
    tournament_advance(meeting)
    assert version.fault_groups.count() > 2
    assert {viewer: queries(viewer()) for viewer in (aya, sota)} == few


def test_a_version_without_faults_costs_a_closing_round_nothing(meeting: Tournament) -> None:
    def closing(**how: Any) -> int:
        for table in waiting(meeting):
            if how:
                play_faulty(meeting, table, **how)
            else:
                play_table(table)
        board_set = BoardSet.objects.get(state=BoardSet.State.OPEN)
        with CaptureQueriesContext(connection) as seen:
            faults_group(board_set)
        tournament_advance(meeting)
        return len(seen)

    assert closing() == 1
    assert closing(at=3) > 1


def test_groups_outlive_a_play_out(meeting: Tournament) -> None:
    for table in waiting(meeting):
        play_faulty(meeting, table)
    play_out(meeting)
    assert meeting.state == Tournament.State.FINAL
    version = ayas(meeting).version
    assert faults_rebuild(version) == version.fault_groups.count() > 0
