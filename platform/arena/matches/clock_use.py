"""Measured CPU of the versions that enter a tournament, for estimates of its duration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Sum

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.cost import MeanCpu
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Tournament
from arena.competition.rules import rules_of
from arena.matches.models import BoardSet, Table, TableSeat
from arena.matches.selectors import SAMPLE_TOURNAMENTS, mean_cpu_ms_per_board

MAX_SAMPLED_ENTRIES = 500
"""Maximum entries whose versions are looked up; the average of the others is assumed to be the same."""


def mean_cpu_ms_of_field(tournament: Tournament) -> float | None:
    """Return the expected CPU in ms of all seats for one board of this tournament; None if nothing is known.

    For each entry the measured mean of its versions in closed rounds of the latest tournaments with the same
    preset; for entries that have not played, the mean of the preset. Cached by the tournament's revision. At
    most six queries.
    """

    def mean() -> float | None:
        rules = rules_of(tournament)
        seats = rules.game.seats(rules.ruleset)
        known = mean_cpu_ms_per_board(tournament.game, tournament.preset, tournament.board_kind)
        entries = list(
            Entry.objects.filter(tournament=tournament, status__in=FIELD_STATUSES)
            .order_by("pk")
            .values_list("version_id", "partner_version_id")[:MAX_SAMPLED_ENTRIES]
        )
        versions = {version for pair in entries for version in pair if version is not None}
        of_version = _cpu_ms_per_seat(tournament, versions)
        default = None if known is None else known / seats
        per_seat = [
            value
            for pair in entries
            for version in pair
            if version is not None and (value := of_version.get(version, default)) is not None
        ]
        return seats * sum(per_seat) / len(per_seat) if per_seat else known

    key = CacheKey(("clock_use", tournament.public_id), tournament.revision)
    return process_cache.get_or_build(key, mean)


def mean_cpu_for(tournament_or_draft: Tournament | Mapping[str, Any]) -> MeanCpu:
    """Return the function for ``cost_estimate``: of the field of a stored tournament, else of the preset."""
    if not isinstance(tournament_or_draft, Tournament):
        return mean_cpu_ms_per_board
    tournament = tournament_or_draft
    return lambda game, preset, kind: mean_cpu_ms_of_field(tournament)


def _cpu_ms_per_seat(tournament: Tournament, versions: set[int]) -> dict[int, float]:
    """Return the mean CPU in ms of one seat for one board by version; unmeasured ones are missing."""
    latest = Tournament.objects.order_by("-id").filter(
        game=tournament.game,
        preset=tournament.preset,
        board_kind=tournament.board_kind,
        cpu_ms_spent__gt=0,
    )
    rows = (
        TableSeat.objects.filter(
            version__in=versions,
            table__tournament__in=list(latest.values_list("pk", flat=True)[:SAMPLE_TOURNAMENTS]),
            table__state=Table.State.FINISHED,
            table__fixture__board_set__state=BoardSet.State.CLOSED,
        )
        .order_by()
        .values_list("version")
        .annotate(cpu_ms=Sum("cpu_ms"), boards=Sum("table__board_count"))
    )
    return {version: cpu_ms / boards for version, cpu_ms, boards in rows if boards}
