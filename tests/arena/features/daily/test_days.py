"""Days: commitments the day before, attempts that end with the day, points, and the weekly table."""

from __future__ import annotations

import ast
import datetime
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.test import Client
from django.utils import timezone

import bots
from arena.features.daily.days import (
    FORMAT,
    IDLE_S,
    OVERTIME_S,
    PRESETS,
    RETENTION_DAYS,
    STRENGTH,
    _close,
    days_advance,
    points_of,
)
from arena.features.daily.feature import DAILY
from arena.features.daily.models import DailyAttempt, DailyDeal, WeekPlace
from arena.features.daily.panels.returning import returning_context
from arena.features.daily.selectors import deals_before
from arena.features.daily.weeks import monday_of, own_place, week_places, week_rebuild
from arena.features.play.models import CasualTable
from arena.features.play.offers import KINDS
from arena.operations.account_deletion import account_delete
from arena.roster.services import player_of
from arena.tables.live.history import rules_of
from engine.games import all_games
from league.fairness import board_seed, commitment, field_digest
from league.statements import signed_message, statement_digest
from tests import factories
from tests.arena.features.daily.deals import a_deal, account, attempt, fields, guest, move
from tests.arena.features.play.tables import house

pytestmark = pytest.mark.django_db
State = DailyAttempt.State
HOUSE = Path(bots.__file__).parent / "house"


def today() -> datetime.date:
    return timezone.now().date()


def ended(deal: DailyDeal, *, overtime: bool = True) -> DailyDeal:
    """Move the deal of today to yesterday; without overtime, if the test runs soon after 00:00 UTC, its table
    may still be in play."""
    move(deal, -2 if overtime else -1)
    days_advance()
    deal.refresh_from_db()
    return deal


def test_the_tick_publishes_signed_statements_about_today_and_tomorrow_once() -> None:
    assert days_advance() == ()
    assert not DailyDeal.objects.exists()
    house()
    days_advance()
    first = list(DailyDeal.objects.order_by("day"))
    days_advance()
    assert list(DailyDeal.objects.order_by("day")) == first
    assert [deal.day for deal in first] == [today(), today() + datetime.timedelta(days=1)]
    assert [deal.is_late for deal in first] == [True, False]
    for deal in first:
        assert deal.preset == PRESETS[deal.day.weekday()]
        body = json.loads(deal.body)
        assert body["format"] == FORMAT
        assert (body["day"], body["id"], body["board"]) == (deal.day.isoformat(), deal.seed_id, deal.board)
        assert body["commitment"] == commitment(bytes(deal.secret))
        assert bytes(deal.secret).hex() not in deal.body
        assert statement_digest(body) == deal.digest == hashlib.sha256(deal.body.encode()).hexdigest()
        public = Ed25519PublicKey.from_public_bytes(bytes(deal.key.public))
        public.verify(bytes.fromhex(deal.signature), signed_message(deal.digest))
        assert {bot["seat"] for bot in body["bots"]} == {*range(2, len(deal.seats) + 2)}
    assert first[0].commitment != first[1].commitment


def test_the_seed_of_the_table_follows_from_the_statement_and_the_secret() -> None:
    deal = a_deal()
    table = attempt(guest("a")).table
    assert table is not None
    body = json.loads(deal.body)
    digest = field_digest(bot["bundle"] for bot in body["bots"])
    seed = board_seed(bytes(deal.secret), body["id"], digest, 0, 0, body["board"])
    assert [board.seed for board in rules_of(table).boards] == [seed]


def test_house_bots_of_daily_deals_use_no_random_numbers() -> None:
    assert STRENGTH == "rules"
    (kind,) = KINDS[STRENGTH]
    games = {game.key for game in all_games().values() if set(PRESETS) & set(game.presets)}
    assert games == {"kakeya", "kakkuri"}
    for game in games:
        for path in (HOUSE / f"{game}_{kind}").rglob("*.py"):
            for node in ast.walk(ast.parse(Path(path).read_text())):
                imported = (
                    [alias.name for alias in getattr(node, "names", [])]
                    if isinstance(node, ast.Import | ast.ImportFrom)
                    else []
                )
                assert not {"random", "secrets", "time", "uuid"} & {name.split(".")[0] for name in imported}
                assert not (isinstance(node, ast.Attribute) and node.attr == "rng"), path


def test_an_ended_day_opens_its_tables_and_counts_points() -> None:
    deal = a_deal()
    fields(deal, [0, 2])
    users = [factories.aya(), factories.chie()]
    for user, stones in zip(users, (2, 1), strict=True):
        player_of(user)
        attempt(account(user), stones)
    attempt(guest("a"), 9)
    begun = attempt(guest("b"))
    ended(deal)
    assert deal.is_closed
    assert not CasualTable.objects.filter(is_sealed=True).exists()
    rows = {row.owner_id: row for row in DailyAttempt.objects.filter(owner__isnull=False)}
    # Of the other three results, bots 0 and 2 and the other account: lower 2, equal 1; lower 1.
    assert [rows[user.pk].points for user in users] == [83, 33]
    begun.refresh_from_db()
    assert (begun.state, begun.points) == (State.FORFEITED, None)
    assert CasualTable.objects.get(pk=begun.table_id).state == CasualTable.State.ABANDONED
    assert DailyAttempt.objects.get(stones=9).points is None
    assert [(row.handle, row.rank, row.points) for row in week_places(monday_of(deal.day))] == [
        ("aya", 1, 83),
        ("chie", 2, 33),
    ]


def test_a_deal_in_play_at_the_end_of_the_day_is_finished_within_overtime() -> None:
    deal = a_deal()
    row = attempt(guest("a"))
    table = CasualTable.objects.filter(pk=row.table_id)
    move(deal, -1)
    now = deal.ends_at + datetime.timedelta(seconds=5)

    def closes(at: datetime.datetime) -> bool:
        return _close(deal.pk, at)

    table.update(last_action_at=now)
    assert not closes(now)
    assert not closes(now + datetime.timedelta(seconds=IDLE_S - 1))
    deal.refresh_from_db()
    assert not deal.is_closed
    assert table.get().is_sealed
    attempt_result = {"boards": [{"number": 1, "stones": {"1": 3}}], "substituted": []}
    table.update(state="finished", ended_at=now, result=attempt_result, field=[])
    assert closes(now + datetime.timedelta(seconds=IDLE_S))
    row.refresh_from_db()
    assert (row.state, row.stones) == (State.FINISHED, 3)


@pytest.mark.parametrize("after_s", [IDLE_S + 1, OVERTIME_S])
def test_a_deal_that_nobody_continues_is_forfeited(after_s: int) -> None:
    deal = a_deal()
    row = attempt(guest("a"))
    move(deal, -1)
    last = deal.ends_at if after_s < OVERTIME_S else deal.ends_at + datetime.timedelta(seconds=after_s)
    CasualTable.objects.filter(pk=row.table_id).update(last_action_at=last)
    assert _close(deal.pk, deal.ends_at + datetime.timedelta(seconds=after_s))
    row.refresh_from_db()
    assert row.state == State.FORFEITED


def test_results_of_bots_are_taken_from_the_first_table_that_has_them() -> None:
    deal = a_deal()
    row = attempt(guest("a"), 1)
    assert CasualTable.objects.get(pk=row.table_id).field == []
    rows = [{"label": "you", "stones": 1, "mine": True}, {"label": "house rules", "stones": 2, "mine": False}]
    CasualTable.objects.filter(pk=row.table_id).update(field=rows)
    days_advance()
    deal.refresh_from_db()
    assert deal.field == [{"label": "house rules", "stones": 2}]
    later = attempt(guest("b"))
    assert CasualTable.objects.get(pk=later.table_id).field == []


@pytest.mark.parametrize(
    ("stones", "results", "points"),
    [(1, [1], 50), (1, [1, 0], 100), (0, [1, 0], 0), (0, [0, 0, 0], 50), (2, [2, 1, 1, 3], 67)],
)
def test_points_are_the_share_of_lower_results(stones: int, results: list[int], points: int) -> None:
    assert points_of(stones, Counter(results)) == points


def test_the_best_five_of_seven_days_count() -> None:
    monday = monday_of(today())
    user = factories.aya()
    for number, points in enumerate((10, 20, 30, 40, 50, 60, 70)):
        deal = move(a_deal(100 + number), (monday - today()).days - 100)
        DailyAttempt.objects.create(
            deal=deal,
            owner=user,
            person=str(number),
            state=State.FINISHED,
            stones=1,
            points=points,
            started_at=timezone.now(),
        )
    week_rebuild(monday)
    week_rebuild(monday)
    place = own_place(monday, user)
    assert place is not None
    assert (place.points, place.days, WeekPlace.objects.count()) == (250, 7, 1)


def test_the_weekly_table_takes_as_many_queries_for_many_accounts(
    client: Client, django_assert_num_queries: Any
) -> None:
    monday = monday_of(today())
    for user in factories.players(4):
        WeekPlace.objects.create(week=monday, owner=user, points=10, days=1)
        with django_assert_num_queries(3):
            assert client.get("/daily/week").status_code == 200


def test_guests_are_forgotten_after_a_month_and_accounts_with_their_deletion() -> None:
    deal = a_deal()
    user = factories.chie()
    attempt(guest("a"), 1)
    attempt(account(user), 2)
    ended(deal)
    assert DAILY.own_data is not None
    (own,) = DAILY.own_data(user)["daily_attempts"]
    assert (own["day"], own["state"], own["stones"]) == (deal.day.isoformat(), "finished", 2)
    account_delete(user)
    assert not WeekPlace.objects.exists()
    assert not DailyAttempt.objects.filter(owner__isnull=False).exists()
    assert sorted(DailyAttempt.objects.values_list("stones", flat=True)) == [1, 2]
    assert DailyAttempt.objects.exclude(person="").count() == 1
    move(deal, -RETENTION_DAYS)
    ended(a_deal())
    assert not DailyAttempt.objects.exclude(person="").exists()


def test_health_names_a_missing_deal_and_days_that_stay_open() -> None:
    assert [result.is_ok for result in DAILY.health(True)] == [True]
    house()
    assert [result.is_ok for result in DAILY.health(True)] == [False]
    days_advance()
    assert [result.is_ok for result in DAILY.health(True)] == [True]
    move(a_deal(2), -5)
    assert [result.is_ok for result in DAILY.health(True)] == [False, True]


def test_a_returning_player_sees_the_streak_yesterdays_result_and_own_results_in_lists() -> None:
    user = factories.aya()
    for days, stones in ((2, 1), (1, 3)):
        deal = move(a_deal(100 + days), -100 - 2 * days)
        fields(deal, [0, 5])
        DailyDeal.objects.filter(pk=deal.pk).update(closed_at=timezone.now())
        DailyAttempt.objects.create(
            deal=deal,
            owner=user,
            person=account(user).quota_key,
            state=State.FINISHED,
            stones=stones,
            points=60 + stones,
            started_at=timezone.now(),
        )
    earlier = deals_before(today(), 9)
    seen = returning_context(account(user), earlier)
    assert (seen.streak, seen.yesterdays_points) == (2, 63)
    assert seen.yesterday is not None
    assert "+3" in seen.yesterdays_result
    assert [(row.stones, row.points) for row in seen.days] == [("+3", 63), ("+1", 61)]
    nobody = returning_context(guest("a"), earlier)
    assert (nobody.streak, nobody.yesterdays_result) == (0, "")
    assert [row.stones for row in nobody.days] == ["", ""]
    DailyDeal.objects.filter(day__lt=today()).update(closed_at=None)
    assert returning_context(account(user), deals_before(today(), 9)).yesterdays_result == ""
