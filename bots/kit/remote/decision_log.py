"""Logs of decisions: for each table, one file of JSON lines, and one of the bot's standard error.

The lines contain the messages of ``rensho/1`` unchanged, so that they can be sent to a bot again.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bots.kit.errors import EnvironmentFailure
from engine.printable import file_name_part

MAX_TABLES = 1000
"""Maximum tables whose logs a folder keeps; the oldest are deleted."""
MAX_ERROR_LOG_BYTES = 1 << 20
"""Maximum bytes of standard error that are stored of a table."""
DECISIONS, ERRORS = ".ndjson", ".stderr"


def log_folder(name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the default folder of a bot's logs."""
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "rensho" / "remote" / file_name_part(name, "bot")


class LogFolder:
    def __init__(self, folder: Path) -> None:
        """Create the folder. Raise ``EnvironmentFailure`` if that fails."""
        self.path = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentFailure(
                f"cannot write {folder}: {error.strerror}; name another folder with --log"
            ) from None

    def table_log(self, table: str) -> TableLog:
        self._remove_old()
        return TableLog(self.path / file_name_part(table, "table"))

    def _remove_old(self) -> None:
        with suppress(OSError):
            logs = sorted(self.path.glob(f"*{DECISIONS}"), key=lambda path: path.stat().st_mtime)
            for path in logs[: len(logs) - MAX_TABLES + 1] if len(logs) >= MAX_TABLES else ():
                path.unlink(missing_ok=True)
                path.with_suffix(ERRORS).unlink(missing_ok=True)


class TableLog:
    """Log of one table. A full disk does not end a table; the log then has gaps."""

    def __init__(self, stem: Path) -> None:
        self.path = stem.with_name(f"{stem.name}{DECISIONS}")
        self._errors_path = stem.with_name(f"{stem.name}{ERRORS}")
        self._error_bytes = 0

    def write(self, kind: str, **fields: Any) -> None:
        """Append a line with the time."""
        time_text = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        with suppress(OSError), self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": kind, "at": time_text, **fields}) + "\n")

    def write_over(self, result: Mapping[str, Any]) -> None:
        """Append the result of the table, as in ``over``."""
        self.write("over", **{key: value for key, value in result.items() if key != "type"})

    def write_errors(self, line: bytes) -> None:
        if self._error_bytes + len(line) <= MAX_ERROR_LOG_BYTES:
            self._error_bytes += len(line)
            with suppress(OSError), self._errors_path.open("ab") as file:
                file.write(line)
