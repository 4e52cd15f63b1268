"""Selectors of experiments: lists by owner, single experiments with evidence, boards with large scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Q, QuerySet

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import NotFound, quoted
from arena.common.ids import is_public_id
from arena.competition.games import preset_options
from arena.features.experiments.batches import BASELINE, CANDIDATE
from arena.features.experiments.evidence import BoardEvidence, StoppedTest, estimate_of, evidence_path
from arena.features.experiments.models import Batch, Experiment, Opponent
from arena.matches.models import BoardSet, Table, TableSeat
from arena.roster.models import BotVersion
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore

__all__ = [
    "ExperimentData",
    "SwingBoard",
    "experiment_data",
    "experiment_get",
    "experiments_live",
    "experiments_of",
    "experiments_to_advance",
    "experiments_visible_to",
    "experiments_with_versions",
    "swing_boards",
]
MAX_SWING_BOARDS = 5


class ExperimentData(NamedTuple):
    experiment: Experiment
    opponents: tuple[BotVersion, ...]
    """The field, or house greedy for the other sides; bot and owner fetched."""
    batches: tuple[Batch, ...]
    """All batches in order, including void ones."""
    estimate: StoppedTest
    path: tuple[BoardEvidence, ...]
    progress: BatchProgress | None
    tables: int


class BatchProgress(NamedTuple):
    batch: Batch
    done: int
    tables: int


class SwingBoard(NamedTuple):
    step: BoardEvidence
    board_set: str
    results: tuple[Fraction, ...]
    """Stones of the candidate at each table of the rotation; with a field or more sides, both mean scores."""


def experiments_visible_to(viewer: Viewer) -> QuerySet[Experiment]:
    """Return the viewer's experiments, newest first (staff: all), with owner, versions and bots fetched."""
    rows = Experiment.objects.select_related(
        "owner", "candidate__bot__owner", "baseline__bot__owner"
    ).order_by("-pk")
    if is_staff(viewer):
        return rows
    return rows.filter(owner=viewer) if isinstance(viewer, User) else rows.none()


def experiments_of(user: User) -> QuerySet[Experiment]:
    return experiments_visible_to(user).filter(owner=user)


def experiments_live(user: User, most: int) -> list[Experiment]:
    """Return up to ``most`` queued or running experiments of an account, newest first. One query."""
    return list(experiments_of(user).filter(state__in=Experiment.LIVE)[:most])


def experiments_with_versions(versions: QuerySet[BotVersion]) -> QuerySet[Experiment]:
    """Return all experiments, of any owner, that involve one of these versions."""
    opposed = Opponent.objects.filter(version__in=versions).values("experiment")
    named = Q(candidate__in=versions) | Q(baseline__in=versions) | Q(pk__in=opposed)
    return Experiment.objects.filter(named)


def experiment_get(public_id: str, viewer: Viewer) -> Experiment:
    """Return an experiment by public id. Raises NotFound if the viewer may not see it."""
    rows = experiments_visible_to(viewer).filter(public_id=public_id)
    experiment = rows.first() if is_public_id(public_id) else None
    if experiment is None:
        raise NotFound(f"No experiment {quoted(public_id)} that you may see.", "experiment_not_found")
    return experiment


def experiments_to_advance() -> list[tuple[int, str]]:
    """Return keys and public ids of live experiments, and of ended ones with a playing batch; oldest
    first.
    """
    in_vain = Batch.objects.filter(state=Batch.State.PLAYING).values("experiment")
    rows = Experiment.objects.filter(state__in=Experiment.LIVE) | Experiment.objects.filter(pk__in=in_vain)
    return list(rows.order_by("pk").values_list("pk", "public_id"))


def experiment_data(experiment: Experiment) -> ExperimentData:
    """Collect the data of an experiment's page. Three queries, two more while a batch is played."""
    rows = experiment.opponents.select_related("version__bot__owner").order_by("number")
    batches = list(experiment.batches.select_related("tournament").order_by("number"))
    counted = [batch for batch in batches if batch.state == Batch.State.COUNTED]
    playing = next((batch for batch in batches if batch.state == Batch.State.PLAYING), None)
    return ExperimentData(
        experiment,
        tuple(row.version for row in rows),
        tuple(batches),
        estimate_of(experiment, counted),
        tuple(evidence_path(experiment, counted)),
        _progress(playing) if playing is not None and experiment.is_live else None,
        Table.objects.filter(
            tournament__experiment_batch__experiment=experiment, state=Table.State.FINISHED
        ).count(),
    )


def _progress(batch: Batch) -> BatchProgress:
    tables = batch.tournament.tables.order_by()
    done = tables.filter(state=Table.State.FINISHED).count()
    return BatchProgress(batch, done, tables.count())


def swing_boards(experiment: Experiment, path: Sequence[BoardEvidence]) -> list[SwingBoard]:
    """Return the boards with the largest absolute scores; ties in board order. Three queries."""
    first = sorted((step for step in path if step.score), key=lambda step: (-abs(step.score), step.number))
    steps = first[:MAX_SWING_BOARDS]
    if not steps:
        return []
    tournaments = {step.batch.tournament_id for step in steps}
    sets = dict(
        BoardSet.objects.filter(round__stage__tournament__in=tournaments).values_list(
            "round__stage__tournament", "public_id"
        )
    )
    results = _by_rotation(steps) if experiment.sides == 2 and not experiment.is_field else _by_version(steps)
    return [
        SwingBoard(
            step, sets[step.batch.tournament_id], results.get((step.batch.tournament_id, step.board), ())
        )
        for step in steps
    ]


Results = dict[tuple[int, int], tuple[Fraction, ...]]
"""Stones or scores by (tournament key, board)."""


def _by_rotation(steps: Sequence[BoardEvidence]) -> Results:
    tournaments = {step.batch.tournament_id for step in steps}
    seats = TableSeat.objects.filter(table__tournament__in=tournaments, entry__seed=CANDIDATE)
    of_table: dict[int, int] = {}
    for table, seat in seats.order_by("-seat").values_list("table_id", "seat"):
        of_table[table] = seat
    boards = {step.board for step in steps}
    results: Results = {}
    for played in Table.objects.filter(pk__in=of_table).order_by("rotation"):
        for result in played.results:
            if result.seat == of_table[played.pk] and result.board in boards:
                key = (played.tournament_id, result.board)
                results[key] = (*results.get(key, ()), Fraction(result.stones))
    return results


def _by_version(steps: Sequence[BoardEvidence]) -> Results:
    boards = {step.board for step in steps}
    rows = FixtureScore.objects.filter(
        fixture__tournament__in={step.batch.tournament_id for step in steps},
        entry__seed__in=(CANDIDATE, BASELINE),
    )
    scores: dict[tuple[int, int], dict[int, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    columns = ("fixture__tournament_id", "entry__seed", "board_values")
    for tournament, seed, text in rows.order_by("pk").values_list(*columns):
        for board, value in parse_values(text).items():
            if board in boards:
                scores[tournament, board][seed].append(value)
    return {
        board_key: tuple(sum(of[seed], Fraction()) / len(of[seed]) for seed in (CANDIDATE, BASELINE))
        for board_key, of in scores.items()
    }


def options_changed(experiment: Experiment) -> dict[str, object]:
    usual = preset_options(experiment.preset)
    return {name: value for name, value in experiment.ruleset.items() if usual.get(name) != value}
