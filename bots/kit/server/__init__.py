"""Commands that talk to a server: from login to pull."""

from __future__ import annotations

from bots.kit.register import Commands
from bots.kit.server import (
    challenge,
    entries,
    export,
    faults,
    login,
    logs,
    pull,
    standings,
    submit,
    tournaments,
    watch,
)

MODULES = (login, submit, challenge, tournaments, entries, standings, watch, export, pull, logs, faults)


def register(commands: Commands) -> None:
    """Add every command that talks to a server."""
    for module in MODULES:
        module.register(commands)
