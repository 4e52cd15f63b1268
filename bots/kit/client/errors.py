"""Errors of requests to a server.

KitError
├── InvalidInput
│   └── Refused                the server rejected the request (status 2)
│       ├── NotLoggedIn        the token is missing or invalid
│       └── StillSealed        the data is sealed until its round is over
└── EnvironmentFailure
    └── ServerUnavailable      no server, or one that cannot answer now (status 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from bots.kit.errors import EnvironmentFailure, InvalidInput

MAX_QUOTED_CHARS = 400


class Refused(InvalidInput):
    """The server rejected the request. The message is the server's own, in one line."""

    def __init__(
        self, message: str, http_status: int, code: str, problem: Mapping[str, Any] | None = None
    ) -> None:
        self.http_status = http_status
        self.code = code
        self.problem: dict[str, Any] = dict(problem or {})
        """The problem document of the answer. Further members depend on ``code``."""
        super().__init__(message)

    @property
    def state(self) -> str:
        """Current state of the resource, or empty."""
        return str(self.problem.get("state") or "")

    @property
    def allowed_actions(self) -> tuple[str, ...]:
        """Actions that are allowed in the current state."""
        verbs = self.problem.get("allowed_actions")
        return tuple(map(str, verbs)) if isinstance(verbs, list) else ()


class NotLoggedIn(Refused):
    def __init__(
        self,
        message: str,
        http_status: int = 401,
        code: str = "not_signed_in",
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, http_status, code, problem)


class StillSealed(Refused):
    """The requested data is sealed until the last table of its round is finished."""


class ServerUnavailable(EnvironmentFailure):
    """The server gave no usable answer. The message names the remedy."""

    def __init__(self, message: str, code: str = "") -> None:
        self.code = code
        super().__init__(message)


def parse_problem(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        problem = answer.json()
    except (ValueError, RecursionError):
        return None
    return problem if isinstance(problem, dict) and isinstance(problem.get("code"), str) else None


def problem_text(problem: Mapping[str, Any]) -> str:
    """Return the message of a problem document in one line, with the actions that are allowed."""
    text = str(problem.get("detail") or problem.get("title") or problem.get("status"))
    errors = problem.get("errors")
    if isinstance(errors, list) and len(errors) > 1:
        field_errors = (error for error in errors if isinstance(error, dict))
        text = "; ".join(f"{error.get('field') or 'body'}: {error.get('detail')}" for error in field_errors)
    text = " ".join(text.split())
    text = text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}..."
    allowed = problem.get("allowed_actions")
    if isinstance(allowed, list):
        text += f" Allowed now: {', '.join(map(str, allowed)) or 'nothing'}."
    return text
