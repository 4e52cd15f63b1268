"""What the database and the logs say of a stretch of time. Nothing here asks the site for anything."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.db.models import Count, Q, Sum

from arena.competition.models import Tournament
from arena.ladders.models import Ladder, LadderRound
from arena.matches.models import Table, TableSeat
from arena.ratings.models import RatedSet
from arena.roster.models import BotVersion

EVENT, LADDER = Tournament.Kind.EVENT, Tournament.Kind.LADDER
ERROR = re.compile(r" (ERROR|CRITICAL) |^Traceback|: ERROR/")


class Stretch(NamedTuple):
    """A stretch of time."""

    since: datetime
    until: datetime

    @property
    def minutes(self) -> float:
        """How long it is."""
        return (self.until - self.since).total_seconds() / 60


class Pace(NamedTuple):
    """What was played of one kind of tournaments, by the minute."""

    tables: float
    boards: float
    cpu_s: float
    """Of the bots."""


def pace(kind: str, stretches: Sequence[Stretch]) -> Pace:
    """Tables that ended in these stretches together."""
    within = Q()
    for stretch in stretches:
        within |= Q(state_at__gte=stretch.since, state_at__lt=stretch.until)
    ended = Table.objects.filter(within, tournament__kind=kind, state=Table.State.FINISHED).order_by()
    of = ended.aggregate(tables=Count("pk"), boards=Sum("board_count"))
    cpu_ms = TableSeat.objects.filter(table__in=ended).aggregate(sum=Sum("cpu_ms"))["sum"] or 0
    minutes = sum(stretch.minutes for stretch in stretches)
    return Pace(of["tables"] / minutes, (of["boards"] or 0) / minutes, cpu_ms / 1000 / minutes)


def tables_in_play(kind: str) -> int:
    """Now."""
    return Table.objects.filter(tournament__kind=kind, state=Table.State.LEASED).count()


class Rounds(NamedTuple):
    """A ladder's rounds that count."""

    counted: int
    dropped: int
    boards: dict[str, int]
    """Of each version on the ladder, over all rotations."""
    boards_a_round: int
    left_over: Counter[str]
    """How often each version was in no fixture of a round."""
    twice_left_over: int
    """How often somebody was in two rounds running."""
    pauses_s: list[float]
    """From the end of a round to the drawing of the next."""
    kinds: Counter[str]


def rounds_of(ladder: Ladder, versions: Iterable[str], rotations: int) -> Rounds:
    """What was played on a ladder by these versions."""
    rows = list(ladder.rounds.order_by("pk"))
    counted = [row for row in rows if row.state == LadderRound.State.COUNTED]
    boards_a_round = ladder.boards * rotations
    boards = dict.fromkeys(versions, 0)
    for row in counted:
        for pairing in row.pairings:
            for name in pairing["versions"]:
                boards[name] += boards_a_round
    pairs = list(itertools.pairwise(rows))
    return Rounds(
        len(counted),
        sum(row.state == LadderRound.State.DROPPED for row in rows),
        boards,
        boards_a_round,
        Counter(name for row in rows for name in row.left_over),
        sum(len(set(first.left_over) & set(second.left_over)) for first, second in pairs),
        [(b.drawn_at - a.ended_at).total_seconds() for a, b in pairs if a.ended_at],
        Counter(row.kind for row in rows),
    )


def rounds_rated() -> dict[str, datetime]:
    """When each round ended whose boards the lines of its list follow from, by public id."""
    rated = RatedSet.objects.filter(due="", list__kind="ladder")
    tournaments = rated.values("board_set__round__stage__tournament")
    rows = LadderRound.objects.filter(tournament__in=tournaments, ended_at__isnull=False)
    return {name: at for name, at in rows.values_list("public_id", "ended_at") if at is not None}


def trouble() -> list[str]:
    """Verdicts other than ok and faults of ours, each with its number; empty if there are none."""
    found = []
    verdicts = TableSeat.objects.exclude(verdict__in=("", "OK")).order_by()
    for verdict, count in verdicts.values_list("verdict").annotate(count=Count("pk")):
        found.append(f"{count} seats with the verdict {verdict}")
    failed = Table.objects.filter(Q(failures__gt=0) | Q(state__in=("quarantined", "void"))).order_by()
    for cause, state, count in failed.values_list("cause", "state").annotate(count=Count("pk")):
        found.append(f"{count} tables {state} after failing: {cause or 'no cause'}")
    again = Table.objects.filter(attempt__gt=1).count()
    if again:
        found.append(f"{again} tables were begun more than once")
    suspended = BotVersion.objects.exclude(state=BotVersion.State.READY).count()
    if suspended:
        found.append(f"{suspended} versions are not ready any more")
    return found


def errors_logged(logs: Path) -> list[str]:
    """Lines of errors in all logs, each with the name of its file."""
    return [
        f"{path.name}: {line[:300]}"
        for path in sorted(logs.glob("*.log*"))
        for line in path.read_text(errors="replace").splitlines()
        if ERROR.search(line)
    ]


def spread(values: Sequence[float], unit: str = "") -> str:
    """Least, median and most as text."""
    if not values:
        return "none"
    return f"{min(values):.1f} / {statistics.median(values):.1f} / {max(values):.1f}{unit}"
