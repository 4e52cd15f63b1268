"""Links to the rounds of a tournament: all, or the first and the newest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby

from arena.matches.fixture_selectors import RoundKey

MAX_UNCUT_LINKS = 20
"""Maximum rounds of a stage that are all linked."""
NEWEST_LINKS = 8
"""Newest rounds linked of a longer stage, besides the first; a form leads to the others."""


@dataclasses.dataclass(frozen=True)
class StageRounds:
    stage: int
    first: int
    last: int
    links: tuple[RoundKey, ...]
    """Ascending."""
    is_cut: bool
    """Whether ``links`` are incomplete."""


def round_links(rounds: Sequence[RoundKey]) -> list[StageRounds]:
    """Return the links by stage, first stage first; ``rounds`` are newest first."""
    stage_rounds = []
    for stage, of_stage in groupby(reversed(rounds), key=lambda played: played.stage):
        links = tuple(of_stage)
        is_cut = len(links) > MAX_UNCUT_LINKS
        visible = (links[0], *links[-NEWEST_LINKS:]) if is_cut else links
        stage_rounds.append(StageRounds(stage, links[0].number, links[-1].number, visible, is_cut))
    return stage_rounds
