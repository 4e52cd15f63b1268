"""What several end points read, with constant numbers of queries."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from arena.accounts.models import AuditEvent, User
from arena.accounts.selectors import Viewer, deeds, is_staff
from arena.api.serializers.entries import entry_named
from arena.common.errors import Forbidden, NotFound
from arena.competition.cost import Plan, tournament_plan
from arena.competition.deals import board_seeds
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.selectors import entry_get, tournaments_visible_to
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.selectors import mean_cpu_ms_per_board
from arena.matches.workers import workers_alive
from arena.standings.models import StandingRow
from arena.standings.selectors import crosstable, stage_display, standings_as_of

IN_FIELD = (Entry.Status.ENTERED, Entry.Status.LEFT)
ENTRY_NAMED = ("entry__player", "entry__version__bot", "entry__partner_version__bot")
"""What it takes to name the entry of a row."""


def tournaments_shown(viewer: Viewer) -> QuerySet[Tournament]:
    """Visible tournaments with stages and number of entries, counted for the rows of a page alone."""
    entered = (
        Entry.objects.filter(tournament=OuterRef("pk"), status__in=IN_FIELD)
        .order_by()
        .values("tournament")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return (
        tournaments_visible_to(viewer)
        .select_related("series")
        .prefetch_related("stages")
        .annotate(entry_count=Coalesce(Subquery(entered, output_field=IntegerField()), 0))
    )


def tournament_shown(public_id: str, viewer: Viewer) -> Tournament:
    """One of them, as it is now.

    Raises:
        NotFound: none of this id, or not for this viewer.
    """
    tournament = tournaments_shown(viewer).filter(public_id=public_id).first()
    if tournament is None:
        raise NotFound(f"There is no tournament {public_id!r}.", "tournament_missing")
    return tournament


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
    capacity = workers_alive().aggregate(sum=Sum("capacity"))["sum"]
    return tournament_plan(thing, entries=entries, mean_cpu_ms=mean_cpu_ms_per_board, capacity=capacity)


def entries_of(tournament: Tournament) -> QuerySet[Entry]:
    """All entries, withdrawn ones included, with owners and versions."""
    return tournament.entries.select_related(
        "player", "version__bot", "partner_version__bot__owner", "tournament"
    )


def entry_shown(tournament: Tournament, public_id: str) -> Entry:
    """One entry of a tournament, as it is now.

    Raises:
        NotFound: none of this id.
    """
    return entry_get(tournament, public_id)


def fairness_of(tournament: Tournament) -> dict[str, Any]:
    """What is published about the deals: the same for everybody, staff included.

    The secret appears once ``revealed_at`` is set, the seeds of a board set once it is closed.
    """
    stages = list(tournament.stages.all())
    sets = (
        BoardSet.objects.filter(round__stage__tournament=tournament)
        .select_related("round__stage__tournament")
        .order_by("round__stage__number", "round__number")
    )
    return {
        "tournament": tournament.public_id,
        "commitment": tournament.commitment,
        "secret": bytes(tournament.secret).hex() if tournament.revealed_at else None,
        "revealed_at": tournament.revealed_at,
        "field_digests": [{"stage": s.number, "field_digest": s.field_digest} for s in stages],
        "board_sets": [
            {
                "stage": one.round.stage.number,
                "round": one.round.number,
                "board_set": one.public_id,
                "seeds": published_seeds(one),
            }
            for one in sets
        ],
    }


def stage_chosen(tournament: Tournament, number: int | None) -> Stage:
    """The stage of this number; without one, the last that has begun, or the first.

    Raises:
        NotFound: code ``stage_missing``.
    """
    stages = list(tournament.stages.order_by("number"))
    if number is None:
        begun = [stage for stage in stages if stage.state != Stage.State.PLANNED]
        chosen = (begun or stages[:1])[-1]
    else:
        found = [stage for stage in stages if stage.number == number]
        if not found:
            raise NotFound(f"{tournament.name} has stages 1 to {len(stages)}.", "stage_missing")
        chosen = found[0]
    chosen.tournament = tournament
    return chosen


def standings_by_stage(tournament: Tournament, number: int | None = None) -> list[dict[str, Any]]:
    """Every stage (or one) with its rows, best first. They come from closed board sets alone. Two queries.

    Raises:
        NotFound: code ``stage_missing``.
    """
    rows = StandingRow.objects.select_related(*ENTRY_NAMED).order_by("rank")
    stages = tournament.stages.prefetch_related(Prefetch("standings", rows))
    if number is not None:
        stages = stages.filter(number=number)
    shown = [_stage_told(stage, list(stage.standings.all())) for stage in stages]
    if not shown:
        raise NotFound(f"{tournament.name} has no stage {number}.", "stage_missing")
    return shown


def standings_then(
    stage: Stage, round_number: int | None = None, at: datetime.datetime | None = None
) -> dict[str, Any]:
    """A stage as it stood after a closed round, or at a moment.

    Raises:
        Invalid: code ``round_unknown``.
    """
    rows = standings_as_of(stage, round_number, at)
    entries = _named_entries(row.entry_id for row in rows)
    for row in rows:
        row.entry = entries[row.entry_id]
    return _stage_told(stage, rows)


def _stage_told(stage: Stage, rows: list[StandingRow]) -> dict[str, Any]:
    return {"stage": stage.number, "state": stage.state, "rows": rows}


def crosstable_of(stage: Stage) -> dict[str, Any]:
    """Everybody against everybody, rows in the order of the standings."""
    table = crosstable(stage)
    names = names_of(stage.tournament, table.entries)
    rows = []
    for entry in table.entries:
        against = [
            {
                "entry": other,
                "mean": cell.mean,
                "boards": cell.boards,
                "low": _finite(cell.low),
                "high": _finite(cell.high),
                "mark": cell.mark,
                "match_points": cell.match_points,
            }
            for other in table.entries
            if (cell := table.cells.get((entry, other))) is not None
        ]
        rows.append({**names[entry], "against": against})
    return {"stage": stage.number, "rows": rows}


def display_of(stage: Stage) -> dict[str, Any]:
    """The stage as its format draws it, with the names of all who are in it."""
    shown = stage_display(stage)
    ids = {
        entry
        for section in shown.sections
        for column in section.columns
        for slot in column.slots
        for entry in slot.entries
        if entry is not None
    }
    return {
        "stage": stage.number,
        "format": stage.format,
        "kind": shown.kind,
        "sections": [
            {
                "title": section.title,
                "columns": [
                    {"title": column.title, "slots": [slot._asdict() for slot in column.slots]}
                    for column in section.columns
                ],
            }
            for section in shown.sections
        ],
        "names": names_of(stage.tournament, sorted(ids)),
    }


def names_of(tournament: Tournament, entries: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Who these entries are, by public id. One query."""
    wanted = set(entries)
    rows = entries_of(tournament) if wanted else Entry.objects.none()
    return {entry.public_id: entry_named(entry) for entry in rows if entry.public_id in wanted}


def _named_entries(keys: Iterable[int]) -> dict[int, Entry]:
    rows = Entry.objects.select_related("player", "version__bot", "partner_version__bot")
    return rows.in_bulk(list(keys))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def published_seeds(board_set: BoardSet) -> dict[str, str] | None:
    """Seed by board number of a closed set; None while it is open, whoever asks."""
    if board_set.is_sealed:
        return None
    seeds = board_seeds(board_set.round, range(1, board_set.boards + 1))
    return {str(number): seed for number, seed in seeds.items()}


def deeds_visible_to(user: User) -> QuerySet[AuditEvent]:
    """One's own deeds; an organiser also sees what was done to their tournaments; staff see everything."""
    if is_staff(user):
        return deeds()
    seen = Q(actor=user)
    if user.is_organiser:
        own = Tournament.objects.filter(organiser=user)
        for kind, rows in (
            ("tournament", own),
            ("entry", Entry.objects.filter(tournament__in=own)),
            ("fixture", Fixture.objects.filter(tournament__in=own)),
            ("table", Table.objects.filter(tournament__in=own)),
        ):
            seen |= Q(kind=kind, object_id__in=rows.values("public_id"))
    return deeds().filter(seen)
