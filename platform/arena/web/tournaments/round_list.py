"""The rounds of an event to choose from: all of few, the first and the newest of many."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby

from arena.matches.fixture_selectors import RoundKey

MAX_UNCUT_LINKS = 20
"""Links to this many rounds of a stage fit side by side."""
NEWEST_LINKS = 8
"""Of more, so many are linked besides the first; a number leads to the others."""


@dataclasses.dataclass(frozen=True)
class StageRounds:
    """The rounds of one stage."""

    stage: int
    first: int
    last: int
    links: tuple[RoundKey, ...]
    """In order."""
    is_cut: bool
    """Whether some are left out of ``links``."""


def round_links(rounds: Sequence[RoundKey]) -> list[StageRounds]:
    """By stage, the first one first; ``rounds`` are the newest first."""
    stage_rounds = []
    for stage, of_stage in groupby(reversed(rounds), key=lambda played: played.stage):
        links = tuple(of_stage)
        is_cut = len(links) > MAX_UNCUT_LINKS
        visible = (links[0], *links[-NEWEST_LINKS:]) if is_cut else links
        stage_rounds.append(StageRounds(stage, links[0].number, links[-1].number, visible, is_cut))
    return stage_rounds
