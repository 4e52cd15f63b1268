"""Text from bots made fit to show, and faults recognised as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contract import Verdict
from referee.driver import DriverFault, ExitReason
from referee.errors import PlatformFault
from referee.faults import (
    CUT_MARK,
    LOG_LINES,
    LOG_TAIL_CHARACTERS,
    capped,
    clean_text,
    fingerprint,
    last_error_line,
    log_tail,
)
from referee.verdicts import advice_for, verdict_of
from tests.refusals import refusal


class TestCleanText:
    @pytest.mark.parametrize(
        ("raw", "clean"),
        [
            (b"\x1b[31mred\x1b[0m", "red"),
            (b"\x1b]0;title\x07text", "text"),
            (b"a\x00b\x07c", "abc"),
            ("left\u202eright", "leftright"),
            (b"one\r\ntwo\rthree\tfour", "one\ntwo\nthree\tfour"),
            (b"\xff", "\ufffd"),
            ("小松 é", "小松 é"),
            ("\ud800", ""),
        ],
    )
    def test_what_moves_a_terminal_goes_and_words_stay(self, raw, clean):
        assert clean_text(raw) == clean

    @given(st.binary(max_size=100) | st.text(max_size=100))
    def test_nothing_but_tabs_and_line_feeds_is_left_of_control_codes(self, raw):
        clean = clean_text(raw)
        assert not any(ord(c) < 32 and c not in "\t\n" for c in clean)
        clean.encode()


def test_what_is_cut_says_so():
    assert capped("x" * 10, 10) == "x" * 10
    assert capped("x" * 11, 10) == "xxxxx" + CUT_MARK


def test_a_log_tail_is_its_last_lines_with_a_mark():
    assert log_tail(b"one\ntwo\n") == "one\ntwo"
    long = "\n".join(f"line {n}" for n in range(50)).encode()
    assert log_tail(long) == f"{CUT_MARK}\n" + "\n".join(f"line {n}" for n in range(50 - LOG_LINES, 50))
    assert len(log_tail(b"y" * 5000)) <= LOG_TAIL_CHARACTERS + 10


NODE = """\
hm 12
/bot/main.js:89
  const { legal } = request; return request.nope.x;
                                                 ^

TypeError: Cannot read properties of undefined (reading 'x')
    at act (/bot/main.js:89:132)
    at Socket.emit (node:events:524:28)

Node.js v20.20.2
"""
NODE_MODULE = """\
Error: Cannot find module 'nope'
Require stack:
- /bot/main.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/bot/main.js' ]
}

Node.js v20.20.2
"""
NODE_MEMORY = """\
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/usr/bin/node]
10: 0x195e476  [/usr/bin/node]
"""
NODE_WORD = """\
oops
(Use `node --trace-uncaught ...` to show where the exception was thrown)

Node.js v20.20.2
"""
RUST = """\
thread 'main' panicked at src/main.rs:3:5:
index out of bounds: the len is 3 but the index is 7
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
GO = """\
panic: runtime error: index out of range [7] with length 3

goroutine 1 [running]:
main.act(...)
\t/home/aya/main.go:5
main.main()
\t/home/aya/main.go:9 +0x1d
"""
PYTHON = """\
Traceback (most recent call last):
  File "/bot/main.py", line 16, in act
    return self.weights[card]
KeyError: 'QH'
"""


class TestLastWords:
    @pytest.mark.parametrize(
        ("log", "words"),
        [
            (PYTHON, "KeyError: 'QH'"),
            (NODE, "TypeError: Cannot read properties of undefined (reading 'x')"),
            (NODE_MODULE, "Error: Cannot find module 'nope'"),
            (NODE_MEMORY, NODE_MEMORY.partition("\n")[0]),
            (NODE_WORD, "oops"),
            (RUST, "index out of bounds: the len is 3 but the index is 7"),
            (GO, "panic: runtime error: index out of range [7] with length 3"),
            ("terminate called after throwing\n  what():  bad\n", "terminate called after throwing"),
            (
                "Error: read ECONNRESET\n    at x\nEmitted 'error' event on Socket instance at:",
                "Error: read ECONNRESET",
            ),
            (f"{CUT_MARK}\n    S_IROTH: 4,\n  }}\n", "}"),
            (f"{CUT_MARK}\nKeyError: 'QH'\n", "KeyError: 'QH'"),
            ("one\ntwo\n\n", "two"),
            ("  indented\n", "indented"),
            ("\n", ""),
            ("", ""),
        ],
    )
    def test_they_say_what_was_wrong_whatever_the_runtime_writes_below(self, log, words):
        assert last_error_line(log) == words

    def test_two_errors_on_node_are_two_faults(self):
        assert fingerprint(Verdict.CRASHED, "play", NODE) != fingerprint(Verdict.CRASHED, "play", NODE_MODULE)


class TestFingerprint:
    def test_numbers_quoted_words_and_addresses_do_not_count(self):
        first = fingerprint(Verdict.CRASHED, "play", "Traceback\nKeyError: 'QH' at 0x7f12 line 12\n")
        second = fingerprint(Verdict.CRASHED, "play", "other\n\nKeyError:  'AS' at 0x8a line 7")
        assert first == second

    def test_verdict_phase_and_words_do(self):
        prints = {
            fingerprint(Verdict.CRASHED, "play", "KeyError: 'QH'"),
            fingerprint(Verdict.CRASHED, "lead", "KeyError: 'QH'"),
            fingerprint(Verdict.PROTOCOL, "play", "KeyError: 'QH'"),
            fingerprint(Verdict.CRASHED, "play", "IndexError: 'QH'"),
            fingerprint(Verdict.CRASHED, "play", ""),
        }
        assert len(prints) == 5


class TestVerdicts:
    @pytest.mark.parametrize("reason", sorted(set(ExitReason) - {ExitReason.INFRA, ExitReason.OK}))
    def test_every_end_of_a_bot_has_a_verdict_and_advice(self, reason):
        assert verdict_of(DriverFault(reason, "")) is not Verdict.OK
        assert advice_for(reason, "detail").endswith("(detail)")

    @pytest.mark.parametrize("reason", [ExitReason.INFRA, ExitReason.OK])
    def test_what_is_ours_or_unknown_is_no_verdict(self, reason):
        assert "no disk" in str(refusal(PlatformFault, verdict_of, DriverFault(reason, "no disk")))

    @pytest.mark.parametrize(
        ("reason", "verdict"),
        [
            (ExitReason.PROCESSES, Verdict.CRASHED),
            (ExitReason.MATCH_CPU, Verdict.OUT_OF_TIME),
            (ExitReason.MEMORY, Verdict.OVER_MEMORY),
            (ExitReason.STDERR_LIMIT, Verdict.OVER_OUTPUT),
            (ExitReason.STDIN_BLOCKED, Verdict.PROTOCOL),
            (ExitReason.BAD_SYSCALL, Verdict.SANDBOX_VIOLATION),
        ],
    )
    def test_the_mapping_is_that_of_the_design(self, reason, verdict):
        assert verdict_of(DriverFault(reason, "")) is verdict
