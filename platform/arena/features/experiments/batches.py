"""Batches: the boards of an experiment as small tournaments, and the test scores computed from them.

Entries are seeded: the candidate, the baseline, then the opponents. Without a field, candidate and baseline
meet in one fixture, with copies of house greedy on further sides. With a field, each of the two meets every
opponent (or group of neighbours) in its own fixture on the same boards. The circular order changes with each
batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import AuditEvent
from arena.common.errors import Conflict
from arena.common.notes import Note, reason_clause
from arena.competition.entries.admission import require_ready
from arena.competition.models import Entry, Tournament
from arena.competition.small_events import background_event_start
from arena.features.experiments.models import Batch, Experiment
from arena.matches.models import Fixture
from arena.roster.models import Bot, BotVersion
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore
from league.experiments import field_scores
from league.rotation import circular_orders

CANDIDATE, BASELINE, FIRST_OPPONENT = 1, 2, 3
"""Seeds."""


class BatchOutcome(NamedTuple):
    scores: tuple[Fraction, ...]
    """One score per board, in board order; empty if the batch is void."""
    note: Note = {}
    has_left: bool = False
    """Whether the owner of a version withdrew it; ``note`` names the version's role."""
    is_cancelled: bool = False


def house_greedy(game: str) -> BotVersion | None:
    """Return the active house greedy version, or None. It fills the other sides of tables."""
    bots = Bot.objects.filter(owner__user__username=HOUSE_USERNAME, game=game, active_version__isnull=False)
    bot = bots.select_related("active_version__bot__owner").order_by("pk").first()
    return bot.active_version if bot is not None else None


def batch_fixtures(sides: int, opponents: int, turn: int, *, is_field: bool) -> list[tuple[int, ...]]:
    """Return the fixtures of a batch as tuples of seeds; ``turn`` counts batches from 0.

    >>> batch_fixtures(2, 0, 0, is_field=False), batch_fixtures(2, 2, 0, is_field=True)
    ([(1, 2)], [(1, 3), (2, 3), (1, 4), (2, 4)])
    >>> batch_fixtures(3, 1, 1, is_field=False), batch_fixtures(3, 2, 0, is_field=True)
    ([(1, 3, 2)], [(1, 3, 4), (2, 3, 4)])
    """
    orders = circular_orders(sides)
    order = orders[turn % len(orders)]
    if not is_field:
        other_seeds = range(FIRST_OPPONENT, FIRST_OPPONENT + sides - 2)
        met = [(CANDIDATE, BASELINE, *other_seeds)]
    else:
        met = [
            (who, *(FIRST_OPPONENT + index for index in group))
            for group in opponent_groups(opponents, sides - 1)
            for who in (CANDIDATE, BASELINE)
        ]
    return [tuple(fixture[index] for index in order) for fixture in met]


def opponent_groups(opponents: int, size: int) -> list[tuple[int, ...]]:
    if opponents == size:
        return [tuple(range(size))]
    return [tuple((first + step) % opponents for step in range(size)) for first in range(opponents)]


def batch_versions(experiment: Experiment) -> list[BotVersion]:
    """Return the versions of a batch in seed order, with bot and owner fetched. One query."""
    rows = experiment.opponents.select_related("version__bot__owner").order_by("number")
    opponents = [row.version for row in rows]
    if not experiment.is_field:
        opponents = opponents * (experiment.sides - 2)
    return [experiment.candidate, experiment.baseline, *opponents]


def batch_make(experiment: Experiment, *, number: int, turn: int, boards: int) -> Batch:
    """Create the next batch with a started tournament, inside a transaction; its round opens later.

    Raises Conflict (``not_ready`` or ``version_suspended``).
    """
    versions = batch_versions(experiment)
    fixtures = batch_fixtures(experiment.sides, len(versions) - 2, turn, is_field=experiment.is_field)
    tournament = background_event_start(
        Tournament.Kind.EXPERIMENT,
        experiment.owner,
        [[version] for version in versions],
        fixtures,
        # No names of bots, because stored names could not be deleted.
        name=f"Experiment {experiment.public_id}, batch {number}",
        preset=experiment.preset,
        boards=boards,
        board_kind=experiment.board_kind,
        ruleset=experiment.ruleset,
        clock=experiment.clock,
    )
    return Batch.objects.create(experiment=experiment, number=number, tournament=tournament, boards=boards)


def outcome_of(batch: Batch) -> BatchOutcome | None:
    """Return the outcome of a batch, or None while it is played or audited and rulings may change it."""
    tournament = batch.tournament
    left = tournament.entries.filter(status=Entry.Status.LEFT).first()
    if left is not None:
        return BatchOutcome((), {"code": "taken_out", "who": role_of(left.seed or CANDIDATE)}, has_left=True)
    if tournament.state == Tournament.State.CANCELLED:
        by_person = AuditEvent.objects.filter(
            kind="tournament", object_id=tournament.public_id, action="cancel", actor__isnull=False
        )
        note = {"code": "it_was_cancelled", "because": reason_clause(tournament.state_note)}
        return BatchOutcome((), note, is_cancelled=by_person.exists())
    if tournament.state not in (Tournament.State.FINAL, Tournament.State.ARCHIVED):
        return None
    void = Fixture.objects.filter(tournament=tournament, state=Fixture.State.VOID).first()
    if void is not None:
        return BatchOutcome((), {"code": "fixture_void", "why": void.note})
    return BatchOutcome(tuple(batch_scores(batch)))


def batch_scores(batch: Batch) -> list[Fraction]:
    """Compute the test score of each board of a finished batch from its board scores. Two queries.

    The candidate's score with two sides and without a field, else half of its lead over the baseline.
    """
    experiment, scores = batch.experiment, _scores_by_fixture(batch.tournament)
    boards = range(1, batch.boards + 1)
    if not experiment.is_field:
        (met,) = scores.values()
        if experiment.sides == 2:
            return [met[CANDIDATE][board] for board in boards]
        return [(met[CANDIDATE][board] - met[BASELINE][board]) / 2 for board in boards]
    sides: dict[int, dict[str, list[Fraction]]] = {CANDIDATE: {}, BASELINE: {}}
    for fixture in scores.values():
        who = CANDIDATE if CANDIDATE in fixture else BASELINE
        opponents = ",".join(str(seed) for seed in sorted(fixture) if seed != who)
        sides[who][opponents] = [fixture[who][board] for board in boards]
    return field_scores(sides[CANDIDATE], sides[BASELINE])


def _scores_by_fixture(tournament: Tournament) -> Mapping[int, Mapping[int, Mapping[int, Fraction]]]:
    """Return board scores by fixture key, entry seed and board."""
    scores: dict[int, dict[int, dict[int, Fraction]]] = defaultdict(lambda: defaultdict(dict))
    rows = FixtureScore.objects.filter(fixture__tournament=tournament).order_by("fixture", "pk")
    for fixture, seed, text in rows.values_list("fixture_id", "entry__seed", "board_values"):
        assert seed is not None, "all entries of a batch have one"
        scores[fixture][seed] = parse_values(text)
    return scores


def role_of(seed: int) -> Note:
    """Return the role of an entry as a note without names, because stored names could not be deleted."""
    if seed > BASELINE:
        return {"code": "opponent", "number": seed - BASELINE}
    return {"code": "candidate" if seed == CANDIDATE else "baseline"}


def version_refusal(version: BotVersion) -> Conflict | None:
    """Return why a version cannot be played now, or None if it can."""
    try:
        require_ready(version)
    except Conflict as refused:
        return refused
    return None
