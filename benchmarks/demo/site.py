"""A running installation: the one already running in this data folder, or a new one."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings

from arena.operations.child_process import Child, ChildSpec
from arena.operations.installation import child_environment, web_answers
from arena.operations.supervisor import status_read

START_S = 180.0
"""Maximum seconds until broker, workers and web server run on a loaded machine."""
STOP_S = 60.0


class SiteError(Exception):
    """The installation did not start; the message ends with its last output."""


class DemoSite:
    """``manage.py up`` as a child process, unless the installation is running already.

    ``is_ours`` says whether leaving the block stops it. ``extra`` is added to its environment.
    ``has_house``: a new one gets house bots and daily cups, as for an operator.
    """

    def __init__(
        self,
        port: int,
        *,
        workers: int = 0,
        data: Path | None = None,
        extra: Mapping[str, str] | None = None,
        has_house: bool = False,
    ) -> None:
        self.url = ""
        self.is_ours = False
        self.data = data or Path(settings.DATA)
        (self.data / "logs").mkdir(parents=True, exist_ok=True)
        spec = ChildSpec(
            name="up",
            argv=(
                *(sys.executable, "-m", "django", "up"),
                *("--port", str(port), "--workers", str(workers)),
                *(() if has_house else ("--no-house",)),
            ),
            env={**child_environment(), "RENSHO_DATA": str(self.data), "COLUMNS": "200", **(extra or {})},
            cwd=self.data,
            log=self.data / "logs" / "up.log",
            stop=((signal.SIGTERM, STOP_S),),
        )
        self._child = Child(spec)

    def __enter__(self) -> DemoSite:
        running = status_read(self.data)
        if running and web_answers(running["url"]):
            self.url = running["url"]
            return self
        self.is_ours = True
        self._child.spec.log.unlink(missing_ok=True)
        self._child.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_ours:
            self._child.stop()

    def wait_ready(self, is_ready: Callable[[], bool]) -> str:
        """Wait until the web server answers and ``is_ready`` returns true. Return the site's address.

        Raises:
            SiteError: it ended, or took longer than ``START_S``.
        """
        deadline = time.monotonic() + START_S
        while True:
            status = status_read(self.data)
            if status and web_answers(status["url"]) and is_ready():
                self.url = status["url"]
                return self.url
            self.look_after()
            if time.monotonic() > deadline:
                raise SiteError(f"the site did not answer within {START_S:.0f} s:\n{self.log_lines()}")
            time.sleep(0.2)

    def look_after(self) -> None:
        if self.is_ours and self._child.check():
            self.is_ours = False
            raise SiteError(f"the installation ended by itself:\n{self.log_lines()}")

    def log_lines(self) -> str:
        return "\n".join(f"  {line}" for line in self._child.log_tail(12))
