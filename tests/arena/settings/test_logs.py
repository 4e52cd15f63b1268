"""What an operator reads of requests that are none of theirs."""

from __future__ import annotations

import datetime
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from arena.common.log_context import bound_log_fields
from arena.settings.json_logs import MAX_MESSAGE_CHARACTERS, MAX_TRACEBACK_CHARACTERS, json_formatter
from arena.settings.logs import MAX_RECORDS, FloodFilter, TextFormatter


def a_record(name: str, level: int, message: str) -> logging.LogRecord:
    """A record as a logger of this name makes it."""
    return logging.LogRecord(name, level, __file__, 1, message, None, None)


def test_an_unknown_host_is_a_warning_that_names_the_variable_of_the_site() -> None:
    words = "Invalid HTTP_HOST header: 'evil'. You may need to add 'evil' to ALLOWED_HOSTS."
    record = a_record("django.security.DisallowedHost", logging.ERROR, words)
    assert FloodFilter().filter(record)
    assert (record.levelno, record.levelname) == (logging.WARNING, "WARNING")
    assert record.getMessage() == words.replace("ALLOWED_HOSTS", "RENSHO_HOSTS")


def test_unknown_hosts_are_counted_as_others_are() -> None:
    flood = FloodFilter()
    passed = [
        flood.filter(
            a_record("django.security.DisallowedHost", logging.ERROR, f"Invalid HTTP_HOST header: '{n}'")
        )
        for n in range(2 * MAX_RECORDS)
    ]
    assert passed == [True] * MAX_RECORDS + [False] * MAX_RECORDS


def test_nobody_is_told_to_install_what_the_site_does_not_use() -> None:
    flood = FloodFilter()
    assert flood.filter(a_record("uvicorn.error", logging.WARNING, "Unsupported upgrade request."))
    advice = "No supported WebSocket library detected. Please use \"pip install 'uvicorn[standard]'\"."
    assert not flood.filter(a_record("uvicorn.error", logging.WARNING, advice))


def test_text_of_strangers_forges_no_line_and_moves_no_terminal() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    log = logging.getLogger("tests.hostile")
    log.addHandler(handler)
    try:
        log.warning("name %s", "a\x1b[2J\u202e\n2027-01-01 INFO forged")
        try:
            raise ValueError("a\x1b[2J\u202e")
        except ValueError:
            log.exception("failed")
    finally:
        log.removeHandler(handler)
    first, second, *traceback = out.getvalue().splitlines()
    assert first == r"name a\x1b[2J\u202e\n2027-01-01 INFO forged"
    assert second == "failed"
    assert len(traceback) > 2
    assert "\x1b" not in out.getvalue()


def test_commands_of_operators_write_nothing_unprintable() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "no\x1b[2J\u202esuch"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert r"no\x1b[2J\u202esuch" in done.stderr
    assert "\x1b" not in done.stderr


@contextmanager
def written(formatter: logging.Formatter) -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger, and what a handler with this formatter writes of it."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(formatter)
    log = logging.getLogger("tests.written")
    log.addHandler(handler)
    try:
        yield log, out
    finally:
        log.removeHandler(handler)


def test_a_text_line_has_the_request_id_before_its_message() -> None:
    with written(TextFormatter()) as (log, out):
        log.warning("without")
        with bound_log_fields(request_id="q7x2k9mp4tzn", table="abc"):
            log.warning("with")
    without, with_id = out.getvalue().splitlines()
    assert without.endswith(" WARNING tests.written without")
    assert with_id.endswith(" WARNING tests.written [q7x2k9mp4tzn] with")


def test_a_record_is_one_json_line_with_its_fields_and_the_time_in_utc() -> None:
    with written(json_formatter()) as (log, out), bound_log_fields(request_id="q7x2k9mp4tzn", table="abc"):
        log.warning("卓 %s\x1b[2J", "x\n2027 forged")
    (line,) = out.getvalue().splitlines()
    record = json.loads(line)
    time = datetime.datetime.fromisoformat(record.pop("time"))
    assert time.utcoffset() == datetime.timedelta()
    assert record == {
        "level": "WARNING",
        "logger": "tests.written",
        "message": "卓 x\\n2027 forged\\x1b[2J",
        "request_id": "q7x2k9mp4tzn",
        "table": "abc",
    }
    assert "\x1b" not in line


def test_a_traceback_in_json_is_a_bounded_field_of_the_same_line() -> None:
    def recurse(depth: int) -> None:
        if depth == 0:
            raise ValueError("a\x1b[2J" + "x" * 20_000)
        try:
            recurse(depth - 1)
        except Exception as error:
            raise RuntimeError(depth) from error

    with written(json_formatter()) as (log, out):
        try:
            recurse(50)
        except RuntimeError:
            log.exception("y" * 20_000)
    (line,) = out.getvalue().splitlines()
    record = json.loads(line)
    assert record["exception"].startswith("Traceback")
    assert record["exception"].endswith("RuntimeError: 50")
    assert len(record["exception"]) <= MAX_TRACEBACK_CHARACTERS
    assert len(record["message"]) <= MAX_MESSAGE_CHARACTERS
    assert "\x1b" not in line
