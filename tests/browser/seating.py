"""The service that runs tables of persons, in a process of the site, with the house's bots in it."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

from tests.browser.site import REPOSITORY, Site, environment

READY = "ready"
PLACES = "60"
"""Tables that tests have left keep their places for a minute."""


def main() -> None:
    """Serve until SIGTERM; says when it has begun."""
    from arena.features.play.runner.kind import CASUAL
    from arena.tables.live.service import Service
    from tests.arena.features.play.casual_tables import in_process
    from tests.arena.features.play.tables import house

    house()
    service = Service([CASUAL], in_process)
    signal.signal(signal.SIGTERM, lambda *_: service.stop())
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    service.run()


@contextlib.contextmanager
def seated(site: Site) -> Iterator[None]:
    """The service of a site, until the end of the context."""
    program = "import django; django.setup(); from tests.browser.seating import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**environment(site.folder), "RENSHO_PLAY_TABLES": PLACES},
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == READY, "the service did not start"
        yield
    finally:
        process.terminate()
        process.wait(30)
