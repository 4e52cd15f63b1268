"""Shapes of the API: addresses under challenges. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import ClockIn

ChallengeInBoardKindEnum: TypeAlias = Literal["deal", "game"]


class ChallengeIn(TypedDict):
    """A challenge to make: one version a side, in the order of the sides."""

    versions: list[str]
    """Ready versions: one's own, or those of public bots. Each plays all seats of its side."""
    preset: str
    boards: NotRequired[int]
    board_kind: NotRequired[ChallengeInBoardKindEnum]
    ruleset: NotRequired[dict[str, bool | int | str | None]]
    """Options that differ from the preset's."""
    clock: NotRequired[ClockIn]
    name: NotRequired[str]
