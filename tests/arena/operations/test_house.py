"""A fresh installation has house bots and a daily cup for each game; what somebody changed stays so."""

from __future__ import annotations

import datetime
import io

import pytest
from django.core.management import call_command
from django.utils import timezone

from arena.accounts.house import house_username
from arena.accounts.models import Notice
from arena.competition.games import games_described
from arena.competition.models import Entry, Series, Tournament
from arena.competition.series.services import series_end
from arena.jobs.periodic import series_due
from arena.operations.house import cups_open, house_bots, house_bots_submit
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.services import check_claim, check_finish
from tests import factories

pytestmark = pytest.mark.django_db


def checks_pass(runtimes: frozenset[str] = frozenset({"python/1", "python/2"})) -> None:
    waiting = CheckRun.objects.filter(state=CheckRun.State.WAITING, version__runtime__in=runtimes)
    for pk in waiting.values_list("pk", flat=True):
        check = check_claim(pk, "worker", runtimes)
        assert check is not None
        assert check_finish(check, accepted=True, steps=[], reasons=[], report=None, runtime_digest="d" * 64)


def test_every_game_gets_house_bots_of_owners_of_their_own() -> None:
    submitted = house_bots_submit()
    assert {bot.game for bot in submitted} == {game["key"] for game in games_described()}
    assert all(bot.versions.get().state == BotVersion.State.UPLOADED for bot in submitted)
    assert CheckRun.objects.filter(state=CheckRun.State.WAITING).count() == len(submitted)
    owners = {(bot.game, bot.owner.user.username) for bot in submitted}
    assert len(owners) == len(submitted), "none meets a bot of the same owner"
    assert (submitted[0].game, house_username("greedy")) in owners


def test_a_second_start_uploads_nothing() -> None:
    first = house_bots_submit()
    assert first
    assert house_bots_submit() == []
    assert BotVersion.objects.count() == len(first)


def test_one_that_a_newer_release_brings_is_uploaded_and_those_withdrawn_stay_so() -> None:
    whole = {bot.name for bot in house_bots_submit()}
    BotVersion.objects.filter(bot__name="kakeya_rules").update(state=BotVersion.State.RETIRED)
    missing = {"kakeya_pimc", "kakkuri_search"}
    CheckRun.objects.filter(version__bot__name__in=missing).delete()
    BotVersion.objects.filter(bot__name__in=missing).delete()
    Bot.objects.filter(name__in=missing).delete()
    assert {bot.name for bot in house_bots_submit()} == missing
    assert {bot.name for bot in house_bots()} == whole
    assert house_bots_submit() == []
    assert BotVersion.objects.get(bot__name="kakeya_rules").state == BotVersion.State.RETIRED


def test_the_command_uploads_to_any_installation_and_opens_cups_once_the_checks_are_done() -> None:
    factories.a_bot(factories.aya())

    def said(*words: str) -> str:
        out = io.StringIO()
        call_command("house_upload", *words, stdout=out)
        return out.getvalue()

    first = said("--cups")
    assert all(bot.name in first for bot in house_bots())
    checks_pass()
    assert f"{len(house_bots())}" in said()
    assert not Series.objects.exists()
    assert "Daily Etori" in said("--cups")
    again = said("--cups")
    assert again.startswith(said())
    ended = Series.objects.get(name="Daily Etori")
    series_end(ended, ended.organiser)
    assert said("--cups") != again, "one was ended for good"


def test_the_command_says_why_no_cup_is_opened() -> None:
    house_bots_submit()
    CheckRun.objects.all().delete()
    BotVersion.objects.update(state=BotVersion.State.REJECTED)
    out = io.StringIO()
    call_command("house_upload", "--cups", stdout=out)
    assert "none" in out.getvalue().splitlines()[-1]


def test_an_installation_with_bots_gets_none() -> None:
    factories.a_bot(factories.aya())
    assert house_bots_submit() == []
    assert cups_open() == []
    assert (Bot.objects.count(), Series.objects.count()) == (1, 0)


def test_cups_wait_for_the_checks_and_open_once() -> None:
    house_bots_submit()
    assert cups_open() is None
    assert not Series.objects.exists()
    checks_pass()
    opened = cups_open()
    assert opened is not None
    fields = ("preset", "boards_per_round", "ruleset")
    assert {series.name: [series.template[field] for field in fields] for series in opened} == {
        "Daily Kakeya": ["kakeya4.league", 16, {}],
        "Daily Etori": ["etori.meiji", 16, {}],
        "Daily Kakkuri": ["kakkuri.league", 4, {"seats": 3}],
    }
    assert cups_open() == []


def test_the_first_edition_is_open_at_once_with_the_house_bots_in_it() -> None:
    house_bots_submit()
    checks_pass()
    opened = cups_open()
    assert opened is not None
    assert series_due() == len(opened)
    for series in opened:
        edition = Tournament.objects.get(series=series)
        assert edition.state == Tournament.State.OPEN
        left = edition.starts_at - timezone.now()
        assert datetime.timedelta(minutes=14) < left < datetime.timedelta(minutes=20)
        names = {entry.version.bot.name for entry in Entry.objects.filter(tournament=edition)}
        game = series.subscriptions.all()[0].bot.game
        assert names == {f"{game}_{kind}" for kind in ("random", "greedy", "rules")}
        assert len(names) >= edition.min_entries
    assert not Notice.objects.filter(kind=Notice.Kind.SERIES).exists()


def test_cups_do_not_wait_for_bots_whose_runtime_nobody_has() -> None:
    house_bots_submit()
    checks_pass(frozenset({"python/1"}))
    waiting = {bot.name for bot in house_bots() if bot.active_version is None}
    assert "kakeya_ismcts" in waiting
    assert cups_open()


def test_a_cup_that_was_ended_stays_so() -> None:
    house_bots_submit()
    checks_pass()
    opened = cups_open()
    assert opened
    series_end(opened[0], None)
    assert cups_open() == []
    assert Series.objects.filter(name=opened[0].name).count() == 1
