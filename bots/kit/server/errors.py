"""What can go wrong between the kit and a server.

KitError
├── InputUnusable
│   └── Refused              the server said no; ``http_status`` and ``code`` tell why (status 2)
│       ├── NotLoggedIn      no token, or one it does not take
│       └── SealedYet        closed until the round is over
└── MachineUnable
    └── ServerUnable         no server there, none of ours, or none that can answer now (status 3)
"""

from __future__ import annotations

from bots.kit.errors import InputUnusable, MachineUnable


class Refused(InputUnusable):
    """The server understood and said no."""

    def __init__(self, message: str, http_status: int, code: str) -> None:
        self.http_status = http_status
        self.code = code
        super().__init__(message)


class NotLoggedIn(Refused):
    """The server wants to know who asks."""

    def __init__(self, message: str, http_status: int = 401, code: str = "not_signed_in") -> None:
        super().__init__(message, http_status, code)


class SealedYet(Refused):
    """What was asked for opens when the last table of its round is done."""


class ServerUnable(MachineUnable):
    """No answer that is worth anything; the text says what to look at."""
