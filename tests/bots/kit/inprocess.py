"""Matches of the kit played in the test's own process: the same bots, in a tenth of the time."""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys

from bots.kit.local.pool import FinishedTable, play_tables
from bots.sdk import Bot
from referee.bundle import DEFAULT_RUNTIME
from referee.execute import execute, plain_driver
from referee.inprocess import InProcessDriver


class BotFileDriver(InProcessDriver):
    """Speaks with the bot that a program makes, and keeps what it logs."""

    def __init__(self, path, limits):
        super().__init__(self._answer, limits)
        self._path = path
        self._reply_to = None

    def _answer(self, line):
        log = io.StringIO()
        with contextlib.redirect_stderr(log), contextlib.redirect_stdout(log):
            try:
                if self._reply_to is None:
                    self._reply_to = bot_of(self._path).reply_to
                return self._reply_to(line)
            except SystemExit as end:
                if isinstance(end.code, str):
                    print(end.code)
                raise
            finally:
                self._log += log.getvalue().encode()


def bot_of(path):
    """The bot whose ``run`` the program at a path calls; SystemExit if it calls none."""
    made = []
    run, Bot.run = Bot.run, lambda self: made.append(self)
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), {"__name__": "__main__"})
    finally:
        Bot.run = run
        sys.path.remove(str(path.parent))
    if not made:
        raise SystemExit
    return made[0]


def bot_driver(order, seat, folder, cpu_limit_s):
    """A driver of ``referee.execute``: a Python bot in this process, any other in one of its own."""
    if seat.runtime != DEFAULT_RUNTIME:
        return plain_driver(order, seat, folder, cpu_limit_s)
    return BotFileDriver(folder / seat.entry_point, order.limits)


def play_tables_here(tables, bundles, *, jobs, is_sandboxed, on_progress):
    """``bots.kit.local.pool.play_tables`` without its workers; in the sandbox with them."""
    if is_sandboxed:
        yield from play_tables(tables, bundles, jobs=jobs, is_sandboxed=is_sandboxed, on_progress=on_progress)
        return
    for table in tables:
        blobs = {}

        def keep(data, blobs=blobs):
            sha256 = hashlib.sha256(data).hexdigest()
            blobs[sha256] = data
            return sha256

        def progress(boards_done, decisions, machine_delay_s, table=table):
            on_progress(table, boards_done)

        report = execute(table.order, bundles.__getitem__, keep, progress, drivers_factory=bot_driver)
        assert report.platform_fault is None, report.platform_fault
        yield FinishedTable(table, report, blobs)
