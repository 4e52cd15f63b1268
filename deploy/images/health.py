"""Health check in a container: ``health.py web``, ``loop`` or ``beat``; exit status 0 if the process works.

It asks neither the database nor the queue, so that no container is restarted because another one is away.
"""

from __future__ import annotations

import http.client
import os
import sys
import time
from pathlib import Path

PORT = 8000
WEB_S = 4.0
LOOP_S = 180.0
"""Maximum age of the liveness file: a self-test may wait for the storage for over a minute."""
BEAT = Path("/var/lib/rensho/beat")
BEAT_S = 600.0
"""Maximum age of the schedule, which beat writes every three minutes."""


def web() -> str:
    """Return the problem of the web process, or ""."""
    name = os.environ.get("RENSHO_HOSTS", "").split(",")[0].strip().lstrip(".")
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=WEB_S)
    try:
        connection.request(
            "GET", "/healthz", headers={"Host": name if name not in ("", "*") else "localhost"}
        )
        status = connection.getresponse().status
    except OSError as error:
        return f"the site does not answer: {error}"
    return "" if status == http.HTTPStatus.OK else f"/healthz has status {status}"


def too_old(paths: list[Path], limit_s: float) -> str:
    """Return the problem if the newest of these files is missing or too old, or ""."""
    changed = [path.stat().st_mtime for path in paths if path.exists()]
    if not changed:
        return f"{paths[0] if paths else 'its file'} is missing"
    age_s = time.time() - max(changed)
    return "" if age_s <= limit_s else f"the last sign of life is {age_s:.0f} s old"


def problem_of(kind: str) -> str:
    if kind == "web":
        return web()
    if kind == "loop":
        return too_old([Path(os.environ["RENSHO_LIVENESS"])], LOOP_S)
    if kind == "beat":
        return too_old(sorted(BEAT.parent.glob(f"{BEAT.name}*")), BEAT_S)
    return f"unknown kind {kind!r}"


if __name__ == "__main__":
    problem = problem_of(*sys.argv[1:2] or ["web"])
    if problem:
        sys.exit(problem)
