"""What the answers of several end points are made of, with constant numbers of queries."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.api.serializers.entries import entry_name
from arena.api.serializers.standings import standing_row
from arena.common.errors import Forbidden
from arena.competition.commitments import commitment_of
from arena.competition.cost import Plan, tournament_plan
from arena.competition.deals import board_seeds
from arena.competition.drafts import require_new
from arena.competition.models import Stage, Tournament
from arena.competition.selectors import NamedEntry, entries_of_stages, name_columns_in, names_in, stages_of
from arena.competition.statements import statements_of
from arena.matches.fixture_selectors import board_sets_of, seat_results
from arena.matches.models import BoardResult, BoardSet
from arena.matches.selectors import mean_cpu_ms_per_board
from arena.matches.workers import capacity_alive
from arena.standings.captions import caption_text
from arena.standings.crosstables import FixtureVersion
from arena.standings.crosstables import crosstable_from as crosstable_of
from arena.standings.models import StandingRow
from arena.standings.selectors import (
    BoardKey,
    StandingsKey,
    board_key,
    board_scores_of,
    stage_display,
    standing_values,
    standings_as_of,
)

if TYPE_CHECKING:
    from league.stage import Slot


def plan_of(thing: Tournament | Mapping[str, Any], viewer: Viewer, entries: int | None = None) -> Plan:
    """What a tournament, or a draft by its fields, comes to on the workers there are.

    Raises:
        Invalid: the draft has an impossible field.
        Forbidden: code ``not_an_organiser``, for a draft.
    """
    if not isinstance(thing, Tournament) and not (
        isinstance(viewer, User) and (viewer.is_organiser or viewer.is_staff)
    ):
        raise Forbidden("This account may not organise tournaments; ask the operator.", "not_an_organiser")
    if not isinstance(thing, Tournament):
        require_new(thing)
    return tournament_plan(
        thing, entries=entries, mean_cpu_ms=mean_cpu_ms_per_board, capacity=capacity_alive()
    )


def fairness_of(tournament: Tournament) -> dict[str, Any]:
    """What is published about the deals: the same for everybody, staff included.

    The secret appears once ``revealed_at`` is set, the seeds of a board set once it is closed.
    """
    stages = stages_of(tournament)
    fields = entries_of_stages(stages)
    queued = commitment_of(tournament)
    return {
        "tournament": tournament.public_id,
        "commitment": tournament.commitment,
        "commitment_number": None if queued is None else queued.number,
        "secret": bytes(tournament.secret).hex() if tournament.revealed_at else None,
        "revealed_at": tournament.revealed_at,
        "statements": [
            {
                "kind": statement.kind,
                "at": statement.at,
                "digest": statement.digest,
                "key": statement.key.name,
                "signature": statement.signature,
                "body": reverse("v1:statement", args=[tournament.public_id, statement.kind]),
            }
            for statement in statements_of(tournament)
        ],
        "field_digests": [
            {"stage": stage.number, "field_digest": stage.field_digest, "entries": fields.get(stage.pk, [])}
            for stage in stages
        ],
        "board_sets": [
            {
                "stage": board_set.round.stage.number,
                "round": board_set.round.number,
                "board_set": board_set.public_id,
                "seeds": published_seeds(board_set),
            }
            for board_set in board_sets_of(tournament)
        ],
    }


def standings_from(key: StandingsKey) -> list[dict[str, Any]]:
    """Its stages with their rows, best first. They come from closed board sets alone. One query."""
    stages = key.stages()
    values = standing_values(stages)
    return [
        {
            "next_first": None,
            "stage": stage.number,
            "state": stage.state,
            "rows": [standing_row(row.entry, *values[row.key]) for row in stage.rows],
        }
        for stage in stages
    ]


def standings_then(
    stage: Stage, round_number: int | None = None, at: datetime.datetime | None = None
) -> dict[str, Any]:
    """A stage as it stood after a closed round, or at a moment.

    Raises:
        Invalid: code ``round_unknown``.
    """
    rows: list[StandingRow] = standings_as_of(stage, round_number, at)
    return {"stage": stage.number, "state": stage.state, "rows": rows}


class CrosstableKey(NamedTuple):
    """All that a crosstable follows from."""

    standings: StandingsKey
    """Of the one stage."""
    fixtures: tuple[FixtureVersion, ...]


def crosstable_from(key: CrosstableKey) -> dict[str, Any]:
    """Everybody against everybody, rows in the order of the standings. Three queries for what is new."""
    (stage,) = key.standings.stages()
    names = {row.entry.id: row.entry for row in stage.rows}
    table = crosstable_of(tuple(names), key.fixtures)
    rows = []
    for entry in table.entries:
        against = [
            {"entry": other, **cell._asdict(), "low": _finite(cell.low), "high": _finite(cell.high)}
            for other in table.entries
            if (cell := table.cells.get((entry, other))) is not None
        ]
        rows.append({**entry_name(names[entry]), "against": against})
    return {"next_first": None, "stage": stage.number, "rows": rows}


def display_of(stage: Stage) -> dict[str, Any]:
    """The stage as its format draws it, with the names of all who are in it."""
    display = stage_display(stage)
    ids = {
        entry
        for section in display.sections
        for column in section.columns
        for slot in column.slots
        for entry in slot.entries
        if entry is not None
    }
    return {
        "stage": stage.number,
        "format": stage.format,
        "kind": display.kind,
        "sections": [
            {
                "title": caption_text(section.title),
                "columns": [
                    {"title": caption_text(column.title), "slots": [_slot(slot) for slot in column.slots]}
                    for column in section.columns
                ],
            }
            for section in display.sections
        ],
        "names": names_of(stage.tournament, sorted(ids)),
    }


def _slot(slot: Slot) -> dict[str, Any]:
    data = slot._asdict()
    data["note"] = ", ".join(map(caption_text, data.pop("notes")))
    return data


def names_of(tournament: Tournament, entries: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Who these entries are, by public id. One query."""
    wanted = set(entries)
    if not wanted:
        return {}
    return {name: entry_name(entry) for name, entry in names_in(tournament.pk).items() if name in wanted}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def published_seeds(board_set: BoardSet) -> dict[str, str] | None:
    """Seed by board number of a closed set; None while it is open, whoever asks."""
    if board_set.is_sealed:
        return None
    seeds = board_seeds(board_set.round, range(1, board_set.boards + 1))
    return {str(number): seed for number, seed in seeds.items()}


class BoardAnswerKey(NamedTuple):
    """All that the answer about a board follows from."""

    board: BoardKey
    names: tuple[tuple[Any, ...], ...]
    """``NAME_COLUMNS`` of all entries."""


def board_answer_key(tournament: int, board_set: BoardSet, number: int) -> BoardAnswerKey:
    """Of one board of the tournament of this key. Three queries."""
    return BoardAnswerKey(board_key(board_set, number), name_columns_in(tournament))


def board_from(
    key: BoardAnswerKey, board_set: BoardSet, number: int, results: QuerySet[BoardResult]
) -> dict[str, Any]:
    """How one board went for everybody: board scores best first, and every seat as played. Three queries."""
    names = {columns[0]: NamedEntry.of_columns(columns) for columns in key.names}
    scores = board_scores_of(board_set, number)
    places: dict[Fraction, int] = {}
    for place, score in enumerate(scores, 1):
        places.setdefault(score.value, place)
    seeds = published_seeds(board_set)
    return {
        "next_first": None,
        "board_set": board_set.public_id,
        "number": number,
        "kind": board_set.kind,
        "seed": seeds[str(number)] if seeds else None,
        "scores": [
            {
                **entry_name(names[score.entry]),
                "fixture": score.fixture,
                "value": str(score.value),
                "place": places[score.value],
            }
            for score in scores
        ],
        "results": [row._asdict() for row in seat_results(results)],
    }
