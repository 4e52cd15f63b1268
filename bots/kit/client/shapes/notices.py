"""Shapes of the API: addresses under notices. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

NoticeKind: TypeAlias = Literal[
    "suspended",
    "reinstated",
    "still_suspended",
    "ready",
    "rejected",
    "partner_asked",
    "partner_answered",
    "invited",
    "entry_ended",
    "entry_stands",
    "event",
    "webhook",
    "series",
]


class Notice(TypedDict):
    """Something the account is told."""

    id: str
    kind: NoticeKind
    text: str
    url_path: str
    url: str
    """The page to read on; empty if there is none."""
    created_at: str
    read_at: str | None
