"""Faults as their author gets them: what a group says, the file to take home, notices and the ways back."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.accounts.models import User
from arena.common.blobs import blob_get, blob_put
from arena.common.models import Blob
from arena.competition.rules import rules_named
from arena.competition.services import entry_create
from arena.jobs.checks import check_run
from arena.jobs.flow import tournament_advance
from arena.jobs.play import lease_play
from arena.jobs.uploads import version_submit
from arena.matches.faults import check_faults_group
from arena.matches.models import Table
from arena.matches.orders import bot_limits
from arena.roster.models import BotVersion, CheckRun
from arena.roster.services import check_finish
from arena.tables.artifacts import TableArtifacts
from referee.bundle import read_bundle
from referee.check import trial_table
from referee.contract import Limits, SeatOrder, TableOrder, Verdict
from referee.driver import Driver
from referee.execute import execute
from referee.inprocess import InProcessDriver, ReplyFunction
from referee.reproduce import read_fault_file, reproduce
from tests.arena.api.conftest import caller
from tests.arena.api.problems import ok
from tests.arena.play import claimed, started, waiting
from tests.factories import (
    a_bot,
    a_running_check,
    a_suspended_version,
    an_open_tournament,
    an_upload,
    aya,
    ben,
    chie,
    passed,
    sota,
)

pytestmark = pytest.mark.django_db

PROGRAM = b"print('never run here')\n"


def failing_at(decision: int | None) -> ReplyFunction:
    """A bot that plays its first legal action and crashes at one of its decisions."""
    asked = 0

    def speak(line: bytes) -> bytes | None:
        nonlocal asked
        message = json.loads(line)
        if message["type"] == "hello":
            return b'{"type":"ready"}'
        if message["type"] != "request":
            return None
        asked += 1
        if asked == decision:
            raise KeyError("QH")
        return json.dumps({"id": message["id"], "action": message["legal"][0]}).encode()

    return speak


def uploaded(owner: User, program: bytes) -> BotVersion:
    return version_submit(a_bot(owner), program, "bot.py", "", owner).version


def drivers(failing: Callable[[SeatOrder], bool], decision: int) -> Any:
    """Drivers for ``execute`` that need no process: some seats fail, the others play on."""

    def make(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        return InProcessDriver(failing_at(decision if failing(seat) else None), order.limits)

    return make


@pytest.fixture
def lost() -> BotVersion:
    """A version of Aya's that crashed at its sixth decision of both tables of an event, now open."""
    version = passed(uploaded(aya(), PROGRAM))
    tournament = an_open_tournament()
    entry_create(tournament, version, aya())
    entry_create(tournament, passed(uploaded(ben(), PROGRAM + b"#\n")), ben())
    started(tournament)
    make = drivers(lambda seat: seat.bundle_sha256 == version.bundle_sha256, 6)
    for table in waiting(tournament):
        assert lease_play(claimed(table), functools.partial(execute, drivers_factory=make))
    tournament_advance(tournament)
    return version


def test_a_group_says_what_happened_and_where_to_read_on(lost: BotVersion) -> None:
    client = caller(aya())
    (group,) = ok(client.get(f"/api/v1/versions/{lost.public_id}/faults"))
    assert (group["verdict"], group["count"]) == ("CRASHED", 4)
    assert (group["version"], group["version_number"]) == (lost.public_id, 1)
    assert group["first_seen_at"] < group["last_seen_at"]
    sample = group["sample"]
    assert (sample["verdict"], sample["decision"], sample["answer"]) == ("CRASHED", 6, None)
    assert "KeyError: 'QH'" in sample["log_tail"]
    assert json.loads(sample["request"])["phase"] == sample["phase"] == group["phase"]
    assert sample["action"] in json.loads(sample["request"])["legal"]
    assert sample["clock"]["used_cpu_ms"] >= 0
    assert group["reproduce"] == f"rensho reproduce fault-{group['fingerprint']}.json"
    table = Table.objects.get(public_id=group["table"])
    assert group["seat"] in table.seats.filter(version=lost).values_list("seat", flat=True)
    assert group["tournament"] == table.fixture.board_set.round.stage.tournament.public_id
    links = group["links"]
    assert links["check"] is None
    for name in ("fault", "file", "table", "record", "board", "log"):
        assert client.get(links[name]).status_code == 200, name
    assert links["page"].endswith(f"/versions/{lost.public_id}/faults/{group['fingerprint']}")
    assert ok(client.get(f"/api/v1/bots/{lost.bot.public_id}/faults")) == [group]


def test_the_file_puts_a_bot_into_that_very_position(lost: BotVersion) -> None:
    client = caller(aya())
    path = f"/api/v1/versions/{lost.public_id}/faults"
    (group,) = ok(client.get(path))
    response = client.get(f"{path}/{group['fingerprint']}/file")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="fault-{group["fingerprint"]}.json"'
    assert json.loads(response.content)["format"] == "rensho-fault/1"
    file = read_fault_file(response.content)
    assert file.fault.request == group["sample"]["request"]
    assert (file.seat, file.bundle_sha256, file.limits) == (group["seat"], lost.bundle_sha256, Limits())
    assert file.spent_ms is not None
    assert len(file.spent_ms) == 5
    assert file.origin["table"] == group["table"]
    assert file.origin["bot"] == f"aya/{lost.bot.name}"
    again = reproduce(file, InProcessDriver(failing_at(6), file.limits))
    assert (again.is_same, again.verdict) == (True, Verdict.CRASHED)
    mended = reproduce(file, InProcessDriver(failing_at(None), file.limits))
    assert (mended.is_same, mended.verdict, mended.deviations) == (False, Verdict.OK, ())
    etag = response["ETag"]
    assert (
        client.get(f"{path}/{group['fingerprint']}/file", headers={"If-None-Match": etag}).status_code == 304
    )


SEED = "5eed" * 8


def checked_with_a_fault(decision: int) -> BotVersion:
    """A version rejected because it crashed at this decision of its trial."""
    version = uploaded(aya(), PROGRAM)
    bundle = read_bundle(blob_get(version.bundle_sha256))
    game, ruleset = rules_named("kakeya", "kakeya4")
    order, trial_seat = trial_table(bundle, game, ruleset, bot_limits(), SEED)
    make = drivers(lambda seat: seat.seat == trial_seat, decision)
    artifacts = TableArtifacts()
    report = execute(order, lambda _: bundle.data, artifacts.keep, lambda *_: None, make)
    artifacts.write(report)
    artifacts.note(report)
    check = a_running_check(version)
    check_finish(
        check,
        accepted=False,
        steps=[],
        reasons=[],
        report=report.to_json(),
        runtime_digest="d" * 64,
        trial_seed=SEED,
    )
    check_faults_group(check)
    return version


def test_a_fault_of_the_check_can_be_taken_home_too() -> None:
    version = checked_with_a_fault(3)
    path = f"/api/v1/versions/{version.public_id}/faults"
    (group,) = ok(caller(aya()).get(path))
    assert (group["table"], group["tournament"]) == ("", "")
    links = group["links"]
    assert (links["table"], links["record"], links["board"], links["log"]) == (None,) * 4
    assert ok(caller(aya()).get(links["check"]))["state"] == "done"
    fault = ok(caller(aya()).get(links["fault"]))
    assert [moment["decision"] for moment in fault["clock_trace"]] == [1, 2, 3]
    file = read_fault_file(caller(aya()).get(links["file"]).content)
    assert reproduce(file, InProcessDriver(failing_at(3), file.limits)).is_same
    assert "tournament" not in file.origin


@pytest.mark.full
def test_a_check_in_the_sandbox_makes_its_faults_known() -> None:
    version = uploaded(aya(), b"import nothing_of_this_name\n")
    check_run(a_running_check(version))
    client = caller(aya())
    assert ok(client.get(f"/api/v1/versions/{version.public_id}"))["state"] == "rejected"
    (group,) = ok(client.get(f"/api/v1/bots/{version.bot.public_id}/faults"))
    assert (group["verdict"], group["phase"], group["sample"]["request"]) == ("CRASHED", "start", None)
    assert "nothing_of_this_name" in group["sample"]["log_tail"]
    file = read_fault_file(client.get(group["links"]["file"]).content)
    assert file.is_start
    assert file.bundle_sha256 == version.bundle_sha256


def test_a_record_that_is_gone_is_said_so(lost: BotVersion, settings: Any) -> None:
    (group,) = ok(caller(aya()).get(f"/api/v1/versions/{lost.public_id}/faults"))
    Table.objects.update(record_sha256="0" * 64)
    problem = ok(caller(aya()).get(group["links"]["file"]), 404)
    assert problem["code"] == "fault_file_not_found"
    Table.objects.update(timings_sha256="0" * 64)
    trace = ok(caller(aya()).get(group["links"]["fault"]))["clock_trace"]
    assert [moment["decision"] for moment in trace] == [6]


@pytest.mark.parametrize("record", [b"", b"{}\n", b"no record\n"])
def test_a_record_that_does_not_fit_is_said_so(lost: BotVersion, record: bytes) -> None:
    (group,) = ok(caller(aya()).get(f"/api/v1/versions/{lost.public_id}/faults"))
    Table.objects.filter(public_id=group["table"]).update(record_sha256=blob_put(record, Blob.Kind.RECORD))
    assert ok(caller(aya()).get(group["links"]["file"]), 404)["code"] == "fault_file_not_found"


def test_a_suspended_version_says_why_and_how_it_comes_back() -> None:
    version = a_suspended_version(a_bot(aya()))
    path = f"/api/v1/versions/{version.public_id}"
    own = ok(caller(aya()).get(path))
    assert (own["state"], own["suspended_reason"]) == ("suspended", "it forfeited 3 of its last 10 tables")
    assert own["suspended_at"]
    assert own["reinstated_at"] is None
    others = ok(caller(chie()).get(path))
    assert (others["state"], others["suspended_reason"], others["waiting_reason"]) == (
        "suspended",
        None,
        None,
    )
    event = an_open_tournament()
    for address, body in (
        (f"{path}/activate", {}),
        (f"/api/v1/tournaments/{event.public_id}/entries", {"version": version.public_id}),
    ):
        problem = ok(caller(aya()).post(address, body), 409)
        assert (problem["code"], problem["state"]) == ("version_suspended", "suspended")
        assert problem["ways_back"] == ["upload", "reinstate"]
        assert (problem["reinstate"], problem["faults"]) == (f"{path}/reinstate", f"{path}/faults")


def test_asking_for_a_check_and_asking_again() -> None:
    version = a_suspended_version(a_bot(aya()))
    path = f"/api/v1/versions/{version.public_id}"
    asked = caller(aya()).post(f"{path}/reinstate")
    assert ok(asked, 202)["state"] == "suspended"
    check = ok(caller(aya()).get(asked["Location"]))
    assert (check["attempt"], check["state"], check["is_reinstatement"]) == (2, "waiting", True)
    assert ok(caller(aya()).post(f"{path}/reinstate"), 409)["code"] == "reinstatement_in_progress"
    check_finish(
        a_running_check(version), accepted=False, steps=[], reasons=[], report=None, runtime_digest=""
    )
    problem = ok(caller(aya()).post(f"{path}/reinstate"), 409)
    assert problem["code"] == "reinstatement_too_soon"
    assert problem["available_at"]
    back = ok(caller(sota()).post(f"{path}/reinstate"), 200)
    assert (back["state"], back["suspended_at"]) == ("ready", None)
    assert back["reinstated_at"]
    assert ok(caller(aya()).post(f"{path}/reinstate"), 409)["code"] == "wrong_state"


def test_what_a_check_waits_for_is_told_to_its_owner() -> None:
    version = an_upload(a_bot(aya()))
    path = f"/api/v1/versions/{version.public_id}"
    before = caller(aya()).get(path)
    assert ok(before)["waiting_reason"] == ""
    CheckRun.objects.update(
        waiting_for="runtime_unavailable", note={"code": "runtime_lacking", "runtimes": "node/1"}
    )
    after = caller(aya()).get(path, headers={"If-None-Match": before["ETag"]})
    assert ok(after)["waiting_reason"] == "runtime_unavailable: no live worker has node/1"
    assert ok(caller(aya()).get(f"{path}/check"))["waiting_reason"].startswith("runtime_unavailable: ")
