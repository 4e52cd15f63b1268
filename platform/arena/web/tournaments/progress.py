"""How far tournaments are: counted from what may be seen while boards are sealed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from arena.competition.models import Stage, Tournament
from arena.competition.selectors import RoundCounts, round_counts, rounds_planned, stages_by_tournament
from arena.matches.fixture_selectors import OpenBoards, open_boards
from arena.web.base.wording import join_facts

BAR_STEPS = 1000
"""Steps of a progress bar."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a tournament stands between its first board and its last."""

    stage: int
    """Number of the stage being played, or of the last one."""
    stages: int
    round: int
    """Number of the open round, or of the last one closed; 0 before the first."""
    rounds: int | None
    """Rounds the stage will have, where that is known."""
    closed: int
    """Rounds of the stage closed."""
    boards_done: int
    """In the open round, over all tables; void tables left out."""
    boards: int
    playing: int
    """Tables being played."""

    @property
    def text(self) -> str:
        """In words: ``Round 2 of 3``."""
        if not self.round:
            return _("No round opened yet")
        values = {"round": self.round, "rounds": self.rounds, "stage": self.stage, "stages": self.stages}
        match self.stages > 1, bool(self.rounds):
            case True, True:
                text = _("Stage %(stage)d of %(stages)d, round %(round)d of %(rounds)d")
            case True, False:
                text = _("Stage %(stage)d of %(stages)d, round %(round)d")
            case False, True:
                text = _("Round %(round)d of %(rounds)d")
            case _:
                text = _("Round %(round)d")
        return text % values

    @property
    def parts(self) -> int:
        """How much of the stage is played, in ``BAR_STEPS``; of the open round if no more is known."""
        share = self.boards_done / self.boards if self.boards else 0.0
        if self.rounds:
            share = min(1.0, (self.closed + share) / self.rounds)
        return int(BAR_STEPS * share)

    @property
    def share(self) -> str:
        """The same in words: ``47 % of the event``."""
        values = {"percent": 100 * self.parts // BAR_STEPS, "stage": self.stage}
        if not self.rounds:
            return _("%(percent)d %% of the round") % values
        if self.stages > 1:
            return _("%(percent)d %% of stage %(stage)d") % values
        return _("%(percent)d %% of the event") % values

    @property
    def label(self) -> str:
        """What the bar is called: where the tournament stands, and how much of what is played."""
        return join_facts([self.text, self.share])


def progress_by_tournament(tournaments: list[Tournament], entries: dict[int, int]) -> dict[int, Progress]:
    """Progress by key of the tournament. Three queries for all of them together."""
    stages = stages_by_tournament(tournaments)
    begun = round_counts(tournaments)
    boards = open_boards(tournaments)
    by_tournament = {}
    for tournament in tournaments:
        table = boards.get(tournament.pk, OpenBoards(0, 0, 0))
        progress = stage_progress(stages.get(tournament.pk, []), begun, entries.get(tournament.pk, 0), table)
        if progress is not None:
            by_tournament[tournament.pk] = progress
    return by_tournament


def stage_progress(
    stages: Sequence[Stage], begun: Mapping[int, RoundCounts], entries: int, boards: OpenBoards
) -> Progress | None:
    """Of the tournament of these stages, so many entries and open boards; None without a stage. No query."""
    current = ([stage for stage in stages if stage.pk in begun] or list(stages[:1]))[-1:]
    if not current:
        return None
    played = begun.get(current[0].pk, RoundCounts(0, 0))
    return Progress(
        stage=current[0].number,
        stages=len(stages),
        round=played.last,
        rounds=rounds_planned(current[0], entries),
        closed=played.closed,
        boards_done=boards.done,
        boards=boards.all,
        playing=boards.playing,
    )
