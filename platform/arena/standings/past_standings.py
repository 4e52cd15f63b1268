"""Standings after earlier rounds, computed when data changes and not on request.

They are stored with a digest of everything that they depend on, and used only if it is equal. Missing rows
are computed on request, and stored by the tick.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q

from arena.common.errors import Invalid
from arena.competition.models import Entry, Round, Stage
from arena.competition.transitions import tournament_row_lock
from arena.matches.models import Fixture
from arena.standings.models import PastStandings, StandingRow
from arena.standings.stages import (
    closed_fixtures,
    closed_round_numbers,
    compute_standings,
    field_of,
    opened_rounds_of,
    unsaved_standing_rows,
)

MAX_TABLES_PER_CALL = 100
MAX_DURATION_S = 2.0
"""Seconds after which ``past_standings_build`` starts no further table."""


class PastRow(NamedTuple):
    entry: int
    rank: int
    decided_by: str
    values: dict[str, Any]


def standings_after_round(stage: Stage, number: int) -> list[PastRow]:
    keys = _keys(stage, number)
    if number not in keys:
        raise round_unknown_error(stage, number)
    stored = PastStandings.objects.filter(round__stage=stage, round__number=number, key=keys[number])
    rows = stored.values_list("rows", flat=True).first()
    return _compute_rows(stage, number) if rows is None else _decode_rows(bytes(rows))


def ranks_by_round(
    stage: Stage, entries: Collection[int], at_most: int, *, in_group: bool = False
) -> dict[int, dict[int, int]]:
    """Return the ranks of these entries (keys) after closed rounds, by number of the round, ascending.

    With ``in_group``, they are places within the group of the entry. Of more than ``at_most`` rounds, as
    many at equal distances. Rounds whose standings are not stored yet are missing. Four queries for any size.
    """
    keys = _keys(stage)
    stored_rows = _stored_rows(stage, keys, spread_rounds(list(keys), at_most))
    return {
        number: {
            row.entry: int(row.values.get("place") or 0) if in_group else row.rank
            for row in rows
            if row.entry in entries
        }
        for number, rows in stored_rows.items()
    }


def places_around_round(
    stage: Stage, number: int, entries: Collection[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the places of these entries (keys) before and after a closed round: ranks, or places in a group.

    Empty before the first round, and while the standings are not stored yet. Four queries for any size.
    """
    rows = _stored_rows(stage, _keys(stage, number), [number - 1, number])
    before, after = (
        {
            row.entry: int(row.values.get("place") or row.rank)
            for row in rows.get(each, ())
            if row.entry in entries
        }
        for each in (number - 1, number)
    )
    return before, after


def _stored_rows(stage: Stage, keys: Mapping[int, str], chosen: Sequence[int]) -> dict[int, list[PastRow]]:
    """Return the stored standings after these rounds that are current, by number, ascending. One query."""
    stored = PastStandings.objects.filter(round__stage=stage, round__number__in=chosen).exclude(key="")
    columns = stored.order_by("round__number").values_list("round__number", "key", "rows")
    return {number: _decode_rows(bytes(rows)) for number, key, rows in columns if key == keys.get(number)}


def spread_rounds(numbers: Sequence[int], at_most: int) -> list[int]:
    """Return at most this many of the numbers, with the first and the last.

    >>> spread_rounds([1, 2, 5], 3), spread_rounds(range(1, 142), 3)
    ([1, 2, 5], [1, 71, 141])
    """
    if len(numbers) <= at_most:
        return list(numbers)
    step = (len(numbers) - 1) / (at_most - 1)
    return [numbers[round(step * position)] for position in range(at_most)]


def round_unknown_error(stage: Stage, number: int) -> Invalid:
    """Return the error for a round that is not closed, with the closed ones. One query."""
    known = closed_round_numbers(stage)
    return Invalid(
        f"Round {number} of stage {stage.number} is not closed; closed rounds: "
        f"{', '.join(map(str, known)) or 'none'}.",
        "round_not_closed",
        field="as_of",
        closed_rounds=known,
    )


def past_standings_invalidate(rounds: Collection[int]) -> None:
    """Mark the scores of these rounds (keys) as changed. One query."""
    PastStandings.objects.bulk_create(
        (PastStandings(round_id=key, scored=secrets.token_hex(8)) for key in sorted(rounds)),
        update_conflicts=True,
        unique_fields=["round"],
        update_fields=["scored"],
    )


def past_standings_update(stage: Stage, rows: Iterable[StandingRow]) -> None:
    """Store the current standings as past ones, clear outdated ones. In the changing transaction."""
    keys = _keys(stage)
    if not keys:
        return
    last = max(keys)
    _stale_tables_clear(stage, keys)
    of_last = [PastRow(row.entry_id, row.rank, row.decided_by, row.values) for row in rows]
    _store(stage, last, keys[last], of_last)


def past_standings_build(most_s: float = MAX_DURATION_S) -> int:
    """Compute missing standings, newest first, and return how many. Safe to run concurrently."""
    until = time.monotonic() + most_s
    # Rulings affect these standings at once; current standings wait until no fixture is open.
    # Without a join, for which SQLite would read all rounds.
    ruled_on = set(Fixture.objects.filter(scores_stale=True).order_by().values_list("board_set", flat=True))
    of_sets = Stage.objects.filter(rounds__board_set__in=ruled_on).distinct()
    for stage in of_sets.select_related("tournament") if ruled_on else ():
        _stale_tables_clear(stage, _keys(stage))
    missing = PastStandings.objects.filter(key="", round__state=Round.State.CLOSED).order_by("-pk")
    count = 0
    for table in missing.select_related("round__stage__tournament")[:MAX_TABLES_PER_CALL]:
        stage, number = table.round.stage, table.round.number
        key = _keys(stage, number).get(number)
        rows = _compute_rows(stage, number)
        with transaction.atomic():
            tournament_row_lock(pk=stage.tournament_id)
            # Standings that changed meanwhile are left to the next call.
            if key is not None and _keys(stage, number).get(number) == key:
                _store(stage, number, key, rows)
                count += 1
        if time.monotonic() >= until:
            break
    return count


def _stale_tables_clear(stage: Stage, keys: Mapping[int, str]) -> None:
    stored = PastStandings.objects.filter(round__stage=stage).exclude(key="")
    rows = stored.values_list("pk", "round__number", "key")
    stale = [pk for pk, number, key in rows if key != keys.get(number)]
    if stale:
        PastStandings.objects.filter(pk__in=stale).update(key="", rows=b"")


def _compute_rows(stage: Stage, number: int) -> list[PastRow]:
    field = field_of(stage)
    rows = unsaved_standing_rows(
        stage, field, compute_standings(stage, field, closed_fixtures(opened_rounds_of(stage, until=number)))
    )
    return [PastRow(row.entry_id, row.rank, row.decided_by, row.values) for row in rows]


def _keys(stage: Stage, until: int | None = None) -> dict[int, str]:
    """Return by closed round a key that changes whenever the standings after it may. Three queries."""
    tournament = stage.tournament
    left = Entry.objects.filter(tournament=tournament, status=Entry.Status.LEFT).order_by()
    terms = [
        (stage.number, stage.format, stage.options, stage.field_digest),
        (tournament.scoring, tournament.tie_breaks, tournament.board_plan),
        sorted(left.values_list("pk", "left_stage")),
    ]
    # The database may change the order of the options.
    key = hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()
    rounds = Round.objects.filter(stage=stage, state=Round.State.CLOSED)
    if until is not None:
        rounds = rounds.filter(number__lte=until)
    changed = Fixture.objects.filter(tournament=tournament, scores_stale=True).order_by("pk")
    due: dict[int, list[list[Any]]] = defaultdict(list)
    for number, *fixture in changed.values_list("board_set__round__number", "pk", "state"):
        due[number].append(fixture)
    keys = {}
    for number, scored in rounds.order_by("number").values_list("number", "past_standings__scored"):
        key = hashlib.sha256(f"{key} {number} {scored} {due.get(number, [])}".encode()).hexdigest()
        keys[number] = key
    return keys


def _store(stage: Stage, number: int, key: str, rows: Iterable[PastRow]) -> None:
    """Store the rows; a round without a row, since it was never scored, is skipped. One query."""
    of_round = Q(round__stage=stage, round__number=number)
    written = zlib.compress(json.dumps(list(rows), separators=(",", ":")).encode())
    PastStandings.objects.filter(of_round).update(key=key, rows=written)


def _decode_rows(stored: bytes) -> list[PastRow]:
    return [PastRow(*row) for row in json.loads(zlib.decompress(stored))]
