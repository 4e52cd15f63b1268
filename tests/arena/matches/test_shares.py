"""An account's own work, challenges and checks, holds half of the workers' places at most."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.competition.challenges import challenge_create, challenges_worker_s
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.dispatch import tables_due
from arena.matches.leases import table_claim
from arena.matches.models import Table
from arena.matches.shares import own_work_admitted
from arena.matches.workers import worker_heartbeat
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.services import check_claim, checks_sweep
from tests import factories
from tests.arena.play import WORKER
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
PYTHON = {"python/1"}


@pytest.fixture(autouse=True)
def two_places() -> None:
    worker_heartbeat("tables@here", "FULL1", {"python/1": "digest"}, 2)


def a_challenge(user: User, boards: int = 2) -> Tournament:
    """Of two tables, its first round open and its messages out as far as its share allows."""
    versions = [factories.a_version(factories.a_bot(user)) for _ in range(2)]
    event = challenge_create(user, versions, preset="kakeya4", boards=boards)
    tournament_advance(event)
    return event


def tables_of(*events: Tournament) -> list[Table]:
    return list(Table.objects.filter(tournament__in=events).order_by("pk"))


def claimed(table: Table) -> bool:
    return table_claim(table.pk, WORKER, PYTHON) is not None


def over(table: Table) -> None:
    Table.objects.filter(pk=table.pk).update(state=Table.State.VOID)


def a_waiting_check(user: User) -> CheckRun:
    return factories.an_upload(factories.a_bot(user)).checks.get()


def test_challenges_of_one_account_hold_one_place_of_two() -> None:
    first, second = a_challenge(factories.aya()), a_challenge(factories.aya())
    tables = tables_of(first, second)
    assert claimed(tables[0])
    assert not any(claimed(table) for table in tables[1:]), "another place would be the last one"
    other = a_challenge(factories.ben())
    assert claimed(tables_of(other)[0])
    over(tables[0])
    assert claimed(tables[1])


def test_a_larger_fleet_gives_larger_shares() -> None:
    worker_heartbeat("more@here", "FULL1", {"python/1": "digest"}, 4)
    tables = tables_of(*(a_challenge(factories.aya()) for _ in range(2)))
    assert [claimed(table) for table in tables] == [True, True, True, False]


def test_no_more_is_offered_than_the_share() -> None:
    events = [a_challenge(factories.aya()) for _ in range(3)]
    offered = Table.objects.filter(tournament__in=events).exclude(published_at=None)
    assert offered.count() == 1
    assert tables_due() == []
    over(offered[0])
    assert len(tables_due()) == 1


def test_a_table_refused_for_its_owners_share_is_offered_again_once_there_is_a_place() -> None:
    tables = tables_of(a_challenge(factories.aya()))
    assert claimed(tables[0])
    Table.objects.filter(pk=tables[1].pk).update(published_at=timezone.now())
    assert not claimed(tables[1])
    assert tables_due() == []
    over(tables[0])
    assert tables_due() == [tables[1].pk]


def test_tournaments_are_nobodys_own_work(running: Tournament) -> None:
    assert all(claimed(table) for table in tables_of(running))


def test_checks_and_challenges_of_an_account_count_together() -> None:
    table = tables_of(a_challenge(factories.aya()))[0]
    check = a_waiting_check(factories.aya())
    assert claimed(table)
    assert check_claim(check.pk, WORKER, PYTHON, own_work_admitted) is None
    check.refresh_from_db()
    assert check.state == CheckRun.State.WAITING
    assert check_claim(a_waiting_check(factories.ben()).pk, WORKER, PYTHON, own_work_admitted)
    over(table)
    assert check_claim(check.pk, WORKER, PYTHON, own_work_admitted)


def test_an_accounts_checks_come_before_its_challenges() -> None:
    check = a_waiting_check(factories.aya())
    event = a_challenge(factories.aya())
    assert not Table.objects.filter(tournament=event).exclude(published_at=None).exists()
    other = a_challenge(factories.ben())
    assert Table.objects.filter(tournament=other).exclude(published_at=None).exists()
    running = check_claim(check.pk, WORKER, PYTHON, own_work_admitted)
    assert running is not None
    assert tables_due() == []
    CheckRun.objects.filter(pk=check.pk).update(state=CheckRun.State.DONE)
    assert len(tables_due()) == 1


def uploads(bot: Bot, count: int) -> list[BotVersion]:
    return [factories.an_upload(bot) for _ in range(count)]


def test_checks_are_offered_account_by_account(monkeypatch: pytest.MonkeyPatch) -> None:
    many = uploads(factories.a_bot(factories.aya()), 4)
    few = uploads(factories.a_bot(factories.ben()), 1)
    turn = [many[0], few[0], *many[1:]]
    assert checks_sweep() == [version.checks.get().pk for version in turn]


def test_the_time_of_challenges_within_a_day_is_limited(settings: Any) -> None:
    settings.CHALLENGE_WORKER_S_PER_DAY = 600
    event = a_challenge(factories.aya())
    now = timezone.now()
    hour = datetime.timedelta(hours=1)
    held = Table.objects.filter(tournament=event)
    held.update(started_at=now - datetime.timedelta(seconds=299), finished_at=now)
    assert round(challenges_worker_s(factories.aya())) == 598
    a_challenge(factories.aya())
    held.update(started_at=now - datetime.timedelta(seconds=301))
    refused = refusal(Conflict, a_challenge, factories.aya())
    assert (refused.code, refused.extra["limit"]) == ("challenge_quota_exceeded", 600)
    assert "600 s" in refused.message
    a_challenge(factories.ben())
    held.update(started_at=now - 26 * hour, finished_at=now - 25 * hour)
    a_challenge(factories.aya())
