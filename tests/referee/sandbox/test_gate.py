"""The program that starts bots: what it does with its order, and its code for both machines."""

import contextlib
import hashlib
import os
import platform
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import SandboxUnavailable
from referee.runtimes import elf, gate
from referee.sandbox.stdio import ABANDONED_S, StdioPipes, remove_abandoned_names
from referee.sandbox.tools import tool
from tests.refusals import refusal

ALLOW_ALL = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
NO_FILTER = b""
CODE = {
    "x86_64": "59c1f5717c682925",
    "aarch64": "9e392d666e3f6ae6",
}
"""Digests of files that were run, as a gate or by an emulator of that machine, through every way out."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "gate"
    file.write_bytes(gate.program(platform.machine()))
    file.chmod(0o755)
    return file


class Opened:
    """A gate that was given an order and perhaps an answer, and what came of it."""

    def __init__(self, program: Path, order: bytes, answer: bytes, *words: str) -> None:
        process = subprocess.Popen(
            [tool("setpriv"), "--no-new-privs", "--", str(program), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"KEPT": "yes"},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(order)
        process.stdin.flush()
        if len(order) < gate.CONFIG_BYTES:
            process.stdin.close()
        self.said = process.stdout.read(gate.REPLY_BYTES)
        # A gate that refused may be gone before it is answered.
        with contextlib.suppress(BrokenPipeError):
            if not process.stdin.closed:
                process.stdin.write(answer)
                process.stdin.close()
        self.rest = process.stdout.read()
        self.code = process.wait(60)
        process.stdout.close()


@pytest.mark.full
def test_it_becomes_the_program_with_its_words_variables_and_limits(program: Path) -> None:
    script = 'echo "$KEPT $# $1"; ulimit -u 2>/dev/null || ulimit -p'
    came = Opened(
        program, gate.encode_config(777, ALLOW_ALL, 0), gate.GO, "/bin/sh", "-c", script, "sh", "a b", "c"
    )
    assert gate.gate_error(came.said) == ""
    assert (came.rest, came.code) == (b"yes 2 a b\n777\n", 0)


@pytest.mark.full
@pytest.mark.parametrize("answer", [b"NO\n\0", b"GO", b""])
def test_without_the_word_it_starts_nothing(program: Path, answer: bytes) -> None:
    came = Opened(program, gate.encode_config(777, ALLOW_ALL, 0), answer, "/bin/echo", "here")
    assert gate.gate_error(came.said) == ""
    assert (came.rest, came.code) == (b"", gate.EXIT_REFUSED)


@pytest.mark.full
def test_it_says_which_step_failed(program: Path) -> None:
    cut_off = Opened(program, gate.encode_config(777, ALLOW_ALL, 0)[:100], b"", "/bin/echo")
    assert "100" in gate.gate_error(cut_off.said)
    unfiltered = Opened(program, gate.encode_config(777, NO_FILTER, 0), gate.GO, "/bin/echo", "here")
    assert "EINVAL" in gate.gate_error(unfiltered.said)
    for came in (cut_off, unfiltered):
        assert (came.rest, came.code) == (b"", gate.EXIT_REFUSED)
    assert gate.gate_error(b"")
    assert "what?" in gate.gate_error(b"what?")


@pytest.mark.full
def test_a_program_that_is_not_there_is_the_bots_end(program: Path) -> None:
    came = Opened(program, gate.encode_config(777, ALLOW_ALL, 0), gate.GO, "/no/such/program")
    assert (came.rest, came.code) == (b"", gate.EXIT_NO_PROGRAM)


@pytest.mark.parametrize("machine", list(CODE))
def test_its_code_is_what_was_tried(machine: str) -> None:
    """A change has to be tried on both machines, or with an emulator, and its digest entered here."""
    code = gate.program(machine)
    assert elf.machine_of(code) == machine
    assert len(code) < 1024
    assert hashlib.sha256(code).hexdigest()[:16] == CODE[machine]


def test_another_machine_has_none() -> None:
    assert "riscv64" in str(refusal(SandboxUnavailable, gate.program, "riscv64"))


def test_a_filter_that_is_too_long_is_refused() -> None:
    assert len(gate.encode_config(1, ALLOW_ALL * gate.MAX_INSTRUCTIONS, 0)) == gate.CONFIG_BYTES <= 8192
    assert "1001" in str(
        refusal(ValueError, gate.encode_config, 1, ALLOW_ALL * (gate.MAX_INSTRUCTIONS + 1), 0)
    )


@pytest.fixture
def stage(staged: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=staged) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def streams(stage: Path) -> Iterator[StdioPipes]:
    made = StdioPipes(stage)
    yield made
    made.close()


def test_streams_are_pipes_without_names_that_see_the_other_end_close(
    streams: StdioPipes, stage: Path
) -> None:
    os.write(streams.stdin, b"question")
    assert os.read(streams.bots_stdin, 100) == b"question"
    os.write(streams.bots_stdout, b"answer")
    assert os.read(streams.stdout, 100) == b"answer"
    assert os.get_blocking(streams.bots_stdin)
    assert not os.get_blocking(streams.stdout)
    refusal(BlockingIOError, os.read, streams.stderr, 1)
    streams.handed_over()
    assert os.read(streams.stderr, 1) == b""
    refusal(BrokenPipeError, os.write, streams.stdin, b"x")
    assert list((stage / "streams").iterdir()) == []


def test_a_name_that_a_killed_worker_left_is_removed(streams: StdioPipes, stage: Path) -> None:
    old, recent = stage / "streams" / "1-old", stage / "streams" / "2-recent"
    for path in (old, recent):
        os.mkfifo(path)
    then = old.stat().st_mtime - ABANDONED_S - 1
    os.utime(old, (then, then))
    (removed,) = remove_abandoned_names(stage)
    assert "1-old" in removed
    assert recent.exists()
