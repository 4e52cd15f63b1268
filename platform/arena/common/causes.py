"""Codes of the reasons of tables and checks: the failed component, or the resource they wait for."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Cause(models.TextChoices):
    """The platform fault that ended an attempt, with the values of ``referee.contract.FaultCause``."""

    DISK = "disk", _("the file system is full, read-only or broken")
    RESOURCES = "resources", _("the machine has run out of file handles, processes or memory")
    SANDBOX = "sandbox", _("the machine cannot isolate bots")
    RUNTIME = "runtime", _("the machine cannot run the runtime of the bot")
    STORE = "store", _("the blob storage cannot be read")
    DATABASE = "database", _("the database did not answer")
    BROKER = "broker", _("the queue did not answer")
    DRIVER = "driver", _("the sandbox of one bot failed, while others on the machine work")
    KILLED = "killed", _("a process outside the sandbox killed a bot")
    BUNDLE = "bundle", _("a bot's bundle is missing or damaged")
    REPORT = "report", _("the report does not match the table")
    WORKER_LOST = "worker_lost", _("the worker's process ended")
    HEARTBEAT_LOST = "heartbeat_lost", _("no heartbeat of the worker within the lease")
    NO_PROGRESS = "no_progress", _("no progress within the wall-clock limit")
    NOT_TAKEN = "not_taken", _("no worker claimed it in time")
    INTERNAL = "internal", _("another fault, such as a bug of the platform")


RELEASE = "release"
"""Why a worker takes no tables: newer releases wrote them."""
WORKER_CAUSES = [*Cause.choices, (RELEASE, _("its release is too old for the tables that are waiting"))]


class WaitingFor(models.TextChoices):
    """Resource that a waiting table or check lacks."""

    RUNTIME = "runtime_unavailable", "a live worker with the runtimes"
    BOARDS = "boards_in_play", "the end of a table of the same boards and entrants"


def coded_reason(code: str, reason: str) -> str:
    return f"{code}: {reason}" if code else reason


MACHINE_CAUSES = frozenset(
    {
        Cause.DISK,
        Cause.RESOURCES,
        Cause.SANDBOX,
        Cause.RUNTIME,
        Cause.STORE,
        Cause.DATABASE,
        Cause.BROKER,
    }
)
"""Faults of the worker's machine, which do not count as an attempt of the table or check."""
WORKER_LOSS_CAUSES = frozenset({Cause.WORKER_LOST, Cause.HEARTBEAT_LOST})
"""Faults that end all tables of a worker at once."""
BOT_CAUSES = frozenset({Cause.BUNDLE})
"""Faults specific to one bot: they never indicate a broken machine, however many tables they end."""
