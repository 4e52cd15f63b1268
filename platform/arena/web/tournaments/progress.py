"""Progress of tournaments, from data that is public while boards are sealed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from arena.competition.models import Stage, Tournament
from arena.competition.selectors import RoundCounts, round_counts, rounds_planned, stages_by_tournament
from arena.matches.fixture_selectors import OpenBoards, open_boards
from arena.web.base.wording import join_facts

BAR_STEPS = 1000


@dataclasses.dataclass(frozen=True)
class Progress:
    stage: int
    stages: int
    round: int
    """Number of the open round, else of the last closed one; 0 before the first."""
    rounds: int | None
    """Planned rounds of the stage; None if unknown."""
    closed: int
    boards_done: int
    """Boards played at all tables of the open round, without void tables."""
    boards: int
    playing: int

    @property
    def text(self) -> str:
        """Text such as ``Round 2 of 3``."""
        if not self.round:
            return _("No round has opened yet")
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
        """Progress of the stage in ``BAR_STEPS``; of the open round if the number of rounds is unknown."""
        share = self.boards_done / self.boards if self.boards else 0.0
        if self.rounds:
            share = min(1.0, (self.closed + share) / self.rounds)
        return int(BAR_STEPS * share)

    @property
    def share(self) -> str:
        """The same as text: ``47% of the tournament``."""
        values = {"percent": 100 * self.parts // BAR_STEPS, "stage": self.stage}
        if not self.rounds:
            return _("%(percent)d%% of the round") % values
        if self.stages > 1:
            return _("%(percent)d%% of stage %(stage)d") % values
        return _("%(percent)d%% of the tournament") % values

    @property
    def label(self) -> str:
        return join_facts([self.text, self.share])


def remaining_minutes(progress: Progress, mean_cpu_ms: float | None, at_once: int | None) -> int | None:
    """Return the minutes until the stage is expected to end, at least 1; None if unknown.

    ``mean_cpu_ms`` is for all seats and one board, ``at_once`` the number of tables played at a time. Later
    rounds are assumed to be as large as the open one.
    """
    if not (progress.boards and progress.rounds and mean_cpu_ms and at_once):
        return None
    boards = progress.boards - progress.boards_done + (progress.rounds - progress.round) * progress.boards
    return max(1, round(boards * mean_cpu_ms / at_once / 60_000))


def progress_by_tournament(tournaments: list[Tournament], entries: dict[int, int]) -> dict[int, Progress]:
    """Return the progress by tournament key. Three queries in total."""
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
    """Return the progress of a tournament's current stage; None without stages. No query."""
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
