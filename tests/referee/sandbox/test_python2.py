"""python/2: the kernel as an artefact by its hash, on machines that can run it, and never its slow twin."""

import hashlib
import os
import secrets
from pathlib import Path

import pytest

from referee.bundle import import_archive
from referee.capability import offer_named, offers
from referee.contract import FaultCause, Limits, SeatOrder
from referee.errors import OrderInvalid, PlatformFault, SandboxUnavailable
from referee.execute import execute
from referee.runtimes import artifact, elf, kernel, runtime_named, stage_artifact, tree
from referee.runtimes.recipes import python1
from referee.sandbox import SandboxedDriver
from tests.referee import kernels
from tests.referee.archives import zipped
from tests.referee.orders import make_order
from tests.refusals import refusal

MANIFEST = b'name = "mine"\nruntime = "python/2"\nentry_point = "main.py"\n'
CPU = kernel.CPU_FLAGS["x86_64"] | {"fpu"}


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor of the level asked for, whatever this one is."""
    monkeypatch.setattr(kernel, "cpu_flags", lambda: CPU)
    monkeypatch.setattr(elf, "host_machine", lambda: "x86_64")


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_equal_kernels_give_equal_archives_without_the_source_of_what_is_compiled(tmp_path: Path) -> None:
    data = kernel.pack(kernels.pretended(tmp_path / "one"))
    assert data == kernel.pack(kernels.pretended(tmp_path / "two"))
    found = kernel.unpack(data)
    assert set(found.files) == {"__init__.py", *found.compiled}
    assert found.compiled == (f"counting{kernel.own_suffix()}",)
    assert found.sources_sha256 == kernel.sources_sha256(tmp_path / "one")
    (tmp_path / "one" / "counting.pxd").write_bytes(b"cpdef int seven()")
    assert kernel.sources_sha256(tmp_path / "one") != found.sources_sha256, "the compiler reads it"


def test_a_host_that_cannot_run_it_says_what_it_lacks(
    able: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = kernel.unpack(kernel.pack(kernels.pretended(tmp_path / "kernel")))
    kernel.require_host(whole)
    cases = [
        (whole._replace(compiled=()), "holds no compiled kernel"),
        (whole._replace(machine="aarch64"), "its kernel is for aarch64, this is x86_64"),
        (whole._replace(suffix=".cpython-39.so"), r"end in \.cpython-39\.so"),
    ]
    for other, words in cases:
        with pytest.raises(SandboxUnavailable, match=words):
            kernel.require_host(other)
    monkeypatch.setattr(kernel, "cpu_flags", lambda: CPU - {"popcnt"})
    assert "popcnt" in str(refusal(SandboxUnavailable, kernel.require_host, whole))
    monkeypatch.setattr(elf, "host_machine", lambda: "aarch64")
    assert "for x86_64, this is aarch64" in str(refusal(SandboxUnavailable, kernel.require_host, whole))
    kernel.require_host(whole._replace(machine="aarch64"))
    monkeypatch.setattr(elf, "host_machine", lambda: "riscv64")
    riscv = whole._replace(machine="riscv64")
    assert "is for x86_64 or aarch64" in str(refusal(SandboxUnavailable, kernel.require_host, riscv))


def test_the_flags_of_a_processor_are_read(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu popcnt\nflags\t\t: fpu\n")
    assert kernel.cpu_flags(tmp_path / "cpuinfo") == {"fpu", "popcnt"}
    assert kernel.cpu_flags(tmp_path / "missing") == frozenset()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\3\4 no zip",
        zipped({"kernel/__init__.py": b""}),
        zipped({"kernel.json": b"{}"}),
        zipped({"kernel.json": b'{"format":"rensho-kernel/1","compiled":[]}', "kernel/../x.py": b""}),
        zipped(
            {
                "kernel.json": b'{"format":"rensho-kernel/1","machine":"","suffix":"","sources_sha256":"",'
                b'"compiled":["a.so"]}',
                "kernel/__init__.py": b"",
            }
        ),
    ],
)
def test_what_is_no_archive_of_a_kernel_is_a_fault_of_ours(data: bytes) -> None:
    with pytest.raises(PlatformFault, match="read") as caught:
        kernel.unpack(data)
    assert caught.value.platform_cause is FaultCause.RUNTIME


def test_python1_gets_nothing_of_the_kernel(tmp_path: Path) -> None:
    package = tmp_path / "engine"
    (package / "games").mkdir(parents=True)
    (package / "games" / "kernel.py").write_text("")
    before = python1._source_key({"engine": package})
    kernels.pretended(package / "kernel")
    assert python1._source_key({"engine": package}) == before
    unwanted = python1._SOURCE_UNWANTED
    tree.copy_folder(package, tmp_path / "copy", skip=lambda path: unwanted.fullmatch(path) is not None)
    copied = [str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*")]
    assert sorted(copied) == ["games", "games/kernel.py"]


@pytest.mark.full
def test_an_artefact_is_compared_with_its_hash_and_fetched_again_if_damaged(staged: Path) -> None:
    data, asked = secrets.token_bytes(), []
    sha256 = sha256_of(data)

    def fetch(name: str) -> bytes:
        asked.append(name)
        return data

    assert "staging area" in str(refusal(PlatformFault, artifact.staged_artifact, sha256))
    with pytest.raises(PlatformFault, match="other bytes") as caught:
        stage_artifact(sha256, lambda _: b"others")
    assert caught.value.platform_cause is FaultCause.RUNTIME
    for _ in range(2):
        stage_artifact(sha256, fetch)
    assert (asked, artifact.staged_artifact(sha256)) == ([sha256], data)
    artifact._file(sha256).write_bytes(b"damaged")
    assert "damaged" in str(refusal(PlatformFault, artifact.staged_artifact, sha256))
    stage_artifact(sha256, fetch)
    assert artifact.staged_artifact(sha256) == data
    os.utime(artifact._file(sha256), (0, 0))
    assert artifact.clean_artifacts() == [sha256]
    assert "../../etc" in str(refusal(PlatformFault, stage_artifact, "../../etc", fetch))


@pytest.mark.full
def test_without_an_artefact_it_is_refused_and_python1_takes_none() -> None:
    (refused,) = (offer for offer in offers(artifacts={}) if offer.name == kernel.NAME)
    assert "python/2" in refused.refusal
    assert "runtime_publish" in refused.remedy
    assert "python/1" in str(refusal(OrderInvalid, runtime_named, "python/1", "a" * 64))


@pytest.mark.full
def test_a_damaged_artefact_is_charged_to_nobody() -> None:
    bundle = import_archive(zipped({"rensho.toml": MANIFEST, "main.py": b""}), "mine.zip")
    seats = [SeatOrder(seat, bundle.sha256, kernel.NAME, "main.py", "a" * 64) for seat in (1, 2, 3, 4)]
    stored = {bundle.sha256: bundle.data, "a" * 64: b"damaged"}
    report = execute(make_order(seats=tuple(seats)), stored.__getitem__, sha256_of, lambda *_: None)
    assert "other bytes" in (report.platform_fault or "")
    assert (report.platform_cause, report.seats) == (FaultCause.RUNTIME, ())


@pytest.mark.full
def test_a_kernel_that_does_not_load_is_charged_to_nobody(tmp_path: Path, staged: Path) -> None:
    data = kernel.pack(kernels.pretended(tmp_path / "kernel"))
    bundle = import_archive(
        zipped({"rensho.toml": MANIFEST, "main.py": b"import engine.kernel\n"}), "mine.zip"
    )
    seats = [SeatOrder(seat, bundle.sha256, kernel.NAME, "main.py", sha256_of(data)) for seat in (1, 2, 3, 4)]
    stored = {bundle.sha256: bundle.data, sha256_of(data): data}
    report = execute(make_order(seats=tuple(seats)), stored.__getitem__, sha256_of, lambda *_: None)
    assert "python/2" in (report.platform_fault or "")
    assert (report.platform_cause, report.seats) == (FaultCause.RUNTIME, ())


BOT = b"""\
import os
import engine.kernel
from engine.kernel import counting

said = [engine.kernel.is_compiled, counting.seven()]
for attempt in (
    lambda: open(counting.__file__, "r+b"),
    lambda: os.unlink(counting.__file__),
    lambda: os.rename("/bot/main.py", counting.__file__),
    lambda: os.symlink("/tmp", os.path.dirname(counting.__file__) + "/more"),
):
    try:
        attempt()
        said.append("done")
    except OSError:
        said.append("refused")
print(said, flush=True)
input()
"""
START = {"cpu_limit_ms": 5000.0, "wall_limit_ms": 20_000.0}


@pytest.mark.full
def test_a_bot_has_the_compiled_kernel_and_cannot_change_it(tmp_path: Path, staged: Path) -> None:
    data = kernel.pack(kernels.compiled(tmp_path / "kernel"))
    sha256 = sha256_of(data)
    stage_artifact(sha256, lambda _: data)
    offer = offer_named(kernel.NAME, sha256)
    assert (offer.refusal, offer.remedy) == ("", "")
    runtime = runtime_named(kernel.NAME, sha256)
    assert runtime.digest == offer.digest != runtime_named("python/1").digest
    bot = staged / "python2"
    bot.mkdir()
    bot.chmod(0o755)
    (bot / "main.py").write_bytes(BOT)
    with SandboxedDriver(bot, runtime, "main.py", Limits(), cpu_limit_s=5, label="seat 1") as driver:
        assert driver.collect(**START).line == b"[True, 7, 'refused', 'refused', 'refused', 'refused']"
    assert not (runtime_named("python/1").root / "usr/lib/rensho/engine/kernel").exists()
