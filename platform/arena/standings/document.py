"""What an event consists of as plain values, piece by piece: the zip, the lines and the audit share it."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Model

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.rules import rules_of, sides_of
from arena.matches.models import (
    Adjudication,
    BoardResult,
    BoardSet,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
)
from arena.standings.models import BoardScore

FIXTURES_AT_A_TIME = 200
"""Fixtures held in memory together."""


class What(NamedTuple):
    """How much of an event is exported."""

    with_open_sets: bool = False
    """Also what is still sealed: for the audit and staff alone."""
    with_secret: bool = False
    """The secret before its time: for the audit alone."""


def tournament_data(tournament: Tournament, what: What) -> dict[str, Any]:
    """The event itself: rules, plan, and the secret once it is revealed."""
    rules = rules_of(tournament)
    sides = sides_of(tournament)
    shows_secret = what.with_secret or tournament.revealed_at is not None
    return {
        "id": tournament.public_id,
        "name": tournament.name,
        "state": tournament.state,
        "game": tournament.game,
        "preset": tournament.preset,
        "ruleset": tournament.ruleset,
        "rules_version": tournament.rules_version,
        "sides": len(sides),
        "seats_per_side": len(sides[0]),
        "forfeit_stones": rules.game.forfeit_stones(rules.ruleset),
        "board_kind": tournament.board_kind,
        "boards_per_round": tournament.boards_per_round,
        "board_plan": tournament.board_plan,
        "most_passes": tournament.most_passes,
        "budget_cpu_s": tournament.budget_cpu_s,
        "clock": tournament.clock,
        "fault_policy": tournament.fault_policy,
        "scoring": tournament.scoring,
        "tie_breaks": tournament.tie_breaks,
        "commitment": tournament.commitment,
        "secret": bytes(tournament.secret).hex() if shows_secret else None,
    }


def entries_data(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """Every entry there was, in the order they were made. One query."""
    entries = tournament.entries.select_related("player", "version__bot", "partner_version__bot")
    for entry in entries.order_by("id"):
        yield _entry(entry)


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.public_id,
        "player": entry.player.handle,
        "status": entry.status,
        "status_reason": entry.status_reason,
        "left_stage": entry.left_stage,
        "left_round": entry.left_round,
        "seed": entry.seed,
        "versions": [
            {"bot": version.bot.name, "number": version.number, "bundle_sha256": version.bundle_sha256}
            for version in entry.versions()
        ],
    }


def stage_data(stage: Stage) -> dict[str, Any]:
    """A stage without its field, rounds and standings."""
    return {
        "number": stage.number,
        "format": stage.format,
        "options": stage.options,
        "qualify": stage.qualify,
        "boards_per_round": stage.boards_per_round,
        "field_digest": stage.field_digest,
        "state": stage.state,
        "note": stage.note,
        "end_code": stage.end_code,
    }


def field_data(stage: Stage) -> Iterator[dict[str, Any]]:
    """Who plays the stage, in seeding order. One query."""
    rows = stage.stage_entries.order_by("position")
    for entry, position, origin in rows.values_list("entry__public_id", "position", "origin"):
        yield {"entry": entry, "position": position, "origin": origin}


def standings_data(stage: Stage) -> Iterator[dict[str, Any]]:
    """The table as it stands, best first. One query."""
    rows = stage.standings.order_by("rank")
    for entry, rank, values, decided_by in rows.values_list(
        "entry__public_id", "rank", "values", "decided_by"
    ):
        yield {"entry": entry, "rank": rank, "values": values, "decided_by": decided_by}


def rounds_data(stage: Stage, what: What) -> Iterator[tuple[dict[str, Any], Iterator[dict[str, Any]]]]:
    """Each round that may be exported, with an iterator of its fixtures, to be consumed in turn.

    Three queries, and seven for every 200 fixtures, whatever rounds they are of.
    """
    sets = BoardSet.objects.filter(round__stage=stage).select_related("round")
    if not what.with_open_sets:
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
    """These fixtures with tables, seats and results, in this order. Seven queries for each chunk of them.

    Made of rows, not of model instances, which would take most of the time of an export.
    """
    for at in range(0, len(keys), FIXTURES_AT_A_TIME):
        chunk = keys[at : at + FIXTURES_AT_A_TIME]
        fields = ("public_id", "number", "state", "reason", "same_owner")
        fixtures = {
            row[0]: row[1:] for row in Fixture.objects.filter(pk__in=chunk).values_list("pk", *fields)
        }
        sides = _by_parent(FixtureEntry, "fixture", chunk, ("position",), "entry__public_id")
        scores = _by_parent(BoardScore, "fixture", chunk, ("board", "entry"), *_SCORE)
        rulings = _by_parent(Adjudication, "fixture", chunk, ("number",), *_RULING)
        tables = _tables(chunk)
        for key in chunk:
            fixture = dict(zip(fields, fixtures[key], strict=True))
            yield {
                "id": fixture["public_id"],
                "number": fixture["number"],
                "state": fixture["state"],
                "reason": fixture["reason"],
                "sides": [entry for (entry,) in sides[key]],
                "same_owner": fixture["same_owner"],
                "scores": [
                    {"board": board, "entry": entry, "value": str(Fraction(numerator, denominator))}
                    for board, entry, numerator, denominator in scores[key]
                ],
                "adjudications": [_ruling(*row) for row in rulings[key]],
                "tables": tables[key],
            }


_SCORE = ("board", "entry__public_id", "numerator", "denominator")
_RULING = ("number", "kind", "entries", "rounds_opened", "reason", "actor", "at")
_TABLE = ("public_id", "rotation", "first_board", "board_count", "state", "reruns", "record_sha256")
_SEAT = ("seat", "entry__public_id", "version__bundle_sha256", "verdict", "forfeited")
_RESULT = ("board", "seat", "stones")


def _by_parent(
    model: type[Model], parent: str, keys: Sequence[int], order: Sequence[str], *fields: str
) -> dict[int, list[tuple[Any, ...]]]:
    """Fields of a model's rows by the primary key of what they belong to, in order. One query."""
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
    reason: str,
    actor: int | None,
    at: datetime.datetime,
) -> dict[str, Any]:
    return {
        "number": number,
        "kind": kind,
        "entries": entries,
        "rounds_opened": rounds_opened,
        "reason": reason,
        "by": "system" if actor is None else "organiser",
        "at": at.isoformat(),
    }


def _tables(fixtures: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """The tables of these fixtures with seats and results, by fixture. Three queries."""
    order = ("rotation", "first_board")
    by_fixture = _by_parent(Table, "fixture", fixtures, order, "pk", *_TABLE)
    keys = [table[0] for tables in by_fixture.values() for table in tables]
    seats = _by_parent(TableSeat, "table", keys, ("seat",), *_SEAT)
    results = _by_parent(BoardResult, "table", keys, ("board", "seat"), *_RESULT)
    tables: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for fixture, rows in by_fixture.items():
        for key, *values in rows:
            public_id, *rest = values
            tables[fixture].append(
                {
                    "id": public_id,
                    **dict(zip(_TABLE[1:], rest, strict=True)),
                    "seats": [
                        dict(
                            zip(("seat", "entry", "bundle_sha256", "verdict", "forfeited"), seat, strict=True)
                        )
                        for seat in seats[key]
                    ],
                    "results": [list(result) for result in results[key]],
                }
            )
    return tables


def stages_exported(tournament: Tournament) -> list[Stage]:
    """The stages, in order. One query."""
    return list(tournament.stages.select_related("tournament").order_by("number"))
