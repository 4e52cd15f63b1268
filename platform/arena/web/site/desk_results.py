"""Results on the desk: a line for each entry of the account, grouped by the UTC day on which play ended."""

from __future__ import annotations

import datetime
from itertools import groupby
from typing import NamedTuple

from arena.accounts.models import User
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.account_overview import entries_with_result
from arena.competition.models import Entry, Tournament
from arena.standings.entry_results import BestBoard, EntryResult, entry_results
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.bots.event_results import best_score_of, place_of


class ResultLine(NamedTuple):
    id: str
    label: EntryLabel
    tournament: Tournament
    place: str
    """Such as "3rd of 10"; empty without standings."""
    best: BestBoard | None
    best_score: str
    faulty_tables: int
    faulty_version: str
    """Public id of the account's version, whose faults the account may read."""
    has_left: bool


class ResultDay(NamedTuple):
    day: datetime.date
    lines: list[ResultLine]


def result_days(user: User, most: int) -> list[ResultDay]:
    """Return the account's latest results, latest day first. One query if nothing changed since the last
    call, else five.
    """
    entries = entries_with_result(user, most)
    revision = tuple((entry.pk, entry.tournament.revision) for entry in entries)
    results = process_cache.get_or_build(
        CacheKey("desk results", revision, user.pk), lambda: entry_results(entries, user), max_age_s=MAX_AGE_S
    )
    lines = [_line(entry, result, user) for entry, result in zip(entries, results, strict=True)]
    return [ResultDay(day, list(group)) for day, group in groupby(lines, key=_day)]


def _day(line: ResultLine) -> datetime.date:
    ended_at = line.tournament.provisional_at or line.tournament.state_at
    return ended_at.astimezone(datetime.UTC).date()


def _line(entry: Entry, result: EntryResult, user: User) -> ResultLine:
    own = next((version for version in entry.versions() if version.bot.owner.user_id == user.pk), None)
    return ResultLine(
        id=entry.public_id,
        label=entry_label(entry),
        tournament=entry.tournament,
        place=place_of(result.place, result.field),
        best=result.best,
        best_score=best_score_of(result.best),
        faulty_tables=result.faulty_tables,
        faulty_version=own.public_id if own and result.faulty_tables else "",
        has_left=entry.status == Entry.Status.LEFT,
    )
