"""What can go wrong between the kit and a server.

KitError
├── InvalidInput
│   └── Refused              the server said no: a problem of its API with all it told (status 2)
│       ├── NotLoggedIn      no token, or one it does not take
│       └── StillSealed        closed until the round is over
└── EnvironmentFailure
    └── ServerUnavailable         no server there, none of ours, or none that can answer now (status 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from bots.kit.errors import EnvironmentFailure, InvalidInput

MAX_QUOTED_CHARS = 400


class Refused(InvalidInput):
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


class StillSealed(Refused):
    """What was asked for opens when the last table of its round is done."""


class ServerUnavailable(EnvironmentFailure):
    """No answer that is worth anything; the text says what to look at."""

    def __init__(self, message: str, code: str = "") -> None:
        self.code = code
        super().__init__(message)


def parse_problem(answer: httpx.Response) -> dict[str, Any] | None:
    """The problem an answer tells; None if it is none of ours."""
    try:
        problem = answer.json()
    except (ValueError, RecursionError):
        return None
    return problem if isinstance(problem, dict) and isinstance(problem.get("code"), str) else None


def problem_text(problem: Mapping[str, Any]) -> str:
    """What a problem says, in one line, with what would be allowed now."""
    words = str(problem.get("detail") or problem.get("title") or problem.get("status"))
    errors = problem.get("errors")
    if isinstance(errors, list) and len(errors) > 1:
        wrong = (error for error in errors if isinstance(error, dict))
        words = "; ".join(f"{error.get('field') or 'body'}: {error.get('detail')}" for error in wrong)
    words = " ".join(words.split())
    words = words if len(words) <= MAX_QUOTED_CHARS else f"{words[:MAX_QUOTED_CHARS]}..."
    allowed = problem.get("allowed_now")
    if isinstance(allowed, list):
        words += f" Allowed now: {', '.join(map(str, allowed)) or 'nothing'}."
    return words
