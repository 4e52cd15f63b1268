"""What several end points read, with constant numbers of queries."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from arena.accounts.models import AuditEvent, User
from arena.accounts.selectors import Viewer, deeds, is_staff
from arena.common.errors import NotFound
from arena.competition.deals import board_seeds
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import tournaments_visible_to
from arena.matches.models import BoardSet, Fixture, Table
from arena.standings.models import StandingRow


def tournaments_shown(viewer: Viewer) -> QuerySet[Tournament]:
    """Visible tournaments with stages and number of entries."""
    entered = Count("entries", filter=Q(entries__status=Entry.Status.ENTERED), distinct=True)
    return tournaments_visible_to(viewer).prefetch_related("stages").annotate(entry_count=entered)


def tournament_shown(public_id: str, viewer: Viewer) -> Tournament:
    """One of them, as it is now.

    Raises:
        NotFound: none of this id, or not for this viewer.
    """
    tournament = tournaments_shown(viewer).filter(public_id=public_id).first()
    if tournament is None:
        raise NotFound(f"There is no tournament {public_id!r}.", "tournament_missing")
    return tournament


def entries_of(tournament: Tournament) -> QuerySet[Entry]:
    """All entries, withdrawn ones included, with player and versions."""
    return tournament.entries.select_related("player", "version__bot", "partner_version__bot", "tournament")


def entry_get(tournament: Tournament, public_id: str) -> Entry:
    """One entry of a tournament.

    Raises:
        NotFound: none of this id.
    """
    entry = entries_of(tournament).filter(public_id=public_id).first()
    if entry is None:
        raise NotFound(f"There is no entry {public_id!r} in {tournament.name}.", "entry_missing")
    return entry


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


def standings_by_stage(tournament: Tournament) -> list[dict[str, Any]]:
    """Every stage with its rows, best first. They come from closed board sets alone. Two queries."""
    rows = StandingRow.objects.select_related(
        "entry__player", "entry__version__bot", "entry__partner_version__bot"
    ).order_by("rank")
    stages = tournament.stages.prefetch_related(Prefetch("standings", rows))
    return [{"stage": s.number, "state": s.state, "rows": s.standings.all()} for s in stages]


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
            ("fixture", Fixture.objects.filter(board_set__round__stage__tournament__in=own)),
            ("table", Table.objects.filter(fixture__board_set__round__stage__tournament__in=own)),
        ):
            seen |= Q(kind=kind, object_id__in=rows.values("public_id"))
    return deeds().filter(seen)
