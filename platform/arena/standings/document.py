"""The content of an event as plain values, piece by piece, for archives, NDJSON, the audit and statements."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Model

from arena.common.notes import Note, note_in_english
from arena.competition.export_data import entries_data, stage_data, tournament_data
from arena.competition.labels import labels_of
from arena.competition.models import Round, Stage, Tournament
from arena.competition.statements import statements_of
from arena.matches.board_results import parse_results
from arena.matches.models import (
    Adjudication,
    BoardSet,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
)
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore
from league.statements import FrameLine, frame_digest, hash_labels

FIXTURE_BATCH_SIZE = 200


class ExportScope(NamedTuple):
    with_open_sets: bool = False
    """Include sealed data; for the audit and staff only."""
    with_secret: bool = False
    """Include a secret that is not revealed; for the audit only."""


def field_data(stage: Stage) -> Iterator[dict[str, Any]]:
    rows = stage.stage_entries.order_by("position")
    for entry, position, origin in rows.values_list("entry__public_id", "position", "origin"):
        yield {"entry": entry, "position": position, "origin": origin}


def standings_data(stage: Stage) -> Iterator[dict[str, Any]]:
    rows = stage.standings.order_by("rank")
    for entry, rank, values, decided_by in rows.values_list(
        "entry__public_id", "rank", "values", "decided_by"
    ):
        yield {"entry": entry, "rank": rank, "values": values, "decided_by": decided_by}


def rounds_data(
    stage: Stage, scope: ExportScope
) -> Iterator[tuple[dict[str, Any], Iterator[dict[str, Any]]]]:
    """Yield each exported round with an iterator of its fixtures; consume the iterators in order."""
    sets = BoardSet.objects.filter(round__stage=stage).select_related("round")
    if not scope.with_open_sets:
        sets = sets.filter(state=BoardSet.State.CLOSED, round__state=Round.State.CLOSED)
    board_sets = list(sets.order_by("round__number"))
    fixtures: dict[int, list[int]] = defaultdict(list)
    for board_set, fixture in (
        Fixture.objects.filter(board_set__in=board_sets)
        .order_by("board_set__round__number", "number")
        .values_list("board_set_id", "pk")
    ):
        fixtures[board_set].append(fixture)
    stream = _fixtures([pk for board_set in board_sets for pk in fixtures[board_set.pk]])
    for played in board_sets:
        yield (
            {
                "number": played.round.number,
                "board_set": played.public_id,
                "closed_seq": played.closed_seq,
                "boards": played.boards,
            },
            islice(stream, len(fixtures[played.pk])),
        )


def _fixtures(keys: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield fixtures with tables, seats and results. Plain columns, since instances are much slower."""
    for start in range(0, len(keys), FIXTURE_BATCH_SIZE):
        chunk = keys[start : start + FIXTURE_BATCH_SIZE]
        fields = ("public_id", "number", "state", "note", "same_owner")
        fixtures = {
            row[0]: row[1:] for row in Fixture.objects.filter(pk__in=chunk).values_list("pk", *fields)
        }
        sides = _by_parent(FixtureEntry, "fixture", chunk, ("position",), "entry__public_id")
        scores = _by_parent(FixtureScore, "fixture", chunk, ("entry",), *_SCORE)
        rulings = _by_parent(Adjudication, "fixture", chunk, ("number",), *_RULING)
        tables = _tables(chunk)
        for key in chunk:
            fixture = dict(zip(fields, fixtures[key], strict=True))
            yield {
                "id": fixture["public_id"],
                "number": fixture["number"],
                "state": fixture["state"],
                "reason": note_in_english(fixture["note"]),
                "sides": [entry for (entry,) in sides[key]],
                "same_owner": fixture["same_owner"],
                "scores": [
                    {"board": board, "entry": entry, "value": str(value)}
                    for board, entry, value in _board_scores(scores[key])
                ],
                "adjudications": [_ruling(*row) for row in rulings[key]],
                "tables": tables[key],
            }


_SCORE = ("entry__public_id", "board_values")
_RULING = ("number", "kind", "entries", "rounds_opened", "note", "actor", "created_at")
_TABLE = ("public_id", "rotation", "first_board", "board_count", "state", "cause", "reruns", "record_sha256")
"""Columns of a table that are exported; the first as ``id``."""
_SEAT = ("seat", "entry__public_id", "version__bundle_sha256", "verdict", "forfeited")


def _by_parent(
    model: type[Model], parent: str, keys: Sequence[int], order: Sequence[str], *fields: str
) -> dict[int, list[tuple[Any, ...]]]:
    rows = model._default_manager.filter(**{f"{parent}__in": keys})
    grouped: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for key, *row in rows.order_by(f"{parent}_id", *order).values_list(f"{parent}_id", *fields):
        grouped[key].append(tuple(row))
    return grouped


def _ruling(
    number: int,
    kind: str,
    entries: list[str],
    rounds_opened: int,
    note: Note,
    actor: int | None,
    created_at: datetime.datetime,
) -> dict[str, Any]:
    return {
        "number": number,
        "kind": kind,
        "entries": entries,
        "rounds_opened": rounds_opened,
        "reason": note_in_english(note),
        "by": "system" if actor is None else "organiser",
        "created_at": created_at.isoformat(),
    }


def _board_scores(rows: Iterable[tuple[str, str]]) -> list[tuple[int, str, Fraction]]:
    """Return board, entry and score by board; on each board, entries have the order of the rows."""
    scores = [(board, entry, value) for entry, text in rows for board, value in parse_values(text).items()]
    return sorted(scores, key=itemgetter(0))


def _tables(fixtures: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    order = ("rotation", "first_board")
    by_fixture = _by_parent(Table, "fixture", fixtures, order, "pk", "compact_results", *_TABLE)
    keys = [table[0] for tables in by_fixture.values() for table in tables]
    seats = _by_parent(TableSeat, "table", keys, ("seat",), *_SEAT)
    tables: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for fixture, rows in by_fixture.items():
        for key, results, *values in rows:
            public_id, *columns = values
            first_board = columns[_TABLE.index("first_board") - 1]
            tables[fixture].append(
                {
                    "id": public_id,
                    **dict(zip(_TABLE[1:], columns, strict=True)),
                    "seats": [
                        dict(
                            zip(("seat", "entry", "bundle_sha256", "verdict", "forfeited"), seat, strict=True)
                        )
                        for seat in seats[key]
                    ],
                    "results": [list(result[:3]) for result in parse_results(results, first_board)],
                }
            )
    return tables


def stages_exported(tournament: Tournament) -> list[Stage]:
    return list(tournament.stages.select_related("tournament").order_by("number"))


def frame_of(tournament: Tournament) -> tuple[str, int]:
    """Return digest and number of lines of the whole event, as exported publicly once it has ended.

    Memory does not grow with the event. Equal to ``league.statements.frame_lines`` of the document.
    """
    return frame_digest(_frame_lines(tournament))


def _frame_lines(tournament: Tournament) -> Iterator[FrameLine]:
    for kind, value in event_lines(tournament, ExportScope()):
        if kind == "tournament":
            value = {key: part for key, part in value.items() if key != "state"}
        # Only these contain labels; searching every result would cost more than everything else.
        yield kind, hash_labels(value) if kind in ("tournament", "entry") else value


def event_lines(tournament: Tournament, scope: ExportScope) -> Iterator[FrameLine]:
    """Yield kind and value of each line except statements. A part names its stage, round and fixture."""
    labels = labels_of(tournament)
    yield "tournament", tournament_data(tournament, labels, with_secret=scope.with_secret)
    for entry in entries_data(tournament, labels):
        yield "entry", entry
    for stage in stages_exported(tournament):
        of_stage = {"stage": stage.number}
        yield "stage", stage_data(stage)
        for row in field_data(stage):
            yield "stage_entry", {**of_stage, **row}
        for played, fixtures in rounds_data(stage, scope):
            of_round = {**of_stage, "round": played["number"]}
            yield "round", {**of_stage, **played}
            for fixture in fixtures:
                tables = fixture.pop("tables")
                yield "fixture", {**of_round, **fixture}
                for table in tables:
                    yield "table", {**of_round, "fixture": fixture["id"], **table}
        for row in standings_data(stage):
            yield "standing", {**of_stage, **row}


def statements_data(tournament: Tournament) -> Iterator[dict[str, Any]]:
    for row in statements_of(tournament).defer(None).defer("key__private"):
        yield {
            "kind": row.kind,
            "body": json.loads(row.body),
            "digest": row.digest,
            "key": row.key.name,
            "signature": row.signature,
        }
