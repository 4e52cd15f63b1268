"""Shapes of the API: addresses under bots. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from bots.kit.client.shapes.basic import BotVisibility


class Bot(TypedDict):
    """A bot."""

    id: str
    name: str
    game: str
    owner: str
    visibility: BotVisibility
    active_version: str | None
    created_at: str


class BotChangeIn(TypedDict):
    """What of a bot can be changed."""

    name: NotRequired[str]
    visibility: NotRequired[BotVisibility]


class BotIn(TypedDict):
    """A bot to make."""

    name: str
    game: str
    visibility: NotRequired[BotVisibility]


class VersionIn(TypedDict):
    """An upload."""

    bundle: bytes
    """A .zip, .tar.gz or single .py file with the bot."""
    notes: NotRequired[str]
