"""A real site with a populated database: ``manage.py serve`` on loopback, as an installation runs it.

``python -m tests.browser.site FOLDER`` populates a folder if it is new and serves it until interrupted, to
look at the pages. With ``RENSHO_BROWSER_SITE=FOLDER`` the tests copy it, which is quicker than to populate.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tests.migrated import SQLITE
from tests.serving import server_running

REPOSITORY = Path(__file__).resolve().parents[2]
SETTINGS = "tests.browser.settings"


class Site(NamedTuple):
    """A running site."""

    origin: str
    """``http://127.0.0.1:PORT``."""
    folder: Path
    facts: Mapping[str, str]
    """What addresses are made of: public ids by name."""
    people: Mapping[str, str]
    """The session of everybody who may sign in."""

    def url(self, address: str) -> str:
        """The whole address, with the facts that it names in braces."""
        return self.origin + address.format_map(self.facts)


def environment(folder: Path, url: str = "") -> dict[str, str]:
    """Return the environment of the processes of a site. ``url``: its database; empty: SQLite in the
    folder.
    """
    from arena.settings.broker import broker_socket_of
    from arena.settings.rates import DEFAULT_RATES

    inherited = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")
    }
    return {
        **inherited,
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "platform")]),
        "RENSHO_DATA": str(folder / "data"),
        **({"DATABASE_URL": url} if url else {}),
        "REDIS_URL": f"unix://{quote(str(broker_socket_of(folder / 'data')))}?db=0",
        "SECRET_KEY": "of the site that a browser visits",
        "RENSHO_LOG_LEVEL": "ERROR",
        # Its buttons are on the pages; nothing calls it.
        "RENSHO_OIDC_ISSUER": "https://login.example.org",
        "RENSHO_OIDC_CLIENT_ID": "rensho",
        "RENSHO_OIDC_CLIENT_SECRET": "of nobody",
        **{f"RENSHO_RATE_{name.upper()}": "100000000/s" for name in DEFAULT_RATES},
    }


def run(folder: Path, module: str, *values: str, function: str = "main", url: str = "") -> str:
    """Call ``main(*values)`` of a module, or another function, in a process of the site; return its output.

    Raises:
        RuntimeError: it failed; with its last words.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import django; django.setup(); from {module} import {function} as work; work(*{values!r})",
        ],
        env=environment(folder, url),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def populate(folder: Path, database: Path | None = None) -> None:
    """Fill the folder of a site: database, records, static files, and what is in them.

    ``database`` is a file of SQLite that is migrated already.
    """
    (folder / "data").mkdir(mode=0o700)
    if database:
        shutil.copyfile(database, folder / "data" / SQLITE)
    run(folder, "tests.browser.populate", str(folder))


def copy(folder: Path, to: Path) -> None:
    """The same site in another folder, of which nobody has the database open."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("*.sock", "*.rdb", "broker*"))


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """The site of a populated folder, with a queue of its own, until the end of the context."""
    command = [sys.executable, "manage.py", "serve", "--grace-s", "1", "--port"]
    env, data = environment(folder), folder / "data"
    log = folder / "web.log"
    with server_running(lambda port: [*command, f"{port}"], env, data, log, REPOSITORY) as server:
        facts, people = (json.loads((folder / f"{name}.json").read_text()) for name in ("facts", "people"))
        yield Site(f"http://127.0.0.1:{server.port}", folder, facts, people)


def main() -> int:
    """Entry point."""
    from tests.browser.addresses import PAGES

    parser = argparse.ArgumentParser(description="Serve the site that the tests visit; print its addresses.")
    parser.add_argument("folder", type=Path, help="of a populated site; it is populated if it is not there")
    folder = parser.parse_args().folder.resolve()
    if not folder.exists():
        folder.mkdir(parents=True)
        populate(folder)
    with contextlib.suppress(KeyboardInterrupt), serving(folder) as site:
        for row in PAGES:
            print(f"{row.name:30} {site.url(row.address)}", f"as {row.who}" if row.who else "")
        for name, session in site.people.items():
            print(f"{name:30} --session {session}")
        sys.stdout.flush()
        while True:
            time.sleep(60)
    return 0


if __name__ == "__main__":
    sys.path.insert(1, str(REPOSITORY / "platform"))
    sys.exit(main())
