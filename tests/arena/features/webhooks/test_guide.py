"""The guide's examples run, and its events are those that the platform tells."""

from __future__ import annotations

import base64
import doctest
import functools
import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from datetime import time as hour
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.urls import resolve
from django.utils import timezone

from arena.accounts import events
from arena.accounts.events import KINDS, event_body
from arena.common.causes import Cause
from arena.competition.models import Series, Tournament
from arena.competition.problem_reports import report_close, report_open
from arena.competition.series.services import series_create
from arena.competition.services import (
    entry_create,
    entry_withdraw,
    tournament_archive,
    tournament_lock,
    tournament_pause,
    tournament_resume,
    tournament_start,
)
from arena.features.webhooks import conf, signing
from arena.features.webhooks.signing import new_secret, secret_text, signed_headers
from arena.jobs.flow import tournament_advance, tournament_cancel, tournament_finalise
from arena.jobs.periodic import series_due
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.leases import table_claim, table_fail
from arena.matches.models import Fixture, Table
from arena.roster.checks import check_finish
from arena.roster.services import version_reinstate
from tests.arena.features.experiments.batches import BASELINE, begun, was_played
from tests.arena.play import WORKER, claimed, play_table, waiting
from tests.factories import (
    RUNTIME,
    a_bot,
    a_running_check,
    a_suspended_version,
    a_version,
    an_entry,
    an_open_tournament,
    an_upload,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    sota,
)

GUIDE = (Path(__file__).resolve().parents[4] / "docs" / "webhooks.md").read_text()
BODY = '{"id":1,"type":"ping","data":{"name":"日本"}}'.encode()


def block(kind: str) -> str:
    """The code of the guide's block of this kind."""
    return re.search(rf"^```{kind}\n(.*?)^```$", GUIDE, re.M | re.S)[1]  # type: ignore[index]


def a_request(secret: bytes, stamp: int) -> dict[str, str]:
    return signed_headers([new_secret(), secret], "msg_x", stamp, BODY)


def by_python(path: Path, secret: bytes, headers: dict[str, str], body: bytes) -> bool:
    room: dict[str, Any] = {}
    exec(block("python verify"), room)
    return bool(room["verify"](secret_text(secret), headers, body))


def by_shell(path: Path, secret: bytes, headers: dict[str, str], body: bytes) -> bool:
    path.write_bytes(body)
    done = subprocess.run(
        ["sh", "-c", block("sh verify")],
        env={
            "PATH": os.environ["PATH"],
            "SECRET": secret_text(secret),
            "ID": headers["webhook-id"],
            "STAMP": headers["webhook-timestamp"],
            "SIGNATURE": headers["webhook-signature"],
            "BODY": str(path),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() in ("ours", "stale", "forged"), done.stderr
    return done.stdout.strip() == "ours"


@pytest.mark.parametrize("example", [by_python, by_shell])
def test_the_examples_tell_ours_from_forged(example: Callable[..., bool], tmp_path: Path) -> None:
    verify = functools.partial(example, tmp_path / "body")
    secret = new_secret()
    headers = a_request(secret, int(time.time()))
    assert verify(secret, headers, BODY)
    assert not verify(secret, headers, BODY + b" ")
    assert not verify(new_secret(), headers, BODY)
    assert not verify(secret, {**headers, "webhook-id": "msg_y"}, BODY)
    assert not verify(secret, a_request(secret, int(time.time()) - 3600), BODY)
    assert base64.b64decode(secret_text(secret).removeprefix("whsec_")) == secret


def played_to_the_end() -> None:
    """Opened, entered, locked, started, played, audited, archived; one entry withdrawn, one left."""
    event = an_open_tournament()
    entry_withdraw(an_entry(event, chie()), chie())
    for user in (aya(), ben()):
        an_entry(event, user)
    tournament_lock(event, odo())
    tournament_start(event, odo())
    tournament_advance(event)
    for table in waiting(event):
        play_table(table)
        tournament_advance(event)
    event.refresh_from_db()
    if event.state == "provisional":
        tournament_finalise(event, odo())
        event.refresh_from_db()
    tournament_archive(event, odo())


def interrupted() -> None:
    """Paused, resumed, a table quarantined, stalled, recovered, left by one, cancelled; another whose budget
    is spent."""
    event = an_open_tournament()
    entries = [an_entry(event, user) for user in (aya(), ben(), chie())]
    tournament_lock(event, odo())
    tournament_start(event, odo())
    tournament_advance(event)
    tournament_pause(event, odo(), "rain")
    tournament_resume(event, odo())
    table = waiting(event)[0]
    lease = table_claim(table.pk, WORKER, {RUNTIME})
    assert lease is not None
    Table.objects.filter(pk=table.pk).update(attempt=99)
    table_fail(table.pk, lease.fence, "no report")
    table = waiting(event)[0]
    table_fail(table.pk, claimed(table).fence, "no space left on device", cause=Cause.DISK)
    play_table(table)
    tournament_advance(event)
    entry_withdraw(entries[2], chie(), "a bug")
    tournament_cancel(event, odo(), "rain")
    spent = an_open_tournament(budget_cpu_s=1)
    for user in (aya(), ben()):
        an_entry(spent, user)
    tournament_lock(spent, odo())
    tournament_start(spent, odo())
    Tournament.objects.filter(pk=spent.pk).update(cpu_ms_spent=2000)
    spent.refresh_from_db()
    tournament_advance(spent)


def objected() -> None:
    """A problem reported, ruled on and answered."""
    event = an_open_tournament()
    entries = [an_entry(event, user) for user in (aya(), ben())]
    tournament_lock(event, odo())
    tournament_start(event, odo())
    tournament_advance(event)
    report = report_open(entries[0], aya(), "Look at board 1.")
    fixture = Fixture.objects.get(tournament=event)
    fixture_adjudicate(fixture, odo(), "forfeit", [entries[1].public_id], "seen in the record")
    report_close(report, odo(), "Ruled on.")


def pairs_and_versions() -> None:
    """A pair of two owners; versions ready, rejected, suspended, reinstated."""
    event = an_open_tournament()
    versions = [a_version(a_bot(user)) for user in (aya(), ben())]
    entry_create(event, versions[0], aya(), partner_version=versions[1])
    rejected = a_running_check(an_upload(a_bot(aya())))
    check_finish(
        rejected,
        accepted=False,
        steps=[],
        reasons=[{"code": "x", "message": "x"}],
        report=None,
        runtime_digest="",
    )
    version_reinstate(a_suspended_version(a_bot(aya())), sota())


def recurring() -> None:
    """An edition of a cup."""
    series = series_create(
        odo(), name="Cup", template={"preset": "kakeya4"}, frequency="daily", start_time=hour(20)
    )
    Series.objects.filter(pk=series.pk).update(next_at=timezone.now() + timedelta(hours=1))
    assert series_due() == 1


def experimented() -> None:
    """An experiment with a verdict."""
    was_played(begun(), BASELINE)


@pytest.mark.django_db
def test_the_examples_of_events_are_what_is_told() -> None:
    examples = [json.loads(line) for line in block("json events").splitlines()]
    assert [example["type"] for example in examples] == list(KINDS)
    for action in (played_to_the_end, interrupted, objected, pairs_and_versions, recurring, experimented):
        action()
    bodies = {event.kind: event_body(event) for event in logged_events()}
    assert set(KINDS) - set(bodies) == set()
    for example in examples:
        real = bodies[example["type"]]
        assert list(real) == list(example)
        assert set(real["data"]) == set(example["data"]), example["type"]
        assert real["object"]["kind"] == example["object"]["kind"], example["type"]
        assert (real["tournament"] is None) == (example["tournament"] is None), example["type"]
        for name, value in example["data"].items():
            assert type(real["data"][name]) is type(value), (example["type"], name)


def test_the_addresses_exist_and_the_figures_are_those_of_the_code() -> None:
    paths = set(re.findall(r"\$API(/[^\s'\"?)`]*)", GUIDE))
    assert len(paths) > 10
    for path in paths:
        address = re.sub(r"\$\w+", "x", path)
        assert resolve(f"/api/v1{address}").url_name != "nowhere", path
    settings = set(re.findall(r"`((?:WEBHOOK|EVENT)S?_\w+)`", GUIDE))
    assert settings == set(re.findall(r"^((?:WEBHOOK|EVENT)S?_\w+)  ", conf.__doc__ or "", re.M))
    assert conf.RETRY_DELAYS_S == (10, 60, 300, 1800, 7200, 21600, 43200)
    assert "eight attempts" in GUIDE
    assert conf.MAX_ATTEMPTS == 8


@pytest.mark.parametrize("module", [signing, events], ids=lambda module: module.__name__)
def test_the_short_examples_are_right(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed
