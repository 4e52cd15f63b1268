"""The bots of the measurement: as many owners, each with a bundle of its own, checked by the workers."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bots
from benchmarks.demo.client import Client, folder_zip
from benchmarks.demo.command import account_client
from benchmarks.demo.road import Entrant, checks_watch, upload
from benchmarks.demo.site import Site

GAME = "kakeya"
KINDS = ("house/kakeya_greedy", "house/kakeya_rules", "template/kakeya", "house/kakeya_random")
"""Who plays: in turn, each with a line of its own, so that no two bundles are alike."""


class Owner(NamedTuple):
    """An account's caller and its ready version."""

    client: Client
    version: str


@contextlib.contextmanager
def owners(site: Site, count: int) -> Iterator[list[Owner]]:
    """So many new accounts, each with a bot that passed its check."""
    with contextlib.ExitStack() as stack:
        pending = []
        for number in range(count):
            client = stack.enter_context(account_client(site.url, f"player{number:02}"))
            entrant = Entrant(client, f"bot{number:02}", GAME, _bundle(number))
            pending.append((client, str(upload(entrant)["id"])))
        for _ in checks_watch(pending, site.look_after):
            pass
        yield [Owner(client, version) for client, version in pending]


def _bundle(number: int) -> bytes:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "bot")
        kind = KINDS[number % len(KINDS)]
        shutil.copytree(Path(bots.__path__[0]) / kind, folder, ignore=shutil.ignore_patterns("__pycache__"))
        with (folder / "main.py").open("a") as source:
            source.write(f"\n# of player {number}\n")
        return folder_zip(folder)
