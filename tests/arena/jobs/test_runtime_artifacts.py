"""The artefact of python/2: published once, named by orders, recorded with tables, taken by workers."""

import re
from pathlib import Path

import pytest
from celery.exceptions import WorkerShutdown
from django.core.management import CommandError, call_command
from rich.console import Console

from arena.common.blobs import blob_get, blob_path, blob_put
from arena.common.causes import Cause
from arena.common.models import Blob
from arena.competition.models import Tournament
from arena.jobs import worker
from arena.jobs.checks import check_run
from arena.jobs.play import lease_play
from arena.jobs.selftest import Selftest
from arena.matches.models import Table
from arena.matches.runtime_artifacts import artifact_publish, artifacts_current
from arena.operations.management.commands.up import Command as Up
from arena.operations.runtimes import kernel_publish_missing
from arena.roster.models import BotVersion, CheckRun
from arena.roster.services import check_claim
from arena.tables import offers as offers_module
from arena.tables.offers import offers
from arena.tables.readiness import Readiness
from referee.bundle import import_archive
from referee.capability import RuntimeOffer
from referee.contract import FaultCause, TableOrder, TableReport
from referee.errors import PlatformFault
from referee.runtimes import elf, kernel, recipe_named
from tests import factories
from tests.arena.jobs.player import engine_player
from tests.arena.play import claimed, waiting
from tests.referee import kernels
from tests.referee.archives import zipped
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An installation with a kernel in this folder, and a processor that can run it."""
    folder = kernels.twin(tmp_path / "kernel")
    monkeypatch.setattr(kernel, "kernel_folder", lambda: folder)
    monkeypatch.setattr(kernel, "cpu_flags", lambda: kernel.CPU_FLAGS["x86_64"])
    monkeypatch.setattr(elf, "host_machine", lambda: "x86_64")
    return folder


def test_the_twin_is_never_published(installed: Path) -> None:
    assert kernel_publish_missing() is None
    assert "compiled" in str(refusal(CommandError, call_command, "runtime_publish"))
    assert artifacts_current() == {}


def test_a_release_publishes_its_kernel_once_and_an_operator_any_other_build(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels.pretend(installed)
    first = kernel_publish_missing()
    assert first is not None
    assert first.is_new
    assert artifacts_current() == {"python/2": first.sha256}
    assert Blob.objects.get(sha256=first.sha256).kind == Blob.Kind.RUNTIME
    assert kernel.unpack(blob_get(first.sha256)).compiled == first.modules
    kernels.pretend(installed, b"of another compiler")
    assert kernel_publish_missing() is None, "of the same sources"
    call_command("runtime_publish")
    assert artifacts_current() != {"python/2": first.sha256}
    call_command("runtime_publish")
    lines = capsys.readouterr().out.splitlines()
    assert ["published (" in line for line in lines] == [True, False]
    (installed / "counting.py").write_bytes(b"# the next release\n")
    kernels.pretend(installed)
    last = kernel_publish_missing()
    assert last is not None
    assert artifacts_current() == {"python/2": last.sha256}


def test_a_kernel_compiled_of_other_sources_is_not_published(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module, source = kernels.pretend(installed), installed / "counting.py"
    words = rf"{module.name} was compiled from another version of counting\.py\. Run make setup"
    source.write_bytes(source.read_bytes() + b"# edited\n")
    with pytest.raises(CommandError, match=words):
        call_command("runtime_publish")
    up = Up()
    up.console = Console(highlight=False, soft_wrap=True)
    up._runtimes_publish()
    (line,) = capsys.readouterr().out.splitlines()
    assert re.search(rf"not published: runtime python/2: {words}", line)
    assert artifacts_current() == {}
    assert module.name in recipe_named("python/2").note()
    kernels.pretend(installed)
    (installed / "other.pxd").touch()
    with pytest.raises(CommandError, match="other"):
        call_command("runtime_publish")


def test_an_order_names_the_artefact_in_use_and_its_table_records_it(running: Tournament) -> None:
    table = waiting(running)[0]
    BotVersion.objects.filter(pk=table.seats.order_by("seat")[0].version_id).update(runtime="python/2")
    artifact_publish("python/2", b"older", "s" * 64)
    artifact_publish("python/2", b"newer", "t" * 64)
    newest = artifacts_current()["python/2"]
    lease = claimed(table)
    assert {seat.runtime: seat.runtime_sha256 for seat in lease.order.seats} == {
        "python/2": newest,
        "python/1": "",
    }
    assert TableOrder.from_json(lease.order.to_json()) == lease.order
    artifact_publish("python/2", b"newest", "u" * 64)
    assert lease_play(lease, engine_player)
    table.refresh_from_db()
    assert table.runtime_artifacts == {"python/2": newest}


def test_an_order_without_the_artefact_its_runtime_takes_is_a_fault_of_ours(running: Tournament) -> None:
    table = waiting(running)[0]
    BotVersion.objects.filter(pk=table.seats.order_by("seat")[0].version_id).update(runtime="python/2")
    lease = claimed(table)
    assert not lease_play(lease, lambda *_: pytest.fail("it was played"))
    table.refresh_from_db()
    assert (table.state, table.attempt, table.cause) == (
        Table.State.WAITING,
        lease.order.attempt - 1,
        Cause.RUNTIME,
    )
    assert "python/2 takes an artefact, and none was ordered" in table.reason
    assert not table.seats.exclude(verdict="").exists()


def test_a_check_on_a_runtime_without_its_artefact_is_tried_again() -> None:
    manifest = b'name = "mine"\nruntime = "python/2"\nentry_point = "main.py"\n'
    bundle = import_archive(zipped({"rensho.toml": manifest, "main.py": b""}), "mine.zip")
    sha256 = blob_put(bundle.data, Blob.Kind.BUNDLE)
    version = factories.an_upload(factories.a_bot(factories.aya()), bundle_sha256=sha256, runtime="python/2")
    check = check_claim(version.checks.get().pk, "here:1:1")
    assert check is not None
    check_run(check)
    check = version.checks.get()
    assert (check.state, check.attempt, check.cause) == (CheckRun.State.WAITING, 1, Cause.RUNTIME)
    assert "python/2 takes an artefact, and none was ordered" in check.reason


def test_an_artefact_that_cannot_be_had_refuses_its_runtime_alone(
    monkeypatch: pytest.MonkeyPatch, settings, tmp_path: Path
) -> None:
    monkeypatch.setenv("RENSHO_STAGE", str(tmp_path / "stage"))
    monkeypatch.setenv("SANDBOX_STAGE_ON_DISK", "1")
    monkeypatch.setattr("referee.runtimes.stage._lets_bots_pass", lambda _: True)
    asked = []

    def found(again: bool, artifacts: dict[str, str]) -> tuple[RuntimeOffer, ...]:
        asked.append(artifacts)
        return RuntimeOffer("python/1", "a" * 64, "", ""), RuntimeOffer(
            "python/2", "", "no artefact", "Publish."
        )

    monkeypatch.setattr(offers_module.capability, "offers", found)
    artifact_publish("python/2", b"whole", "s" * 64)
    sha256 = artifacts_current()["python/2"]
    stored = Path(settings.STORAGES["blobs"]["OPTIONS"]["location"], blob_path(sha256))
    whole = stored.read_bytes()
    stored.write_bytes(b"damaged")
    one, two = offers()
    assert one.refusal == ""
    assert sha256[:12] in two.refusal
    stored.write_bytes(whole)
    offers()
    assert asked == [{}, {"python/2": sha256}]


def test_a_worker_without_the_artefact_in_use_ends_to_be_started_again() -> None:
    pulse = worker.Pulse.__new__(worker.Pulse)
    pulse._started_at = 0.0
    artifact_publish("python/2", b"bytes", "s" * 64)
    has_it = Readiness("FULL", {"python/1": "a"}, (), (), artifacts_current())
    pulse._artifacts_follow(has_it, worker.ARTIFACTS_AGAIN_S)
    lacks_it = Readiness("FULL", {"python/1": "a"}, ())
    pulse._artifacts_follow(lacks_it, worker.ARTIFACTS_AGAIN_S - 1)
    refusal(WorkerShutdown, pulse._artifacts_follow, lacks_it, worker.ARTIFACTS_AGAIN_S)


def test_a_worker_on_which_a_new_artefact_fails_ends_at_the_next_beat(
    running: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take such tables, and return them, for as long as it announces the runtime."""
    has_none = Readiness("FULL", {"python/1": "a", "python/2": "b"}, ())
    monkeypatch.setattr(worker._MainProcess, "alarm", bytearray(1))
    monkeypatch.setattr("arena.jobs.selftest.readiness_find", lambda again: has_none)
    monkeypatch.setattr(worker, "selftest", Selftest(worker.alarm_raise))
    table = waiting(running)[0]
    BotVersion.objects.filter(pk=table.seats.order_by("seat")[0].version_id).update(runtime="python/2")
    artifact_publish("python/2", b"of no use here", "s" * 64)

    def refuse(*_: object) -> TableReport:
        raise PlatformFault("python/2 does not start in the sandbox", FaultCause.RUNTIME)

    assert not lease_play(claimed(table), refuse, worker.selftest)
    pulse = worker.Pulse.__new__(worker.Pulse)
    pulse._started_at, pulse._fault = 0.0, None
    assert not pulse._look(has_none), "nothing that waited for this machine can go on"
    refusal(WorkerShutdown, pulse._artifacts_follow, has_none, 1.0)
    pulse._look(has_none)
    pulse._artifacts_follow(has_none, 1.0)
