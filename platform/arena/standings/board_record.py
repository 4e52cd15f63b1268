"""Board scores of a bot or player against each opponent, and its best and worst boards: closed sets only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from fractions import Fraction
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.entries.names import ListedEntry
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.roster.models import Player
from arena.standings.board_values import parse_values
from arena.standings.bot_fixtures import BotFixture, PlayedFixture, bot_fixtures_of
from arena.standings.last_results import ENDED
from arena.standings.models import FixtureScore, StandingRow
from league.intervals import Interval, mean_interval

MAX_ENTRIES = 60
"""Maximum latest entries that are read."""
MAX_BOARDS = 10_000
"""Maximum boards of the latest fixtures whose scores are read."""
MAX_BEST = 5
"""Maximum best boards, and worst boards."""
MAX_DECISIVE = 10
MIN_BOARDS = 10
"""Minimum boards of an interval."""

OpponentKey = Callable[[ListedEntry], Hashable]
"""Identifies the opponent to which an entry belongs; None for the subject itself."""


class OpponentRecord(NamedTuple):
    """Board scores against the entries of another player or bot in one game."""

    latest: ListedEntry
    """The opponent's entry in the latest fixture."""
    game: str
    fixtures: int
    won: int
    drawn: int
    lost: int
    interval: Interval
    """Stones per board with a 95% interval. A board counts half the difference of both board scores, which is
    the own score if there are two sides.
    """
    expected_share: float
    """Expected stones per board for one stone of difference in strength: 1 with two sides, less with more."""

    @property
    def boards(self) -> int:
        return self.interval.boards

    @property
    def has_interval(self) -> bool:
        return self.boards >= MIN_BOARDS


class RecordedBoard(NamedTuple):
    bot_fixture: BotFixture
    board: int
    value: Fraction
    """Board score."""

    @property
    def fixture(self) -> PlayedFixture:
        return self.bot_fixture.fixture


class BoardRecord(NamedTuple):
    opponents: tuple[OpponentRecord, ...]
    """Highest mean first."""
    best: tuple[RecordedBoard, ...]
    """Boards won, highest score first."""
    worst: tuple[RecordedBoard, ...]
    """Boards lost, lowest score first."""
    decisive: tuple[RecordedBoard, ...]
    """The board with the largest score, won or lost, of each of the latest comparable fixtures."""
    fixtures: int
    """Number of fixtures that were read."""


NO_RECORD = BoardRecord((), (), (), (), 0)


def board_record(bot_fixtures: Sequence[BotFixture], opponent_of: OpponentKey) -> BoardRecord:
    """Return the record in these fixtures, which are latest first. One query, none without fixtures."""
    counted = list(accumulate(each.fixture.boards for each in bot_fixtures))
    read = [each for each, boards in zip(bot_fixtures, counted, strict=True) if boards <= MAX_BOARDS]
    if not read:
        return NO_RECORD
    scores: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(dict)
    rows = FixtureScore.objects.filter(fixture__in={each.fixture.key for each in read}).order_by()
    for fixture, entry, text in rows.values_list("fixture_id", "entry_id", "board_values"):
        scores[fixture, entry] = parse_values(text)
    boards_of = [scores[each.fixture.key, each.own.key] for each in read]
    recorded = [
        RecordedBoard(each, board, value)
        for each, boards in zip(read, boards_of, strict=True)
        for board, value in boards.items()
    ]
    recorded.sort(key=lambda each: (-each.value, -each.fixture.key, each.board))
    decisive = [
        RecordedBoard(each, *max(boards.items(), key=lambda item: (abs(item[1]), -item[0])))
        for each, boards in zip(read, boards_of, strict=True)
        if each.has_comparable_tables and boards
    ]
    return BoardRecord(
        _opponents(read, scores, opponent_of),
        tuple(each for each in recorded[:MAX_BEST] if each.value > 0),
        tuple(each for each in recorded[: -MAX_BEST - 1 : -1] if each.value < 0),
        tuple(decisive[:MAX_DECISIVE]),
        len(read),
    )


def player_record(player: Player) -> BoardRecord:
    """Return the record in the latest fixtures of public tournaments. One query if nothing has changed since,
    else five.
    """
    entries = Entry.objects.filter(
        player=player,
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        status__in=FIELD_STATUSES,
    )
    columns = ("pk", "tournament__revision", "tournament__state")
    revisions = tuple(entries.order_by("-pk").values_list(*columns)[:MAX_ENTRIES])

    def opponent_of(entry: ListedEntry) -> Hashable:
        return entry.player if entry.player != player.handle else None

    def build() -> BoardRecord:
        fixtures = bot_fixtures_of([key for key, *_revision in revisions], settled_only=True)
        return board_record(fixtures, opponent_of)

    key = CacheKey(("player record", player.pk), revisions)
    return process_cache.get_or_build(key, build, max_age_s=600, size_of=record_bytes)


def bot_record(bot_fixtures: Sequence[BotFixture], bot: int) -> BoardRecord:
    """Return the record of a bot by the opposing bots; a pair is an opponent of its own. One query."""

    def opponent_of(entry: ListedEntry) -> Hashable:
        bots = tuple(version.bot for version in entry.bots)
        return None if bot in bots else bots

    return board_record(bot_fixtures, opponent_of)


def record_bytes(record: BoardRecord) -> int:
    """Return an estimate of the memory of a record."""
    return 1000 * (len(record.opponents) + len(record.best) + len(record.worst) + len(record.decisive) + 1)


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


class _Meeting(NamedTuple):
    """A fixture against one opposing entry."""

    bot_fixture: BotFixture
    opponent: ListedEntry
    total: Fraction
    against: Fraction
    values: list[Fraction]


def _opponents(
    bot_fixtures: Sequence[BotFixture],
    scores: dict[tuple[int, int], dict[int, Fraction]],
    opponent_of: OpponentKey,
) -> tuple[OpponentRecord, ...]:
    meetings: dict[tuple[Hashable, str], list[_Meeting]] = defaultdict(list)
    for each in bot_fixtures:
        own = scores[each.fixture.key, each.own.key]
        for opponent, against in zip(each.opponents, each.against, strict=True):
            key = opponent_of(opponent)
            opposing = scores[each.fixture.key, opponent.key]
            values = [(own[board] - opposing[board]) / 2 for board in own if board in opposing]
            if key is not None and values:
                meeting = _Meeting(each, opponent, each.total, against, values)
                meetings[key, each.fixture.game].append(meeting)
    records = [_opponent(game, met) for (_key, game), met in meetings.items()]
    return tuple(sorted(records, key=lambda record: (-record.interval.mean, record.latest.player)))


def _opponent(game: str, meetings: Collection[_Meeting]) -> OpponentRecord:
    values = [value for meeting in meetings for value in meeting.values]
    # Between m sides, the expected difference of two scores is m / (m - 1) times that of their strengths.
    shares = [
        sides / (2 * (sides - 1))
        for meeting in meetings
        for sides in [meeting.bot_fixture.sides] * len(meeting.values)
    ]
    wins = sum(meeting.total > meeting.against for meeting in meetings)
    losses = sum(meeting.total < meeting.against for meeting in meetings)
    return OpponentRecord(
        latest=next(iter(meetings)).opponent,
        game=game,
        fixtures=len(meetings),
        won=wins,
        drawn=len(meetings) - wins - losses,
        lost=losses,
        interval=mean_interval(values),
        expected_share=fmean(shares),
    )
