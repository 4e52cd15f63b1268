"""Settings of the processes of a chaos test: short leases and ticks, so that minutes show much.

CHAOS_BOOT_ID   boot id of the host, as if it were a machine with its own kernel
CHAOS_RELEASE   release number of the process
"""

import importlib.metadata
import os
from pathlib import Path

from arena.jobs import identity
from arena.settings.base import *  # noqa: F403
from arena.settings.base import CELERY_BEAT_SCHEDULE
from tests.chaos.plan import LEASE_S

TABLE_LEASE_S = LEASE_S
TABLE_HEARTBEAT_INTERVAL_S = 1
TABLE_MESSAGE_TTL_S = 10
TABLE_ATTEMPTS_MAX = 50
"""With three, some tables of thousands would be quarantined by chance."""
TABLE_BACKOFF_S = ((0.5, 1.0), (1.0, 2.0), (2.0, 4.0))
CHECK_DEADLINE_S = 60
CELERY_BEAT_SCHEDULE["tick"] |= {"schedule": 2.0, "options": {"expires": 4}}
CELERY_BEAT_SCHEDULE["blobs"] |= {"schedule": 60.0, "options": {"expires": 30}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if boot_id := os.environ.get("CHAOS_BOOT_ID"):
    identity.BOOT_ID = Path(boot_id)
_release = os.environ.get("CHAOS_RELEASE", "")
_version = importlib.metadata.version


def _version_of(distribution_name: str) -> str:
    return _release if _release and distribution_name == "rensho" else _version(distribution_name)


importlib.metadata.version = _version_of
