"""binary/1: which programs are taken, how they lie in the sandbox, and what holds for them there."""

from __future__ import annotations

import contextlib
import os
import stat
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bundle import import_archive, program_machine, read_bundle, unpack
from referee.check import check_bundle
from referee.contract import Limits
from referee.errors import BundleError
from referee.runtimes import elf, runtime_named
from tests.referee.archives import zipped
from tests.referee.foreign import compiled, packed
from tests.refusals import refusal as refused

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); fflush(stdout); getchar(); return 0; }\n'
NEEDS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static void on_signal(int number) { (void)number; caught++; }
static void *waits(void *nothing) { pause(); return nothing; }

int main(void) {
    int named = pthread_setname_np(pthread_self(), "thread");
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    int cancelled = pthread_cancel(thread);
    void *result;
    int joined = pthread_join(thread, &result) || result != PTHREAD_CANCELED;
    signal(SIGURG, on_signal);
    signal(SIGUSR1, on_signal);
    signal(SIGRTMAX, on_signal);
    raise(SIGURG);
    pthread_kill(pthread_self(), SIGUSR1);
    kill(getpid(), SIGRTMAX);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = 32;
    setrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    int raised = setrlimit(RLIMIT_NOFILE, &files);
    printf("%d %s %d %d %d %d %lu\n", named, name, cancelled, joined, caught, raised,
           (unsigned long)files.rlim_cur);
    fflush(stdout);
    getchar();
    return 0;
}
"""
E_TYPE, E_MACHINE, E_ENTRY, E_PHNUM = 16, 18, 24, 56


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A small static program of this machine."""
    return compiled(tmp_path_factory.mktemp("static"), HELLO, "-static")


def refusal(content):
    error = refused(BundleError, packed, "binary/1", "bot", content)
    assert (error.code, error.is_unreadable) == ("not_static_elf", False)
    return error.message


def with_field(program, at, layout, value):
    changed = bytearray(program)
    struct.pack_into(layout, changed, at, value)
    return bytes(changed)


class TestWhatIsTaken:
    def test_a_static_program_knows_its_machine(self, program):
        bundle = packed("binary/1", "bot", program)
        assert program_machine(bundle) == elf.host_machine()
        assert read_bundle(bundle.data) == bundle

    @pytest.mark.full
    @pytest.mark.parametrize("flags", [("-static",), ("-static-pie",)])
    def test_a_static_program_runs_wherever_it_may_be_loaded(self, tmp_path, first_line, flags):
        bundle = packed("binary/1", "bin/bot.exe", compiled(tmp_path, HELLO, *flags))
        assert first_line(bundle).line == "hello"

    def test_a_dynamic_program_is_refused(self, tmp_path):
        assert "loader" in refusal(compiled(tmp_path, HELLO))

    def test_a_loader_of_its_own_is_refused(self, tmp_path):
        program = compiled(tmp_path, HELLO, "-Wl,--dynamic-linker=/bot/ld.so")
        assert b"/bot/ld.so" in program
        assert "loader" in refusal(program)

    def test_a_library_is_refused(self, tmp_path):
        library = compiled(tmp_path, "int f(void) { return 1; }\n", "-shared", "-fPIC", "-nostdlib")
        assert "start" in refusal(library)
        needy = compiled(
            tmp_path, '#include <stdio.h>\nint f(void) { return puts(""); }\n', "-shared", "-fPIC"
        )
        assert "shared" in refusal(needy)

    def test_an_object_is_refused(self, tmp_path):
        assert "not a program" in refusal(compiled(tmp_path, HELLO, "-c"))

    @pytest.mark.parametrize("script", [b"", b"#!/bin/sh\necho hi\n", b"print()\n", b"MZ\x90\0", b"\x7fEL"])
    def test_a_script_that_calls_itself_a_program_is_refused(self, script):
        assert "ELF" in refusal(script)

    def test_a_program_cut_off_anywhere_is_refused(self, program):
        for length in (4, 16, 63, 64, 100, 200, len(program) // 3):
            assert "cut off" in refusal(program[:length])
        count = struct.unpack_from("<H", program, E_PHNUM)[0]
        segments = struct.iter_unpack("<IIQQQQQQ", program[64 : 64 + 56 * count])
        end = max(offset + size for _, _, offset, _, _, size, _, _ in segments)
        assert "cut off" in refusal(program[: end - 1])
        assert elf.machine_of(program[:end]) == elf.host_machine()

    def test_another_kind_of_machine_is_refused(self, program):
        assert "another kind" in refusal(with_field(program, E_MACHINE, "<H", 243))
        assert "another kind" in refusal(with_field(program, 4, "B", 1))
        assert "another kind" in refusal(with_field(program, 5, "B", 2))

    def test_senseless_headers_are_refused(self, program):
        assert "segments" in refusal(with_field(program, E_PHNUM, "<H", 0xFFFF))
        assert "segments" in refusal(with_field(program, E_PHNUM, "<H", 0))
        assert "start" in refusal(with_field(program, E_ENTRY, "<Q", 0))
        assert "cut off" in refusal(with_field(program, 32, "<Q", 2**64 - 1))
        assert "not a program" in refusal(with_field(program, E_TYPE, "<H", 4))

    @given(data=st.data())
    def test_no_header_does_more_than_be_refused(self, program, data):
        changed = bytearray(program)
        for _ in range(data.draw(st.integers(1, 6))):
            at = data.draw(st.integers(4, 64 + 56 * 12))
            changed[at] = data.draw(st.integers(0, 255))
        with contextlib.suppress(elf.NotStatic):
            assert elf.machine_of(bytes(changed)) in elf.MACHINES

    @given(st.binary(max_size=600))
    def test_no_bytes_do_more_than_be_refused(self, junk):
        refused(elf.NotStatic, elf.machine_of, b"\x7fELF" + junk)

    def test_the_manifest_itself_is_no_program(self):
        manifest = b'name = "x"\nruntime = "binary/1"\nentry_point = "rensho.toml"\n'
        bundle = zipped({"rensho.toml": manifest})
        assert refused(BundleError, import_archive, bundle, "bot.zip").code == "no_entry_point"

    def test_a_program_that_is_missing_may_not_have_been_built(self):
        manifest = b'name = "x"\nruntime = "binary/1"\nentry_point = "bot"\n'
        bundle = zipped({"rensho.toml": manifest, "bot.c": b"int main() {}"})
        assert "bot.c" in str(refused(BundleError, import_archive, bundle, "bot.zip"))


@pytest.mark.full
class TestTheCheck:
    def test_a_program_for_the_other_machine_is_rejected_in_words(self, program):
        other = next(number for name, number in elf.MACHINES.items() if name != elf.host_machine())
        report = check_bundle(
            packed("binary/1", "bot", with_field(program, E_MACHINE, "<H", other)), "kakeya", "kakeya4"
        )
        assert [reason.code for reason in report.reasons] == ["wrong_machine"]
        assert elf.host_machine() in report.reasons[0].message
        assert not report.accepted
        assert report.platform_fault is None

    def test_a_program_that_is_no_bot_is_rejected_in_words(self, program):
        (reason,) = check_bundle(packed("binary/1", "bot", program), "kakeya", "kakeya4").reasons
        assert reason.code == "bad_ready"

    def test_a_program_that_only_looks_like_one_crashes_at_its_start(self, program):
        """The header is fine and its code is not: nobody's fault but the bot's."""
        broken = bytearray(program)
        entry = struct.unpack_from("<Q", program, E_ENTRY)[0]
        start = next(
            offset + entry - address
            for kind, _, offset, address, _, size, _, _ in struct.iter_unpack(
                "<IIQQQQQQ", program[64 : 64 + 56 * struct.unpack_from("<H", program, E_PHNUM)[0]]
            )
            if kind == 1 and address <= entry < address + size
        )
        broken[start : start + 16] = b"\0" * 16
        report = check_bundle(packed("binary/1", "bot", bytes(broken)), "kakeya", "kakeya4")
        assert [reason.code for reason in report.reasons] == ["crashed_at_start"]


class TestInTheSandbox:
    pytestmark = pytest.mark.full

    def test_the_program_alone_may_be_executed(self, program, tmp_path):
        bundle = packed("binary/1", "bin/bot", program, **{"bin/data": b"x", "bot": b"#!/bin/sh\n"})
        before = os.umask(0o077)
        try:
            unpack(bundle.data, tmp_path / "bot")
        finally:
            os.umask(before)
        modes = {
            str(path.relative_to(tmp_path / "bot")): stat.S_IMODE(path.stat().st_mode)
            for path in (tmp_path / "bot").rglob("*")
            if path.is_file()
        }
        assert modes == {"bin/bot": 0o555, "bin/data": 0o444, "bot": 0o444, "rensho.toml": 0o444}

    def test_files_of_other_runtimes_may_not_be_executed(self, tmp_path):
        bundle = packed("python/1", "main.py", "pass\n")
        unpack(bundle.data, tmp_path / "bot")
        assert stat.S_IMODE((tmp_path / "bot" / "main.py").stat().st_mode) == 0o444

    def test_the_tree_holds_the_gate_and_a_shell_with_its_libraries_alone(self):
        root = runtime_named("binary/1").root
        names = {path.name for path in root.rglob("*") if path.is_file()}
        assert "sh" in names
        assert {name for name in names if not name.startswith(("libc.", "ld-"))} == {"sh", "rensho-gate"}

    def test_what_runtimes_ask_of_signals_limits_and_threads_works(self, tmp_path, first_line):
        """Names of threads, their cancellation, signals to a thread, a soft limit raised to the hard one."""
        bundle = packed("binary/1", "bot", compiled(tmp_path, NEEDS, "-static", "-pthread"))
        assert first_line(bundle).line == "0 thread 0 0 3 0 64"

    def test_its_address_space_is_limited_and_it_stays_one_process(self, tmp_path, first_line):
        source = """
            #include <errno.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/resource.h>
            #include <unistd.h>
            int main(int count, char **words) {
                struct rlimit limit;
                getrlimit(RLIMIT_AS, &limit);
                void *much = malloc((size_t)100 << 20), *little = malloc(1 << 20);
                const char *child = fork() < 0 ? strerror(errno) : "forked";
                printf("%lu %d %d %s %d %s\\n", (unsigned long)limit.rlim_cur, much != NULL, little != NULL,
                       child, count, words[0]);
                fflush(stdout);
                getchar();
                return 0;
            }
        """
        bundle = packed("binary/1", "bot", compiled(tmp_path, source, "-static"))
        heard = first_line(bundle, Limits(address_space_bytes=64 << 20))
        assert heard.line == f"{64 << 20} 0 1 Resource temporarily unavailable 1 /bot/bot"
