"""Making ratings: a list follows from its closed board sets alone, in whatever order they come.

A set that is new to a list, or whose scores changed, is due; whoever makes the list reads it and writes
lines, changes and the end of being due in one transaction. What is lost in between the next tick finds.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from arena.features.ratings.board_scores import (
    VersionPair,
    closed_sets,
    event_list_key,
    left_out_pairs,
    set_scores_in_list,
    unpack_cached,
)
from arena.features.ratings.models import ClosedSeen, Line, RatedSet, Rating, RatingChange, RatingList
from arena.matches.models import BoardSet
from arena.roster.models import BotVersion
from league.rating.columns import Line as Found
from league.rating.columns import line_named, lines_digest, lines_of
from league.rating.fixtures import SetScores
from league.rating.packing import pack_sets
from league.rating.table import Ratings, rate

log = logging.getLogger(__name__)

SETS_PER_CALL = 200
"""Closed sets that one call looks at."""
MAX_CALL_S = 5.0
"""So long one call of ``ratings_make`` begins another list."""
BATCH_SIZE = 1000
"""Rows a statement takes."""


def ladder_list(
    ladder_season: str, *, season: str, game: str, preset: str, board_kind: str, seats: int
) -> RatingList:
    """The list of a ladder's season, made if there is none; ``ladder_season`` is the season's public id."""
    given = {"season": season, "game": game, "preset": preset, "board_kind": board_kind, "seats": seats}
    found, _ = RatingList.objects.get_or_create(
        kind=RatingList.Kind.LADDER, ladder_season=ladder_season, defaults=given
    )
    return found


def lists_for_set(board_set: BoardSet) -> list[RatingList]:
    """The lists a closed set belongs to: that of its quarter, made if need be, or those it was put in."""
    key = event_list_key(board_set)
    if key is None:
        return list(RatingList.objects.filter(rated_sets__board_set=board_set).order_by("pk"))
    found, _ = RatingList.objects.get_or_create(kind=RatingList.Kind.EVENTS, **key._asdict())
    return [found]


@transaction.atomic
def set_add(board_set: BoardSet, ladder: RatingList | None = None) -> list[RatingList]:
    """Put a closed set into its lists, which are due then; a round of a ladder into that of its season.

    Returns the lists. Twice is as good as once.
    """
    lists = lists_for_set(board_set) if ladder is None else [ladder]
    for found in lists:
        RatedSet.objects.get_or_create(list=found, board_set=board_set, defaults={"due": _new_due_mark()})
    return lists


def set_remove(board_set: BoardSet, ladder: RatingList) -> None:
    """Take a set out of the list of a ladder's season, as if it had never been played; the list is due then.

    Inside a transaction. Twice is as good as once.
    """
    if not RatedSet.objects.filter(list=ladder, board_set=board_set).delete()[0]:
        return
    RatingChange.objects.filter(list=ladder, board_set=board_set).delete()
    left = RatedSet.objects.filter(list=ladder).order_by("pk").first()
    if left is None:
        list_rebuild(ladder)
    else:
        # A list is due by a set that is: any of those left.
        RatedSet.objects.filter(pk=left.pk).update(due=_new_due_mark())


def sets_mark_due(board_sets: Collection[int]) -> None:
    """The scores of these sets, by key, were made again: their lists are due. One query."""
    RatedSet.objects.filter(board_set__in=board_sets).update(due=_new_due_mark())


def closed_sets_add() -> int:
    """Put sets of events that closed since the last call into their lists; how many were looked at."""
    with transaction.atomic():
        seen, _ = ClosedSeen.objects.select_for_update().get_or_create(pk=1)
        # Sets get their place in the closing order one by one, so that none appears before ``seen``.
        new = list(closed_sets().filter(closed_seq__gt=seen.closed_seq)[:SETS_PER_CALL])
        for board_set in new:
            if event_list_key(board_set) is not None:
                set_add(board_set)
        if new:
            seen.closed_seq = new[-1].closed_seq or 0
            seen.save(update_fields=["closed_seq"])
    return len(new)


def ratings_make(most_s: float = MAX_CALL_S) -> int:
    """Make lists that are due, the one that waits longest first; how many. Safe to run twice at once."""
    until = time.monotonic() + most_s
    while closed_sets_add() == SETS_PER_CALL and time.monotonic() < until:
        pass
    made = 0
    for found in lists_due():
        try:
            made += list_rebuild(found)
        except Exception:
            # One list that cannot be made must not hold up the others.
            log.exception("ratings: list %s", found.public_id)
        if time.monotonic() >= until:
            break
    return made


def lists_due() -> list[RatingList]:
    """Those with a set that is new or changed, the one made longest ago first. One query."""
    due = RatedSet.objects.exclude(due="").values("list")
    return sorted(
        RatingList.objects.filter(pk__in=due),
        key=lambda found: (found.made_at is not None, found.made_at, found.pk),
    )


class _SetReading(NamedTuple):
    """A set in a list, its scores as they are now."""

    row: RatedSet
    is_new: bool
    packed: bytes
    sets: tuple[SetScores, ...]
    before: tuple[SetScores, ...]

    @property
    def has_changed(self) -> bool:
        """Whether the scores are not those the lines follow from."""
        return self.packed != bytes(self.row.scores)

    @property
    def names(self) -> set[str]:
        """Whose fixtures are, or were, in it."""
        return {name for one in (*self.sets, *self.before) for name in one.names}


def list_rebuild(rating_list: RatingList, *, everything: bool = False) -> bool:
    """Make the lines of a list from its sets, reading those again that are due, or all (``everything``).

    Returns False if somebody else made it meanwhile, or nothing was left to make it of. Costs a fit of all
    sets: about a second for 1,000 entries in 100,000 fixtures.
    """
    begun = RatingList.objects.get(pk=rating_list.pk)
    if everything and begun.kind == RatingList.Kind.EVENTS:
        _membership_repair(begun)
    rows = list(
        RatedSet.objects.filter(list=begun)
        .select_related("board_set__round__stage__tournament")
        .order_by("board_set__closed_seq")
    )
    pairs = left_out_pairs(begun)
    read = [_read_set(row, pairs, is_asked=everything or bool(row.due)) for row in rows]
    sets = [one for found in read for one in found.sets]
    ratings = rate(sets, is_ladder=begun.kind == RatingList.Kind.LADDER)
    lines = lines_of(ratings)
    with transaction.atomic():
        # Whoever began from the same revision and was faster has made it; the tick looks again.
        mine = RatingList.objects.filter(pk=begun.pk, revision=begun.revision)
        counts = _counts(sets, lines, ratings)
        if not mine.update(
            revision=begun.revision + 1, made_at=timezone.now(), digest=lines_digest(lines), **counts
        ):
            return False
        for found in read:
            if found.has_changed or found.row.due:
                # Changed again meanwhile, it stays due, and is read again by the next call.
                same = RatedSet.objects.filter(pk=found.row.pk, due=found.row.due)
                fixtures = sum(len(one.fixtures) for one in found.sets)
                same.update(due="", scores=found.packed, fixtures=fixtures)
        _lines_replace(begun, lines, [found for found in read if found.has_changed])
    return True


def _membership_repair(rating_list: RatingList) -> None:
    """Put every closed set of an events' list into it, and take out what does not belong there."""
    asked = closed_sets().filter(
        round__stage__tournament__game=rating_list.game,
        round__stage__tournament__preset=rating_list.preset,
        round__stage__tournament__kind="event",
    )
    key = tuple(getattr(rating_list, name) for name in ("game", "preset", "board_kind", "seats", "season"))
    members = {board_set.pk for board_set in asked.iterator(BATCH_SIZE) if event_list_key(board_set) == key}
    there = set(RatedSet.objects.filter(list=rating_list).values_list("board_set_id", flat=True))
    RatedSet.objects.filter(list=rating_list, board_set__in=there - members).delete()
    RatedSet.objects.bulk_create(
        [RatedSet(list=rating_list, board_set_id=pk, due=_new_due_mark()) for pk in sorted(members - there)],
        batch_size=BATCH_SIZE,
    )


def _read_set(row: RatedSet, pairs: Sequence[VersionPair], *, is_asked: bool) -> _SetReading:
    stored = bytes(row.scores)
    before = unpack_cached(stored) if stored else ()
    if not is_asked:
        return _SetReading(row, False, stored, before, before)
    now = set_scores_in_list(row.board_set, pairs)
    return _SetReading(row, not stored, pack_sets(now), now, before)


def _counts(sets: Sequence[SetScores], lines: Sequence[Found], ratings: Ratings) -> dict[str, float]:
    boards = {one.board_set: one.boards for one in sets}
    return {
        "sets": len(boards),
        "fixtures": sum(len(one.fixtures) for one in sets),
        "boards": sum(boards.values()),
        "rated": sum(line.figures is not None for line in lines),
        "unrated": sum(line.figures is None for line in lines),
        "misfit": ratings.misfit**0.5,
    }


def _lines_replace(rating_list: RatingList, lines: Sequence[Found], changed: Sequence[_SetReading]) -> None:
    """Store lines in place of those before, and what changed as their history."""
    before = {(row.version_id, row.partner): row for row in Rating.objects.filter(list=rating_list)}
    names = {line.version for line in lines}
    keys = dict(BotVersion.objects.filter(public_id__in=names).order_by().values_list("public_id", "pk"))
    now = [
        Rating(list=rating_list, lines_after=after, **_line_columns(line, keys[line.version]))
        for after, line in zip(reversed(range(len(lines))), lines, strict=True)
    ]
    Rating.objects.filter(list=rating_list).delete()
    Rating.objects.bulk_create(now, batch_size=BATCH_SIZE)
    if not changed:
        return
    played = {
        (keys.get(version), str(partner))
        for found in changed
        for version, partner in map(line_named, found.names)
    }
    is_rescored = any(not found.is_new for found in changed)
    last = max(
        (found for found in changed if found.is_new != is_rescored),
        key=lambda found: found.row.board_set.closed_seq or 0,
    )
    cause = RatingChange.Cause.RESCORED if is_rescored else RatingChange.Cause.CLOSED
    changes = []
    for row in now:
        past = before.get((row.version_id, row.partner))
        was_rated = past is not None and past.is_rated
        # A closed set moves everybody a little; a point of the history is for those who played in it.
        is_told = is_rescored or (row.version_id, row.partner) in played or row.is_rated != was_rated
        is_same = past is not None and past.values() == row.values()
        if is_told and not is_same and (row.is_rated or was_rated):
            given = {name: getattr(row, name) for name in (*_HISTORY_FIELDS, *Line.FIGURES)}
            changes.append(RatingChange(list=rating_list, cause=cause, board_set=last.row.board_set, **given))
    RatingChange.objects.bulk_create(changes, batch_size=BATCH_SIZE)


_HISTORY_FIELDS = ("version_id", "partner", "fixtures", "boards", "degrees", "reasons")


def _line_columns(line: Found, version: int) -> dict[str, object]:
    figures = line.figures._asdict() if line.figures is not None else {}
    return {
        "version_id": version,
        "partner": line.partner,
        "fixtures": line.fixtures,
        "boards": line.boards,
        "degrees": line.degrees,
        "reasons": [reason._asdict() for reason in line.reasons],
        **figures,
    }


def ratings_check(rating_list: RatingList) -> list[str]:
    """What of a list does not follow from the board scores as they are now; empty if all of it does.

    Reads every set again and fits once. What is due is not a disagreement: it is being made.
    """
    found: list[str] = []
    rows = RatedSet.objects.filter(list=rating_list).select_related("board_set__round__stage__tournament")
    sets: list[SetScores] = []
    pairs = left_out_pairs(rating_list)
    for row in rows.order_by("board_set__closed_seq"):
        if row.due:
            return []
        now = set_scores_in_list(row.board_set, pairs)
        if pack_sets(now) != bytes(row.scores):
            found.append(f"board set {row.board_set.public_id}: its scores are not those that were rated")
        if rating_list.kind == RatingList.Kind.EVENTS and event_list_key(row.board_set) is None:
            found.append(f"board set {row.board_set.public_id}: does not belong to a list of events")
        sets += now
    lines = lines_of(rate(sets, is_ladder=rating_list.kind == RatingList.Kind.LADDER))
    rating_list.refresh_from_db()
    if lines_digest(lines) != rating_list.digest:
        found.append("its digest is another")
    stored = {
        (row.version.public_id, row.partner): row
        for row in Rating.objects.filter(list=rating_list).select_related("version")
    }
    for line in lines:
        have = stored.pop((line.version, line.partner), None)
        wanted = Rating(list=rating_list, **_line_columns(line, 0))
        if have is None:
            found.append(f"version {line.version} ({line.partner}): has no line")
        elif have.values() != wanted.values():
            found.append(f"version {line.version} ({line.partner}): {have.values()}, not {wanted.values()}")
    found += [f"version {version} ({partner}): a line too many" for version, partner in sorted(stored)]
    return found


def _new_due_mark() -> str:
    return secrets.token_hex(8)
