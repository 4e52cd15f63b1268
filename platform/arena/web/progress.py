"""How far tournaments are: counted from what may be seen while boards are sealed."""

from __future__ import annotations

import dataclasses

from django.utils.translation import gettext as _

from arena.competition.models import Round, Tournament
from arena.competition.selectors import rounds_by_stage, rounds_planned, stages_by_tournament
from arena.matches.fixture_selectors import OpenBoards, open_boards

PARTS = 1000
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
        """How much of the stage is played, in parts of ``PARTS``; of the open round if no more is known."""
        share = self.boards_done / self.boards if self.boards else 0.0
        if self.rounds:
            share = min(1.0, (self.closed + share) / self.rounds)
        return int(PARTS * share)


def progress_of(tournaments: list[Tournament], entries: dict[int, int]) -> dict[int, Progress]:
    """Progress by key of the tournament. Three queries for all of them together."""
    stages = stages_by_tournament(tournaments)
    rounds = rounds_by_stage(tournaments)
    boards = open_boards(tournaments)
    found = {}
    for tournament in tournaments:
        own = stages.get(tournament.pk, [])
        begun = [stage for stage in own if rounds.get(stage.pk)] or own[:1]
        if not begun:
            continue
        played = rounds.get(begun[-1].pk, [])
        table = boards.get(tournament.pk, OpenBoards(0, 0, 0))
        found[tournament.pk] = Progress(
            stage=begun[-1].number,
            stages=len(own),
            round=played[-1].number if played else 0,
            rounds=rounds_planned(begun[-1], entries.get(tournament.pk, 0)),
            closed=sum(round_.state == Round.State.CLOSED for round_ in played),
            boards_done=table.done,
            boards=table.all,
            playing=table.playing,
        )
    return found
