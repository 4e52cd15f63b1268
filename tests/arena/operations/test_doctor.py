"""``manage.py doctor`` and what the first sentence of a broken installation says."""

import datetime
import io
import json
import os
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from arena.common import database_errors
from arena.competition.models import Tournament
from arena.jobs.publish import waiting_publish
from arena.matches.models import Table, TickState, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations import health
from arena.operations.broker import broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.operations.health import HealthResult, health_results
from arena.operations.installation import port_claim, site_url, web_answers
from arena.settings.broker import broker_url_of
from arena.settings.ladders import LadderSettings
from arena.tables.readiness import readiness_find
from referee.capability import RuntimeOffer
from referee.contract import Limits
from referee.sandbox import Level, probe, stage_root
from tests import factories, migrated
from tests.arena.operations.processes import broker_child, shell, until

MANAGE = Path(settings.REPOSITORY) / "manage.py"


def doctor() -> tuple[int, dict[str, dict[str, object]]]:
    """Exit status and the health_results by part (the last of each)."""
    out = io.StringIO()
    status = 0
    try:
        call_command("doctor", "--json", stdout=out)
    except SystemExit as end:
        status = int(end.code or 0)
    return status, {found["part"]: found for found in json.loads(out.getvalue())}


@pytest.mark.django_db
@pytest.mark.full
def test_a_whole_installation_is_green(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    settings.BROKER_IS_MANAGED = True
    status, parts = doctor()
    assert {part for part, found in parts.items() if not found["is_ok"]} == set()
    assert status == 0
    assert {
        "python",
        "database",
        "migrations",
        "broker",
        "bubblewrap",
        "sandbox",
        "runtime",
        "disk space",
        "clock",
    } <= set(parts)


@pytest.mark.django_db
def test_what_is_red_has_a_remedy_and_a_status(settings) -> None:
    settings.BROKER_IS_MANAGED = False
    settings.REDIS_URL = "redis://:secret@127.0.0.1:1/0"
    worker_heartbeat("tables@elsewhere", "NONE", {}, 1, "bwrap was not found. apt-get install bubblewrap.")
    status, parts = doctor()
    assert status == 1
    for part in ("broker", "worker"):
        assert not parts[part]["is_ok"]
        assert parts[part]["remedy"]
    assert "secret" not in json.dumps(parts)


@pytest.mark.django_db
def test_a_sandbox_below_the_required_level_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "SUPERB")
    found = [result for result in health_results() if result.part == "sandbox"]
    assert [(result.is_ok, "'SUPERB'" in result.detail) for result in found] == [(False, True)]
    assert "COMPAT, FULL1" in found[0].remedy


@pytest.mark.django_db
@pytest.mark.full
def test_a_sandbox_is_judged_by_the_level_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for level in (Level.COMPAT, Level.FULL1, Level.FULL):
        monkeypatch.setenv("SANDBOX_MIN_LEVEL", level.name)
        (result,) = (result for result in health_results() if result.part == "sandbox")
        assert result.is_ok == (probe().level >= level), result
        readiness = readiness_find(again=True)
        assert readiness.is_ready == result.is_ok
        assert result.is_ok or (result.remedy and level.name in readiness.detail)
    monkeypatch.undo()
    readiness_find(again=True)


def found_of(part: str) -> list[HealthResult]:
    return [result for result in health_results() if result.part == part]


@pytest.mark.django_db
@pytest.mark.full
def test_every_runtime_is_told_with_its_digest_or_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = RuntimeOffer("node/1", "", "node/1 needs a cgroup", "Give the worker one.")
    monkeypatch.setattr(
        "arena.operations.health_bots.offers", lambda: (RuntimeOffer("python/1", "d" * 64, "", ""), refused)
    )
    able, lacking = found_of("runtime")
    assert (able.is_ok, able.detail) == (True, "python/1 " + "d" * 12)
    assert lacking.is_ok, "a worker may do without"
    assert (refused.refusal in lacking.detail, refused.remedy in lacking.remedy) == (True, True)

    monkeypatch.setattr("arena.operations.health_bots.offers", lambda: (refused,))
    (lacking,) = found_of("runtime")
    assert (lacking.is_ok, lacking.remedy) == (False, refused.remedy)


@pytest.mark.django_db
def test_a_worker_is_told_not_to_offer_what_there_is_not(settings) -> None:
    settings.WORKER_RUNTIMES = ("python/1", "cobol/1")
    *_, last = found_of("runtime")
    assert not last.is_ok
    assert "cobol/1" in last.remedy


@pytest.mark.django_db
def test_limits_in_force_are_told_and_names_that_are_none(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    settings.BOT_LIMITS = Limits(memory_bytes=96 << 20)
    monkeypatch.setenv("BOT_MEMORY", "1")
    (limits,) = found_of("limits")
    assert f"memory_bytes {96 << 20} (set)" in limits.detail
    assert "threads 32," in limits.detail
    monkeypatch.setenv("RENSHO_STREAM", "a secret")
    told = found_of("settings")
    assert [(result.is_ok, bool(result.remedy)) for result in told] == [(True, True)] * 2, "others' perhaps"
    assert "BOT_MEMORY_BYTES" in told[0].detail
    assert "RENSHO_STREAMS" in told[1].detail
    assert "secret" not in told[1].detail
    monkeypatch.delenv("RENSHO_STREAM")
    monkeypatch.delenv("BOT_MEMORY")
    assert [(result.is_ok, result.remedy) for result in found_of("settings")] == [(True, "")]


@pytest.mark.django_db
def test_ladders_that_no_game_has_are_red(settings) -> None:
    settings.LADDERS = LadderSettings(presets=frozenset({"kakuri", "kakkuri.league:3", "zzz"}))
    wrong = found_of("ladders")
    assert [result.is_ok for result in wrong] == [False] * 2
    for result, preset, remedy in zip(
        wrong, ("'kakuri'", "'zzz'"), ("kakkuri", "'all', 'none'"), strict=True
    ):
        assert preset in result.detail
        assert remedy in result.remedy
    settings.LADDERS = LadderSettings()
    assert [result.is_ok for result in found_of("ladders")] == [True]


@pytest.mark.django_db
def test_a_full_disk_is_not_answered_with_a_folder_that_the_units_may_not_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "FREE_BYTES", 1 << 60)
    (found,) = found_of("disk space")
    assert not found.is_ok
    assert "mounting" in found.remedy


@pytest.mark.django_db
def test_workers_are_told_with_what_they_run_and_lack() -> None:
    worker_heartbeat("a@here", "FULL", {"python/1": "a" * 64, "node/1": "b" * 64}, 2)
    worker_heartbeat("b@here", "FULL1", {"python/1": "c" * 64}, 2, "node/1: needs a cgroup. Give it one.")
    worker_heartbeat("c@here", "NONE", {}, 2, "no bubblewrap. apt-get install bubblewrap.")
    both, plain, none, note = found_of("worker")
    assert [both.is_ok, plain.is_ok, none.is_ok] == [True, True, False]
    for culprit in ("a@here", "FULL", "node/1, python/1"):
        assert culprit in both.detail
    assert plain.remedy == "node/1: needs a cgroup. Give it one."
    assert ("c@here" in none.detail, "NONE" in none.detail, "python/1" in note.detail) == (True, True, True)


@pytest.mark.django_db
def test_a_worker_whose_clock_is_ahead_is_red() -> None:
    worker_heartbeat("a@here", "FULL", {"python/1": "a" * 64}, 2)
    Worker.objects.update(heartbeat_at=timezone.now() + datetime.timedelta(minutes=10))
    plain, ahead = found_of("worker")
    assert (plain.is_ok, ahead.is_ok) == (True, False)
    assert "a@here" in ahead.detail
    assert "NTP" in ahead.remedy


@pytest.mark.django_db
def test_a_tick_in_the_future_is_red(settings) -> None:
    settings.BROKER_IS_MANAGED = False
    TickState.objects.create(pk=1, ticked_at=timezone.now() + datetime.timedelta(hours=3))
    (found,) = found_of("tick")
    assert (found.is_ok, "3 h" in found.detail) == (False, True)
    assert "NTP" in found.remedy


@pytest.mark.django_db
def test_units_without_a_worker_are_red_and_a_laptop_that_rests_is_not(settings) -> None:
    settings.BROKER_IS_MANAGED = True
    assert (found_of("workers"), found_of("play")) == ([], [])
    settings.BROKER_IS_MANAGED = False
    (found,) = found_of("workers")
    assert not found.is_ok
    assert "rensho-worker.target" in found.remedy
    (found,) = found_of("play")
    assert found.is_ok, "an installation may do without"
    assert "rensho-play" in found.remedy
    worker_heartbeat("a@here", "FULL", {"python/1": "a" * 64}, 2)
    assert [result.is_ok for result in found_of("worker")] == [True]


@pytest.mark.django_db
def test_ticks_that_stay_away_are_red(settings) -> None:
    settings.BROKER_IS_MANAGED = True
    assert [result.is_ok for result in found_of("tick")] == [True]
    settings.BROKER_IS_MANAGED = False
    (found,) = found_of("tick")
    assert not found.is_ok
    state = TickState.objects.create(pk=1, ticked_at=timezone.now() - datetime.timedelta(minutes=5))
    (found,) = found_of("tick")
    assert (found.is_ok, "5 min" in found.detail) == (False, True)
    assert "rensho-beat" in found.remedy
    state.ticked_at = timezone.now()
    state.save()
    (found,) = found_of("tick")
    assert (found.is_ok, found.remedy) == (True, "")


def test_tables_without_a_replay_are_counted(running: Tournament) -> None:
    (found,) = found_of("replays")
    assert (found.is_ok, found.remedy) == (True, "")
    played = Table.objects.filter(tournament=running)
    played.update(state=Table.State.FINISHED, record_sha256="1" * 64, view_sha256="")
    (found,) = found_of("replays")
    assert (found.is_ok, found.detail.split()[0]) == (True, f"{played.count()}")
    assert "views_make" in found.remedy
    played.update(view_sha256="0" * 64)
    assert [result.remedy for result in found_of("replays")] == [""]


def test_a_full_disk_is_thought_of_before_a_backup_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_errors.connection, "vendor", "sqlite")
    remedy = database_errors.database_remedy()
    assert 0 < remedy.index("not full") < remedy.index("restore a backup")


def test_what_waits_for_a_runtime_is_red(running: Tournament) -> None:
    assert [result.is_ok for result in found_of("waiting")] == [True]
    factories.an_upload(factories.a_bot(factories.aya()))
    waiting_publish()
    tables, checks = found_of("waiting")
    assert (tables.is_ok, checks.is_ok) == (False, False)
    assert (tables.detail[:1], checks.detail[:1], "python/1" in tables.detail) == ("2", "1", True)
    worker_heartbeat("a@here", "FULL1", {"python/1": "a" * 64}, 2)
    waiting_publish()
    assert [result.is_ok for result in found_of("waiting")] == [True]


@pytest.mark.django_db
def test_a_site_that_manage_up_serves_is_asked(tmp_path: Path, settings, monkeypatch) -> None:
    monkeypatch.setattr(settings, "DATA", tmp_path)
    assert found_of("web") == [], "its address is not known"
    (tmp_path / "healthz").touch()
    port = port_claim("127.0.0.1", 0)
    url = site_url("127.0.0.1", port)
    status = {"pid": os.getpid(), "url": url, "children": {"web": {"pid": None, "starts": 9}}}
    (tmp_path / "up.json").write_text(json.dumps(status))
    (found,) = found_of("web")
    assert (found.is_ok, url in found.detail, "9 times" in found.detail) == (False, True, True)
    assert f"Read {tmp_path}/logs/web.log" in found.remedy
    web = Child(shell(tmp_path, f"exec {sys.executable} -m http.server --bind 127.0.0.1 {port}", "web"))
    web.start()
    try:
        until(lambda: web_answers(url), "it answers")
        (found,) = found_of("web")
        assert (found.is_ok, found.remedy) == (True, "")
    finally:
        web.stop()


@pytest.mark.django_db
def test_the_staging_area_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = found_of("staging area")
    assert (str(stage_root()) in found.detail, "on tmpfs" in found.detail) == (True, True)
    monkeypatch.setenv("RENSHO_STAGE", "relative")
    (found,) = found_of("staging area")
    assert not found.is_ok
    assert "RENSHO_STAGE" in found.remedy


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_no_remedy_points_at_the_part_it_is_for(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.connection.vendor", vendor, raising=False)
    remedies = {part: health.database_remedy(part) for part in health.PARTS}
    for part in (health.DATABASE, health.MIGRATIONS):
        assert not remedies[part].startswith(f"Repair {part}")
    assert "above" not in " ".join(remedies.values())


@pytest.mark.full
def test_an_installation_that_no_process_serves_is_red(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    migrated.static_copy(tmp_path_factory, tmp_path)

    def web() -> HealthResult:
        (found,) = health.PARTS["web"]("web")
        return found

    monkeypatch.delenv("REDIS_URL", raising=False)
    broker = broker_child(tmp_path)
    settings.REDIS_URL, settings.BROKER_IS_MANAGED = broker_url_of(tmp_path), False
    broker.start()
    try:
        broker_wait(settings.REDIS_URL, 20.0)
        assert not web().is_ok
        environment = {"REDIS_URL": settings.REDIS_URL, "RENSHO_DATA": str(tmp_path), "RENSHO_DEBUG": "1"}
        serve = (sys.executable, str(MANAGE), "serve", "--port", "0")
        site = Child(ChildSpec("web", serve, dict(os.environ) | environment, tmp_path, tmp_path / "web.log"))
        site.start()
        try:
            until(lambda: web().is_ok, "the site is marked as served")
            assert "127.0.0.1" in web().detail
        finally:
            site.stop()
        until(lambda: not web().is_ok, "the mark is gone")
    finally:
        broker.stop()
    assert not web().is_ok


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "red"),
    [
        ((), set()),
        (("--appendonly", "no"), {"queue persistence"}),
        (("--maxmemory-policy", "allkeys-lru"), {"queue eviction"}),
    ],
)
def test_a_queue_that_forgets_or_evicts_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings, options: tuple[str, ...], red: set[str]
) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    child = broker_child(tmp_path, *options)
    settings.REDIS_URL, settings.BROKER_IS_MANAGED = broker_url_of(tmp_path), False
    child.start()
    try:
        broker_wait(settings.REDIS_URL, 20.0)
        found = list(health.PARTS["broker"]("broker"))
    finally:
        child.stop()
    assert {result.part for result in found if not result.is_ok} == red
    assert [result.part for result in found] == ["broker", "queue persistence", "queue eviction"]
    assert all(result.remedy for result in found if not result.is_ok)


@pytest.mark.django_db(transaction=True)
def test_connections_left_are_counted() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: make test-postgres")
    (found,) = (result for result in health.PARTS["database"]("database") if result.part == "connections")
    assert found.is_ok
    assert " in use, " in found.detail
