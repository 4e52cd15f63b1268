"""A process that is started again when it has ended, as by its systemd unit, for chaos tests."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
LOOP = """
folder=$1; shift
while :; do
  if [ -e "$folder/stopped" ]; then sleep 0.2; continue; fi
  read -r CHAOS_RELEASE < "$folder/release"; export CHAOS_RELEASE
  "$@" >> "$folder/log" 2>&1
  sleep 1
done
"""
"""``Restart=always`` in the shell, which also waits for orphaned processes if it is the first of a namespace.

Arguments: the folder of the unit, then the command line.
"""
STOP_S = 60.0


class Unit:
    """A supervised process: its folder has the log and the release with which it starts next."""

    def __init__(
        self,
        folder: Path,
        argv: Sequence[str],
        env: Mapping[str, str],
        release: str,
        *,
        leader: Sequence[str] = (),
        program: str = "celery",
    ) -> None:
        """``leader`` is a command that runs the supervising shell, such as unshare.

        ``program`` is a word of the command line of the supervised process.
        """
        self.folder, self._leader, self._argv, self._env = folder, leader, argv, env
        self._program = program
        folder.mkdir(parents=True)
        self.update(release)
        self._supervisor: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        (self.folder / "stopped").unlink(missing_ok=True)
        if self._supervisor is None:
            with (self.folder / "supervisor.log").open("ab") as log:
                self._supervisor = subprocess.Popen(
                    [*self._leader, "bash", "-c", LOOP, "loop", str(self.folder), *self._argv],
                    env=dict(self._env),
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )

    def update(self, release: str) -> None:
        """Set the release with which the process starts the next time."""
        (self.folder / "release").write_text(f"{release}\n")

    @property
    def pid(self) -> int:
        """Process id of the supervising command."""
        assert self._supervisor is not None
        return self._supervisor.pid

    def processes(self) -> list[psutil.Process]:
        """Return all processes below the supervising shell."""
        shell = self.shell()
        return [] if shell is None else shell.children(recursive=True)

    def shell(self) -> psutil.Process | None:
        with contextlib.suppress(psutil.Error, ValueError):
            found = psutil.Process(self.pid)
            while found.name() != "bash":
                (found,) = found.children()
            return found
        return None

    def main(self) -> psutil.Process | None:
        """Return the supervised process; None while it does not run."""
        shell = self.shell()
        with contextlib.suppress(psutil.Error):
            for child in [] if shell is None else shell.children():
                # Celery changes the command line; orphans of its pool have the name of their kind in it.
                line = " ".join(child.cmdline())
                if self._program in line and "PoolWorker" not in line:
                    return child
        return None

    def pool(self) -> list[psutil.Process]:
        """Return the children of the supervised process: the pool of a worker."""
        main = self.main()
        with contextlib.suppress(psutil.Error):
            return [] if main is None else main.children()
        return []

    def terminate(self) -> None:
        """Send SIGTERM to the supervised process; it starts again unless ``stop`` follows."""
        main = self.main()
        if main is not None:
            with contextlib.suppress(psutil.Error):
                main.terminate()

    def stop(self, within_s: float = STOP_S) -> bool:
        """End the supervised process for good; return whether it ended in time."""
        (self.folder / "stopped").touch()
        self.terminate()
        deadline = time.monotonic() + within_s
        while self.main() is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True
