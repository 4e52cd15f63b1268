"""Commands that talk to a server: login, logout, submit, standings, watch, logs, faults."""

from __future__ import annotations

from bots.kit.register import Commands
from bots.kit.server import faults, login, logs, standings, submit, watch

MODULES = (login, submit, standings, watch, logs, faults)


def register(commands: Commands) -> None:
    """Add every command that talks to a server."""
    for module in MODULES:
        module.register(commands)
