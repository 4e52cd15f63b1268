"""Other rows of a used database: versions that may not enter, notices, workers, groups of faults."""

from __future__ import annotations

import datetime

from arena.matches.faults import faults_rebuild
from arena.matches.models import Worker
from arena.roster.models import BotVersion
from arena.roster.services import version_rejected_create, version_retire, version_suspend
from benchmarks.seeding.bundles import STYLES, program
from benchmarks.seeding.people import RUNTIME_DIGEST, SeededPeople

WORKERS = 3
OUT_OF_PLAY = 2
"""Versions of each kind that may not enter, per game."""
FORFEITED = "it forfeited 3 of its last 10 tables"
UNREADABLE = {"code": "bundle_too_deep", "message": "a folder lies deeper than 4 levels"}


def workers_make(seed: int, until: datetime.datetime) -> None:
    Worker.objects.bulk_create(
        Worker(
            name=f"seed{seed}-worker-{number}",
            heartbeat_at=until - datetime.timedelta(hours=number),
            sandbox_level="FULL1",
            runtimes={"python/1": RUNTIME_DIGEST},
            capacity=2,
        )
        for number in range(1, WORKERS + 1)
    )


def out_of_play_make(cast: SeededPeople) -> None:
    """Suspend and retire some versions, and reject some uploads, with notices to their owners.

    The versions are from the end of the list: events take entries from its beginning.
    """
    for versions in cast.versions.values():
        last = [version for version in reversed(versions) if version.number > 1][: 2 * OUT_OF_PLAY]
        for index, version in enumerate(last):
            version.refresh_from_db()
            owner = version.bot.owner.user
            if index % 2:
                version_retire(version, owner)
            else:
                version_suspend(version, FORFEITED)
        for version in versions[:OUT_OF_PLAY]:
            owner = version.bot.owner.user
            version_rejected_create(version.bot, reasons=[UNREADABLE], notes="", actor=owner)


def faults_group(cast: SeededPeople) -> None:
    brittle = {bundle.sha256 for bundle in (program(STYLES[-1], 1), program(STYLES[-1], 2))}
    for versions in cast.versions.values():
        for version in versions:
            if version.bundle_sha256 in brittle and version.state == BotVersion.State.READY:
                faults_rebuild(version)
