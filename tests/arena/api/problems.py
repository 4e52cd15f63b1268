"""Answers of the API: their JSON, and what every refusal looks like."""

from __future__ import annotations

from typing import Any


def check(response: Any, status: int, code: str) -> dict[str, Any]:
    """The body, once it is a problem of this status and code in the agreed shape."""
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json"), (
        response.content
    )
    body: dict[str, Any] = response.json()
    assert {"type", "title", "status", "detail", "code"} <= set(body)
    assert (body["status"], body["code"], body["type"]) == (status, code, f"/docs/problems#{code}")
    assert body["detail"]
    return body


def ok(response: Any, status: int = 200) -> Any:
    """The answer's JSON, its status being as expected."""
    assert response.status_code == status, response.content
    return response.json() if response.content else None
