"""All steps of a seeding, in order."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from unittest import mock

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from arena.common import ids
from arena.competition.models import Tournament
from arena.matches.models import BoardSet
from benchmarks.seeding.draw import SeededRandom
from benchmarks.seeding.events import SeededEvent, event_make
from benchmarks.seeding.extras import faults_group, out_of_play_make, workers_make
from benchmarks.seeding.people import SeededPeople, people_make
from benchmarks.seeding.programme import EventPlanner, preset_of

PRESETS = ("kakeya4", "etori.meiji", "kakeya6", "kakkuri")
CLOSING_BATCH = 500


@dataclasses.dataclass(frozen=True)
class SeedingRequest:
    seed: int
    bots: int
    fixtures: int
    presets: tuple[str, ...]

    def fewest_bots(self) -> int:
        """Return the minimum number of bots that fills a table of every preset; bots are shared equally by
        the games.
        """
        described = [preset_of(name) for name in self.presets]
        games = {preset["game"] for preset in described}
        return max(2 * len(preset["sides"]) for preset in described) * len(games)


def database_seed(
    request: SeedingRequest, report_progress: Callable[[str, int], None]
) -> Iterator[SeededEvent]:
    """Fill the database, yielding each event. ``report_progress`` receives the step and its progress."""
    # Public ids depend on the seed too, in every service that creates rows.
    with mock.patch.object(ids, "secrets", SeededRandom(request.seed, "public ids").random):
        yield from _database_seed(request, report_progress)


def _database_seed(
    request: SeedingRequest, report_progress: Callable[[str, int], None]
) -> Iterator[SeededEvent]:
    until = timezone.now().replace(microsecond=0)
    games = list(dict.fromkeys(str(preset_of(name)["game"]) for name in request.presets))
    report_progress("people and bots", 0)
    cast = people_make(request.seed, request.bots, games, until)
    workers_make(request.seed, until)
    events = []
    for event in _events(request, cast, until, report_progress):
        events.append(event)
        yield event
    report_progress("groups of faults", 0)
    faults_group(cast)
    out_of_play_make(cast)
    closing_order()
    report_progress("states and statements", 0)
    for event in events:
        event.end()


def _events(
    request: SeedingRequest,
    cast: SeededPeople,
    until: datetime.datetime,
    report_progress: Callable[[str, int], None],
) -> Iterator[SeededEvent]:
    most = {game: len(versions) for game, versions in cast.versions.items()}
    programme = EventPlanner(request.presets, request.fixtures, most)
    for serial, planned in enumerate(programme.events(), 1):
        report_progress(planned.name, 0)
        event = event_make(request.seed, serial, planned, cast, until, partial(report_progress, planned.name))
        programme.made(event.fixtures)
        yield event


def closing_order() -> None:
    """Number the closed board sets that have no number yet, by closing time, after all others."""
    fresh: Sequence[BoardSet] = list(
        BoardSet.objects.filter(state=BoardSet.State.CLOSED, closed_seq=None)
        .order_by("closed_at", "pk")
        .annotate(tournament_kind=F("round__stage__tournament__kind"))
        .only("pk", "closed_seq", "event_seq")
    )
    with transaction.atomic():
        last = BoardSet.objects.aggregate(last=Max("closed_seq"))["last"] or 0
        for number, board_set in enumerate(fresh, last + 1):
            board_set.closed_seq = number
            if board_set.tournament_kind == Tournament.Kind.TOURNAMENT:  # type: ignore[attr-defined]
                board_set.event_seq = number
        BoardSet.objects.bulk_update(fresh, ["closed_seq", "event_seq"], batch_size=CLOSING_BATCH)
