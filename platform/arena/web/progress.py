"""How far tournaments are: counted from what may be seen while boards are sealed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from django.db.models import Count, Q, Sum

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.selectors import rounds_planned
from arena.matches.models import BoardSet, Table

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
            return "No round opened yet"
        stage = f"Stage {self.stage} of {self.stages}, round" if self.stages > 1 else "Round"
        return f"{stage} {self.round} of {self.rounds}" if self.rounds else f"{stage} {self.round}"

    @property
    def parts(self) -> int:
        """How much of the stage is played, in parts of ``PARTS``; of the open round if no more is known."""
        share = self.boards_done / self.boards if self.boards else 0.0
        if self.rounds:
            share = min(1.0, (self.closed + share) / self.rounds)
        return int(PARTS * share)


def entry_counts(tournaments: Iterable[Tournament]) -> dict[int, int]:
    """Entries by key of the tournament. One query."""
    rows = (
        Entry.objects.filter(tournament__in=list(tournaments), status=Entry.Status.ENTERED)
        .values("tournament")
        .annotate(count=Count("pk"))
    )
    return {row["tournament"]: row["count"] for row in rows.order_by()}


def progress_of(tournaments: list[Tournament], entries: dict[int, int]) -> dict[int, Progress]:
    """Progress by key of the tournament. Three queries for all of them together."""
    stages: dict[int, list[Stage]] = {}
    for stage in (
        Stage.objects.filter(tournament__in=tournaments).select_related("tournament").order_by("number")
    ):
        stages.setdefault(stage.tournament_id, []).append(stage)
    rounds: dict[int, list[Round]] = {}
    for one in Round.objects.filter(stage__tournament__in=tournaments).order_by("number"):
        rounds.setdefault(one.stage_id, []).append(one)
    tables = {
        row["fixture__board_set__round__stage__tournament"]: row
        for row in Table.objects.filter(
            fixture__board_set__state=BoardSet.State.OPEN,
            fixture__board_set__round__stage__tournament__in=tournaments,
        )
        .exclude(state=Table.State.VOID)
        .values("fixture__board_set__round__stage__tournament")
        .annotate(
            done=Sum("boards_done"),
            all=Sum("board_count"),
            playing=Count("pk", filter=Q(state=Table.State.LEASED)),
        )
        .order_by()
    }
    found = {}
    for tournament in tournaments:
        own = stages.get(tournament.pk, [])
        begun = [stage for stage in own if rounds.get(stage.pk)] or own[:1]
        if not begun:
            continue
        played = rounds.get(begun[-1].pk, [])
        table = tables.get(tournament.pk)
        found[tournament.pk] = Progress(
            stage=begun[-1].number,
            stages=len(own),
            round=played[-1].number if played else 0,
            rounds=rounds_planned(begun[-1], entries.get(tournament.pk, 0)),
            closed=sum(one.state == Round.State.CLOSED for one in played),
            boards_done=table["done"] or 0 if table else 0,
            boards=table["all"] or 0 if table else 0,
            playing=table["playing"] if table else 0,
        )
    return found
