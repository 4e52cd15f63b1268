"""Whom a bot met in its latest fixtures, and how that ended. Of closed boards alone, so nothing is sealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Q

from arena.accounts.selectors import Viewer
from arena.competition.models import Entry
from arena.competition.selectors import IN_FIELD, tournaments_visible_to
from arena.matches.fixture_selectors import ENTRY_NAMES
from arena.matches.models import BoardSet, Fixture, FixtureEntry
from arena.roster.models import Bot, BotVersion
from arena.standings.models import FixtureScore

ENTRIES_AT_MOST = 60
"""The latest entries are looked through."""
FIXTURES_AT_MOST = 200


class Meeting(NamedTuple):
    """One fixture as a bot played it."""

    fixture: Fixture
    """With tournament, board set, round and stage."""
    own: Entry
    opponents: tuple[Entry, ...]
    """Everybody on other sides, in the order of the pairing."""
    total: Fraction
    """Stones over all boards, exact."""
    against: tuple[Fraction, ...]
    """The totals of the opponents."""
    done_at: datetime | None

    @property
    def won(self) -> int:
        """Opponents with a lower total."""
        return sum(self.total > other for other in self.against)

    @property
    def lost(self) -> int:
        """Opponents with a higher total."""
        return sum(self.total < other for other in self.against)


def latest_meetings(
    subject: Bot | BotVersion, viewer: Viewer, at_most: int = FIXTURES_AT_MOST
) -> list[Meeting]:
    """The fixtures of a bot or version with totals, latest first, of visible tournaments. Four queries.

    Void fixtures, which have no totals, are left out. Of a bot that holds entries on two sides of a fixture
    (two of its versions met) each has its own.
    """
    who = (
        Q(version__bot=subject) | Q(partner_version__bot=subject)
        if isinstance(subject, Bot)
        else Q(version=subject) | Q(partner_version=subject)
    )
    entries = Entry.objects.filter(
        who, status__in=IN_FIELD, tournament__in=tournaments_visible_to(viewer).order_by()
    )
    keys = list(entries.order_by("-id").values_list("pk", flat=True)[:ENTRIES_AT_MOST])
    own = FixtureEntry.objects.filter(
        entry__in=keys, fixture__board_set__state=BoardSet.State.CLOSED
    ).exclude(fixture__state=Fixture.State.VOID)
    rows = list(
        own.select_related("fixture__board_set__round__stage", "fixture__tournament").order_by(
            "-fixture_id", "position"
        )[:at_most]
    )
    fixtures = {row.fixture_id for row in rows}
    sides: dict[int, list[FixtureEntry]] = defaultdict(list)
    members = FixtureEntry.objects.filter(fixture__in=fixtures).select_related(
        *ENTRY_NAMES, "entry__version__bot__owner", "entry__partner_version__bot__owner"
    )
    for member in members.order_by("fixture_id", "position"):
        sides[member.fixture_id].append(member)
    totals = _totals(fixtures)
    return [found for row in rows if (found := _meeting(row, sides[row.fixture_id], totals)) is not None]


def _totals(fixtures: Iterable[int]) -> dict[tuple[int, int], Fraction]:
    rows = FixtureScore.objects.filter(
        fixture__in=list(fixtures), fixture__board_set__state=BoardSet.State.CLOSED
    ).order_by()
    return {
        (fixture, entry): Fraction(numerator, denominator)
        for fixture, entry, numerator, denominator in rows.values_list(
            "fixture", "entry", "numerator", "denominator"
        )
    }


def _meeting(
    row: FixtureEntry, members: list[FixtureEntry], totals: dict[tuple[int, int], Fraction]
) -> Meeting | None:
    """None while there are no totals, and of a bye."""
    others = [member for member in members if member.side != row.side]
    known = [totals.get((row.fixture_id, member.entry_id)) for member in others]
    total = totals.get((row.fixture_id, row.entry_id))
    own = next(member.entry for member in members if member.entry_id == row.entry_id)
    against = tuple(value for value in known if value is not None)
    if total is None or not others or len(against) < len(others):
        return None
    return Meeting(
        row.fixture, own, tuple(member.entry for member in others), total, against, row.fixture.done_at
    )
