"""What an operator reads of requests that are none of theirs."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

from arena.settings.logs import MAX_RECORDS, FloodFilter


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
