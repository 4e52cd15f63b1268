"""Draw of a ladder's next round, a small tournament: eligible versions, CPU budget and random lot.

Its secret is the next one of the published queue, so the operator cannot draw several lots and choose one.
"""

from __future__ import annotations

import datetime
import logging
import random
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.accounts.house import is_house_account
from arena.accounts.models import audit
from arena.competition.commitments import commitment_reserve
from arena.competition.models import Tournament
from arena.competition.small_events import background_event_start, ladder_account
from arena.features.ladders.budget import LadderTable, cpu_ms_by_version, fixtures_affordable, ladder_table
from arena.features.ladders.installing import ruleset_of
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ladders.removal import placements_prune
from arena.features.ladders.seasons import season_current, season_list
from arena.features.ratings.models import RatedSet, Rating
from arena.features.ratings.selectors import list_set_scores
from arena.roster.models import BotVersion
from league.fairness import field_digest, ladder_lot
from league.rating.fixtures import SetScores
from league.rating.ladder import FLOOR_ROUNDS, LadderContender, LadderFixture, estimate_strengths, next_round

log = logging.getLogger(__name__)

DRAWS_WITH_CAPS = 10
"""Draws that respect the caps on repeated meetings. An empty draw is repeated."""
MAX_DRAWS = 20
"""Maximum draws; those after ``DRAWS_WITH_CAPS`` ignore the caps."""
MAX_ENTRIES = 1000
"""Maximum entries of a tournament."""


@transaction.atomic
def round_draw(ladder: Ladder) -> Tournament | None:
    """Draw the next round as a running tournament whose fixtures the caller opens; None if no round is due.

    A round is not due while a round is open or unrated, during the pause (unless a version is new), without a
    version of a player, with too few owners, or without budget. Safe to run concurrently.
    """
    now = timezone.now()
    # A concurrent call waits here, and then sees the open round.
    active = Ladder.objects.select_for_update(no_key=True).filter(pk=ladder.pk, state=Ladder.State.ACTIVE)
    if not active.exists() or ladder.rounds.filter(state=LadderRound.State.OPEN).exists():
        return None
    placed = placements_prune(ladder)
    table = ladder_table(ladder)
    if not _can_fill_table(placed, table.sides):
        return None
    season = season_current(ladder, now)
    if season is None:
        return None
    rating_list = season_list(season)
    if RatedSet.objects.filter(list=rating_list).exclude(stale_mark="").exists():
        return None
    played = dict(Rating.objects.filter(list=rating_list).values_list("version__public_id", "fixtures"))
    if not _is_due(ladder, [played.get(row.version.public_id, 0) for row in placed], now):
        return None
    most = fixtures_affordable(ladder, table, now)
    placed = _ready_placements(placed)
    if most < 1 or not _can_fill_table(placed, table.sides):
        return None
    try:
        with transaction.atomic():
            return _draw(season, placed, played, list_set_scores(rating_list), table, most, now)
    except _NoPairingError:
        log.warning("ladder %s: no two of %d may meet", ladder.name, len(placed))
        return None


class _NoPairingError(Exception):
    pass


def _can_fill_table(placed: Sequence[Placement], sides: int) -> bool:
    """Return whether enough different owners are present, at least one of them a player."""
    owners = {row.bot.owner.user.username for row in placed}
    return len(owners) >= sides and any(not is_house_account(name) for name in owners)


def _ready_placements(placed: Sequence[Placement]) -> list[Placement]:
    """Filter to ready versions, and lock them until the end of the transaction. One query."""
    rows = BotVersion.objects.select_for_update(no_key=True).order_by("pk")
    versions = rows.filter(pk__in=[row.version_id for row in placed], state=BotVersion.State.READY)
    ready = set(versions.values_list("pk", flat=True))
    return [row for row in placed if row.version_id in ready]


def _contenders(
    season: LadderSeason, placed: Sequence[Placement], played: Mapping[str, int]
) -> list[LadderContender]:
    last = season.rounds.filter(state=LadderRound.State.COUNTED).order_by("-number").first()
    unpaired = set(last.unpaired) if last else set()
    cost = cpu_ms_by_version(season.ladder)
    usual = statistics.median(cost.values()) if cost else 1.0
    return [
        LadderContender(
            row.version.public_id,
            row.bot.owner.user.public_id,
            played.get(row.version.public_id, 0),
            row.version.public_id in unpaired,
            cost.get(row.version.public_id, usual),
        )
        for row in placed
    ]


def _is_due(ladder: Ladder, rounds_played: Sequence[int], now: datetime.datetime) -> bool:
    """Return whether the pause after the last round is over, or there are new versions. One query."""
    last = ladder.rounds.exclude(state=LadderRound.State.OPEN).order_by("-pk").first()
    if last is None or last.ended_at is None:
        return True
    if last.state == LadderRound.State.COUNTED and any(rounds < FLOOR_ROUNDS for rounds in rounds_played):
        return True
    return now >= last.ended_at + datetime.timedelta(seconds=settings.LADDERS.pause_s)


def meeting_counts(sets: Iterable[SetScores]) -> dict[tuple[str, str], int]:
    met: Counter[tuple[str, str]] = Counter()
    for set_scores in sets:
        for members in set_scores.members.reshape(len(set_scores.fixtures), -1).tolist():
            names = sorted({set_scores.names[index] for index in members})
            met.update(combinations(names, 2))
    return dict(met)


def _draw(
    season: LadderSeason,
    placed: Sequence[Placement],
    played: Mapping[str, int],
    sets: Sequence[SetScores],
    table: LadderTable,
    most: int,
    now: datetime.datetime,
) -> Tournament:
    ladder = season.ladder
    contenders = _contenders(season, placed, played)
    number = (season.rounds.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    digest = field_digest(row.version.bundle_sha256 for row in placed)
    secret = bytes(commitment_reserve().commitment.secret)
    rounds = season.rounds.filter(state=LadderRound.State.COUNTED).count()
    outlook = estimate_strengths(sets, [row.entry for row in contenders])
    met = meeting_counts(sets)
    for attempt in range(MAX_DRAWS):
        draw = next_round(
            contenders,
            outlook,
            # Repeated opponents are better than no round.
            met if attempt < DRAWS_WITH_CAPS else {},
            rounds=rounds,
            lot=random.Random(ladder_lot(secret, season.public_id, number, digest, attempt)),
            sides=table.sides,
            most_fixtures=min(most, MAX_ENTRIES // table.sides),
        )
        if draw.fixtures:
            break
    else:
        raise _NoPairingError
    by_id = {row.version.public_id: row for row in placed}
    playing = []
    for fixture in draw.fixtures:
        for name in fixture.entries:
            # Entries of tournaments need bot and owner fetched.
            version = by_id[name].version
            version.bot = by_id[name].bot
            playing.append([version])
    tournament = background_event_start(
        Tournament.Kind.LADDER,
        ladder_account(),
        playing,
        # Seeds follow the order of the pairings.
        [range(first, first + table.sides) for first in range(1, len(playing) + 1, table.sides)],
        name=f"{ladder.name} {season.name}, round {number}",
        preset=ladder.preset,
        boards=ladder.boards,
        board_kind=ladder.board_kind,
        ruleset=ruleset_of(ladder),
    )
    ladder_round = LadderRound.objects.create(
        ladder=ladder,
        season=season,
        number=number,
        kind=draw.kind,
        tournament=tournament,
        drawn_at=now,
        contenders=sorted(by_id),
        contenders_digest=digest,
        unpaired=sorted(draw.unpaired),
        pairings=[_pairing_row(fixture) for fixture in draw.fixtures],
    )
    audit(
        None,
        "draw",
        ladder_round,
        ladder=ladder.name,
        tournament=tournament.public_id,
        fixtures=len(draw.fixtures),
    )
    return tournament


def _pairing_row(fixture: LadderFixture) -> dict[str, Any]:
    return {
        "versions": list(fixture.entries),
        "kind": fixture.kind,
        "pairs": [
            {
                "version": pair.entry,
                "other": pair.other,
                "difference": pair.difference,
                "error": pair.error,
                "gain": pair.gain,
            }
            for pair in fixture.pairs
        ],
    }
