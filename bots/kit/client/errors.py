"""What can go wrong between the kit and a server.

KitError
├── InputUnusable
│   └── Refused              the server said no: a problem of its API with all it told (status 2)
│       ├── NotLoggedIn      no token, or one it does not take
│       └── SealedYet        closed until the round is over
└── MachineUnable
    └── ServerUnable         no server there, none of ours, or none that can answer now (status 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bots.kit.errors import InputUnusable, MachineUnable


class Refused(InputUnusable):
    """The server understood and said no. The text is its own, in one line."""

    def __init__(
        self, message: str, http_status: int, code: str, problem: Mapping[str, Any] | None = None
    ) -> None:
        self.http_status = http_status
        self.code = code
        self.problem: dict[str, Any] = dict(problem or {})
        """The whole answer; its further members depend on the code."""
        super().__init__(message)

    @property
    def state(self) -> str:
        """The state the thing is in; empty if the server does not say."""
        return str(self.problem.get("state") or "")

    @property
    def allowed_now(self) -> tuple[str, ...]:
        """What would be allowed now."""
        verbs = self.problem.get("allowed_now")
        return tuple(map(str, verbs)) if isinstance(verbs, list) else ()


class NotLoggedIn(Refused):
    """The server wants to know who asks."""

    def __init__(
        self,
        message: str,
        http_status: int = 401,
        code: str = "not_signed_in",
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, http_status, code, problem)


class SealedYet(Refused):
    """What was asked for opens when the last table of its round is done."""


class ServerUnable(MachineUnable):
    """No answer that is worth anything; the text says what to look at."""

    def __init__(self, message: str, code: str = "") -> None:
        self.code = code
        super().__init__(message)
