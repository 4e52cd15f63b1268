"""Latest fixtures of entries with opponents and totals. Only closed boards, so nothing is sealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import F, FilteredRelation, Q, QuerySet

from arena.accounts.selectors import Viewer
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.entries.names import ListedEntry, entries_by_key
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import visible_tournament_filter
from arena.matches.models import BoardSet, Fixture, FixtureEntry
from arena.roster.models import Bot, BotVersion

MAX_ENTRIES = 60
"""Maximum latest entries of a bot that are searched."""
MAX_FIXTURES = 100


class PlayedFixture(NamedTuple):
    key: int
    public_id: str
    boards: int
    stage: int
    round: int
    tournament: str
    tournament_name: str
    state: str
    board_set: str
    game: str


class BotFixture(NamedTuple):
    """A fixture from the view of one entry."""

    fixture: PlayedFixture
    own: ListedEntry
    opponents: tuple[ListedEntry, ...]
    """Entries on other sides, in the order of the pairing."""
    total: Fraction
    """Stones over all boards, exact."""
    against: tuple[Fraction, ...]
    sides: int

    @property
    def has_comparable_tables(self) -> bool:
        return self.sides == 2 and self.fixture.state == Fixture.State.SETTLED

    @property
    def won(self) -> int:
        return sum(self.total > other for other in self.against)

    @property
    def lost(self) -> int:
        return sum(self.total < other for other in self.against)


class LatestEntry(NamedTuple):
    """An entry of a bot or version, with the current state of its tournament."""

    key: int
    tournament: int
    revision: int
    """Revision of the tournament, which increases whenever a result of a closed round changes."""
    state: str


def latest_entries(subject: Bot | BotVersion, viewer: Viewer) -> list[LatestEntry]:
    """Return the latest entries in visible events and challenges, latest first. One query."""
    who = (
        Q(version__bot=subject) | Q(partner_version__bot=subject)
        if isinstance(subject, Bot)
        else Q(version=subject) | Q(partner_version=subject)
    )
    entries = Entry.objects.filter(who, visible_tournament_filter(viewer), status__in=FIELD_STATUSES).exclude(
        tournament__kind__in=Tournament.BACKGROUND
    )
    columns = ("pk", "tournament_id", "tournament__revision", "tournament__state")
    rows = entries.order_by("-id").values_list(*columns)[:MAX_ENTRIES]
    return [LatestEntry(*row) for row in rows]


def bot_fixtures_of(
    entries: Collection[int], at_most: int = MAX_FIXTURES, *, settled_only: bool = False
) -> list[BotFixture]:
    """Return the fixtures with totals of these entries (keys), latest first. Three queries.

    If two of the entries meet, the fixture is listed once for each.
    """
    own = FixtureEntry.objects.filter(
        entry__in=entries, fixture__board_set__state=BoardSet.State.CLOSED
    ).exclude(fixture__state=Fixture.State.VOID)
    if settled_only:
        own = own.filter(fixture__state=Fixture.State.SETTLED, fixture__scores_stale=False)
    columns = (
        *("entry_id", "side", "fixture_id", "fixture__public_id", "fixture__board_set__boards"),
        *("fixture__board_set__round__stage__number", "fixture__board_set__round__number"),
        *("fixture__tournament__public_id", "fixture__tournament__name"),
        *("fixture__state", "fixture__board_set__public_id", "fixture__tournament__game"),
    )
    rows = list(own.order_by("-fixture_id", "position").values_list(*columns)[:at_most])
    fixtures = {row[2] for row in rows}
    sides: dict[int, list[tuple[int, int]]] = defaultdict(list)
    totals: dict[tuple[int, int], Fraction] = {}
    for fixture, entry, side, *total in members_with_totals(fixtures, "entry_id", "side"):
        sides[fixture].append((entry, side))
        if None not in total:
            totals[fixture, entry] = Fraction(*total)
    named = entries_by_key({entry for met in sides.values() for entry, _ in met})
    meetings = []
    for entry, side, *fixture_values in rows:
        played = PlayedFixture(*fixture_values)
        opponent_keys = [other for other, their_side in sides[played.key] if their_side != side]
        total = totals.get((played.key, entry))
        against = tuple(
            value for other in opponent_keys if (value := totals.get((played.key, other))) is not None
        )
        if total is not None and opponent_keys and len(against) == len(opponent_keys):
            opponents = tuple(named[other] for other in opponent_keys)
            side_count = len({each for _, each in sides[played.key]})
            meetings.append(BotFixture(played, named[entry], opponents, total, against, side_count))
    return meetings


def members_with_totals(fixtures: Collection[int], *columns: str) -> QuerySet[FixtureEntry, Any]:
    """Return all members of these fixtures with their totals, in the order of the pairing. One query."""
    of_member = FilteredRelation("fixture__totals", condition=Q(fixture__totals__entry=F("entry")))
    rows = FixtureEntry.objects.filter(fixture__in=fixtures).annotate(total=of_member)
    all_columns = ("fixture_id", *columns, "total__numerator", "total__denominator")
    return rows.order_by("fixture_id", "position").values_list(*all_columns)
