"""A player's board scores against each opponent, best boards and wins: public, closed and settled only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.entries.names import ListedEntry, entries_by_key
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.matches.models import BoardSet, Fixture, FixtureEntry
from arena.roster.models import Player
from arena.standings.last_results import ENDED
from arena.standings.models import BoardScore, StandingRow
from league.intervals import Interval, mean_interval

MAX_ENTRIES = 60
"""Maximum latest entries that are read."""
MAX_FIXTURES = 100
"""Maximum latest fixtures that are read."""
MAX_BEST = 5
MIN_BOARDS = 10
"""Minimum boards of an interval."""


class RecordedFixture(NamedTuple):
    key: int
    entry: int
    side: int
    public_id: str
    board_set: str
    stage: int
    round: int
    game: str
    tournament: str
    """Public id."""
    tournament_name: str


class OpponentRecord(NamedTuple):
    """Board scores against the entries of another player in one game."""

    player: str
    game: str
    fixtures: int
    boards: int
    interval: Interval
    """Stones per board with a 95% interval. A board counts half the difference of both board scores, which is
    the own score if there are two sides.
    """

    @property
    def has_interval(self) -> bool:
        return self.boards >= MIN_BOARDS


class RecordedBoard(NamedTuple):
    fixture: RecordedFixture
    board: int
    value: Fraction
    """Board score; greater than 0."""
    own: ListedEntry
    opponents: tuple[ListedEntry, ...]


class PlayerRecord(NamedTuple):
    opponents: tuple[OpponentRecord, ...]
    """Highest mean first."""
    best: tuple[RecordedBoard, ...]
    fixtures: int
    """Number of fixtures that were read."""


def player_record(player: Player) -> PlayerRecord:
    """Return the record in the latest fixtures. One query if nothing has changed since, else five."""
    entries = Entry.objects.filter(
        player=player,
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        status__in=FIELD_STATUSES,
    )
    columns = ("pk", "tournament__revision", "tournament__state")
    revisions = tuple(entries.order_by("-pk").values_list(*columns)[:MAX_ENTRIES])
    return process_cache.get_or_build(
        CacheKey(("player record", player.pk), revisions),
        lambda: _record(player, [key for key, *_revision in revisions]),
        max_age_s=600,
        size_of=lambda built: 500 * (len(built.opponents) + len(built.best) + 1),
    )


def tournaments_won(player: Player) -> int:
    """Return the number of public tournaments that entries of the player have won. One query."""
    later = StandingRow.objects.filter(
        stage__tournament=OuterRef("stage__tournament"), stage__number__gt=OuterRef("stage__number")
    )
    first = StandingRow.objects.filter(
        rank=1,
        entry__player=player,
        stage__tournament__kind=Tournament.Kind.TOURNAMENT,
        stage__tournament__visibility=Tournament.Visibility.PUBLIC,
        stage__tournament__state__in=ENDED,
    )
    return first.exclude(Exists(later)).count()


def _record(player: Player, entries: Collection[int]) -> PlayerRecord:
    fixtures = _fixtures(entries)
    keys = [fixture.key for fixture in fixtures]
    members = FixtureEntry.objects.filter(fixture__in=keys).order_by("fixture_id", "position")
    sides: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    columns = ("fixture_id", "entry_id", "side", "entry__player__handle")
    for fixture, entry, side, handle in members.values_list(*columns):
        sides[fixture].append((entry, side, handle))
    scores: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(dict)
    rows = BoardScore.objects.filter(fixture__in=keys).order_by()
    board_columns = ("fixture_id", "entry_id", "board", "numerator", "denominator")
    for fixture, entry, board, numerator, denominator in rows.values_list(*board_columns):
        scores[fixture, entry][board] = Fraction(numerator, denominator)
    gains: dict[tuple[str, str], list[list[Fraction]]] = defaultdict(list)
    for recorded in fixtures:
        own = scores[recorded.key, recorded.entry]
        for entry, side, handle in sides[recorded.key]:
            if side != recorded.side and handle != player.handle:
                opponent_scores = scores[recorded.key, entry]
                values = [
                    (own[board] - opponent_scores[board]) / 2 for board in own if board in opponent_scores
                ]
                if values:
                    gains[handle, recorded.game].append(values)
    opponents = [_opponent(handle, game, values) for (handle, game), values in gains.items()]
    opponents.sort(key=lambda opponent: (-opponent.interval.mean, opponent.player))
    return PlayerRecord(tuple(opponents), _best_boards(fixtures, scores, sides), len(fixtures))


def _fixtures(entries: Collection[int]) -> list[RecordedFixture]:
    rows = FixtureEntry.objects.filter(
        entry__in=entries,
        fixture__state=Fixture.State.SETTLED,
        fixture__scores_stale=False,
        fixture__board_set__state=BoardSet.State.CLOSED,
    )
    columns = (
        *("fixture_id", "entry_id", "side", "fixture__public_id", "fixture__board_set__public_id"),
        *("fixture__board_set__round__stage__number", "fixture__board_set__round__number"),
        *("fixture__tournament__game", "fixture__tournament__public_id", "fixture__tournament__name"),
    )
    listed = rows.order_by("-fixture_id", "position").values_list(*columns)[:MAX_FIXTURES]
    return [RecordedFixture(*row) for row in listed]


def _opponent(handle: str, game: str, fixtures: list[list[Fraction]]) -> OpponentRecord:
    values = [value for boards in fixtures for value in boards]
    return OpponentRecord(handle, game, len(fixtures), len(values), mean_interval(values))


def _best_boards(
    fixtures: list[RecordedFixture],
    scores: dict[tuple[int, int], dict[int, Fraction]],
    sides: dict[int, list[tuple[int, int, str]]],
) -> tuple[RecordedBoard, ...]:
    positive = [
        (value, recorded, board)
        for recorded in fixtures
        for board, value in scores[recorded.key, recorded.entry].items()
        if value > 0
    ]
    positive.sort(key=lambda scored: (-scored[0], -scored[1].key, scored[2]))
    chosen = positive[:MAX_BEST]
    rivals = {
        recorded.key: [entry for entry, side, _handle in sides[recorded.key] if side != recorded.side]
        for _value, recorded, _board in chosen
    }
    own = {recorded.entry for _value, recorded, _board in chosen}
    named = entries_by_key(own | {entry for entries in rivals.values() for entry in entries})
    return tuple(
        RecordedBoard(
            recorded,
            board,
            value,
            named[recorded.entry],
            tuple(named[entry] for entry in rivals[recorded.key]),
        )
        for value, recorded, board in chosen
    )
