"""Computation of ratings: a list depends only on its closed board sets, in any order.

A set that is new to a list, or was rescored, is due. Computing the list reads it, and in one transaction
replaces the lines, appends changes and clears ``stale_mark``.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from arena.accounts.house import HOUSE_USERNAME
from arena.features.ratings.board_scores import (
    VersionPair,
    closed_sets,
    event_list_key,
    excluded_pairs,
    set_scores_in_list,
    unpack_cached,
)
from arena.features.ratings.models import Line, RatedSet, Rating, RatingChange, RatingList, RatingProgress
from arena.matches.models import BoardSet
from arena.roster.models import BotVersion
from league.rating.columns import PARTNERS, line_key, lines_digest, parse_line_key, rating_lines
from league.rating.columns import RatingLine as FittedLine
from league.rating.fixtures import SetScores
from league.rating.packing import pack_sets
from league.rating.table import Difference, RatingTable, rate

log = logging.getLogger(__name__)

SETS_PER_CALL = 200
MAX_CALL_S = 5.0
"""Seconds after which ``ratings_make`` begins no further list."""
BATCH_SIZE = 1000


def ladder_list(
    ladder_season: str, *, season: str, game: str, preset: str, board_kind: str, seats: int
) -> RatingList:
    """Get or create the list of a ladder season (``ladder_season`` is its public id)."""
    given = {"season": season, "game": game, "preset": preset, "board_kind": board_kind, "seats": seats}
    rating_list, _ = RatingList.objects.get_or_create(
        kind=RatingList.Kind.LADDER, ladder_season=ladder_season, defaults=given
    )
    return rating_list


def lists_for_set(board_set: BoardSet) -> list[RatingList]:
    """Return a closed set's lists: its quarter's list, or else those that contain it."""
    key = event_list_key(board_set)
    if key is None:
        return list(RatingList.objects.filter(rated_sets__board_set=board_set).order_by("pk"))
    rating_list, _ = RatingList.objects.get_or_create(kind=RatingList.Kind.TOURNAMENTS, **key._asdict())
    return [rating_list]


@transaction.atomic
def set_add(board_set: BoardSet, ladder: RatingList | None = None) -> list[RatingList]:
    """Add a closed set to its lists (``ladder`` of a round), and mark and return them. Idempotent."""
    lists = lists_for_set(board_set) if ladder is None else [ladder]
    for rating_list in lists:
        RatedSet.objects.get_or_create(
            list=rating_list, board_set=board_set, defaults={"stale_mark": _new_stale_mark()}
        )
    return lists


def set_remove(board_set: BoardSet, ladder: RatingList) -> None:
    """Remove a set and its changes from the list of a ladder season, in a transaction. Idempotent."""
    if not RatedSet.objects.filter(list=ladder, board_set=board_set).delete()[0]:
        return
    RatingChange.objects.filter(list=ladder, board_set=board_set).delete()
    left = RatedSet.objects.filter(list=ladder).order_by("pk").first()
    if left is None:
        list_rebuild(ladder)
    else:
        # A list is due if one of its sets is; mark any remaining one.
        RatedSet.objects.filter(pk=left.pk).update(stale_mark=_new_stale_mark())


def sets_mark_due(board_sets: Collection[int]) -> None:
    """Mark sets, given by key, as due after their scores changed. One query."""
    RatedSet.objects.filter(board_set__in=board_sets).update(stale_mark=_new_stale_mark())


def closed_sets_add() -> int:
    """Add event sets that closed since the last call to their lists; return the number of sets examined."""
    with transaction.atomic():
        progress, _ = RatingProgress.objects.select_for_update().get_or_create(pk=1)
        # ``closed_seq`` is assigned serially, so no set can appear before the stored position.
        new = list(closed_sets().filter(closed_seq__gt=progress.closed_seq)[:SETS_PER_CALL])
        for board_set in new:
            if event_list_key(board_set) is not None:
                set_add(board_set)
        if new:
            progress.closed_seq = new[-1].closed_seq or 0
            progress.save(update_fields=["closed_seq"])
    return len(new)


def ratings_make(most_s: float = MAX_CALL_S) -> int:
    """Compute due lists, the longest waiting first; return their number. Safe to run concurrently."""
    until = time.monotonic() + most_s
    while closed_sets_add() == SETS_PER_CALL and time.monotonic() < until:
        pass
    count = 0
    for rating_list in lists_due():
        try:
            count += list_rebuild(rating_list)
        except Exception:
            # A failing list must not block the others.
            log.exception("ratings: list %s", rating_list.public_id)
        if time.monotonic() >= until:
            break
    return count


def lists_due() -> list[RatingList]:
    """Return lists with a due set, the least recently computed first. One query."""
    due = RatedSet.objects.exclude(stale_mark="").values("list")
    return sorted(
        RatingList.objects.filter(pk__in=due),
        key=lambda rating_list: (
            rating_list.computed_at is not None,
            rating_list.computed_at,
            rating_list.pk,
        ),
    )


class _SetReading(NamedTuple):
    row: RatedSet
    is_new: bool
    packed: bytes
    sets: tuple[SetScores, ...]
    before: tuple[SetScores, ...]

    @property
    def has_changed(self) -> bool:
        """Whether the scores differ from those in the lines."""
        return self.packed != bytes(self.row.scores)

    @property
    def names(self) -> set[str]:
        return {name for set_scores in (*self.sets, *self.before) for name in set_scores.names}


def list_rebuild(rating_list: RatingList, *, everything: bool = False) -> bool:
    """Compute the lines of a list from its sets, rereading due sets, or all with ``everything``.

    False if another process did it meanwhile. About a second for 1,000 entries in 100,000 fixtures.
    """
    begun = RatingList.objects.get(pk=rating_list.pk)
    if everything and begun.kind == RatingList.Kind.TOURNAMENTS:
        _membership_repair(begun)
    rows = list(
        RatedSet.objects.filter(list=begun)
        .select_related("board_set__round__stage__tournament")
        .order_by("board_set__closed_seq")
    )
    pairs = excluded_pairs(begun)
    readings = [_read_board_set(row, pairs, is_asked=everything or bool(row.stale_mark)) for row in rows]
    sets = [set_scores for reading in readings for set_scores in reading.sets]
    ratings = rate(sets, is_ladder=begun.kind == RatingList.Kind.LADDER)
    lines = rating_lines(ratings)
    comparison = _comparison(ratings)
    with transaction.atomic():
        # A concurrent call from the same revision may have finished first; the next tick checks again.
        unchanged = RatingList.objects.filter(pk=begun.pk, revision=begun.revision)
        counts = _counts(sets, lines, ratings)
        if not unchanged.update(
            revision=begun.revision + 1,
            computed_at=timezone.now(),
            digest=lines_digest(lines),
            reference=comparison.reference,
            reference_partner=comparison.partner,
            **counts,
        ):
            return False
        for reading in readings:
            if reading.has_changed or reading.row.stale_mark:
                # A set that has changed in the meantime stays due.
                same = RatedSet.objects.filter(pk=reading.row.pk, stale_mark=reading.row.stale_mark)
                fixtures = sum(len(set_scores.fixtures) for set_scores in reading.sets)
                same.update(stale_mark="", scores=reading.packed, fixtures=fixtures)
        changed = [reading for reading in readings if reading.has_changed]
        _lines_replace(begun, lines, comparison, changed)
    return True


class _Comparison(NamedTuple):
    """Differences of the rated lines from the reference line."""

    reference: int | None
    """Key of the version; None if no version of house greedy is rated."""
    partner: str
    by_key: Mapping[str, Difference]
    """By ``line_key``."""

    def columns(self, line: FittedLine) -> dict[str, float | None]:
        gap = self.by_key.get(line_key(line.version, line.partner))
        values = (None,) * len(Line.DIFFERENCE) if gap is None else gap[: len(Line.DIFFERENCE)]
        return dict(zip(Line.DIFFERENCE, values, strict=True))


def _comparison(ratings: RatingTable) -> _Comparison:
    """Compare with the latest rated version of house greedy. One query."""
    house = BotVersion.objects.filter(bot__owner__user__username=HOUSE_USERNAME).order_by("-number", "pk")
    versions = list(house.values_list("pk", "public_id"))
    for partner in sorted(PARTNERS):
        for key, public_id in versions:
            name = line_key(public_id, partner)
            if name in ratings.entries:
                return _Comparison(key, partner, ratings.differences_from(name))
    return _Comparison(None, "", {})


def _membership_repair(rating_list: RatingList) -> None:
    """Add missing closed sets to a list of events, and remove sets that do not belong to it."""
    candidates = closed_sets().filter(
        round__stage__tournament__game=rating_list.game,
        round__stage__tournament__preset=rating_list.preset,
        round__stage__tournament__kind="tournament",
    )
    key = tuple(getattr(rating_list, name) for name in ("game", "preset", "board_kind", "seats", "season"))
    members = {
        board_set.pk for board_set in candidates.iterator(BATCH_SIZE) if event_list_key(board_set) == key
    }
    present = set(RatedSet.objects.filter(list=rating_list).values_list("board_set_id", flat=True))
    RatedSet.objects.filter(list=rating_list, board_set__in=present - members).delete()
    RatedSet.objects.bulk_create(
        [
            RatedSet(list=rating_list, board_set_id=pk, stale_mark=_new_stale_mark())
            for pk in sorted(members - present)
        ],
        batch_size=BATCH_SIZE,
    )


def _read_board_set(row: RatedSet, pairs: Sequence[VersionPair], *, is_asked: bool) -> _SetReading:
    stored = bytes(row.scores)
    before = unpack_cached(stored) if stored else ()
    if not is_asked:
        return _SetReading(row, False, stored, before, before)
    now = set_scores_in_list(row.board_set, pairs)
    return _SetReading(row, not stored, pack_sets(now), now, before)


def _counts(sets: Sequence[SetScores], lines: Sequence[FittedLine], ratings: RatingTable) -> dict[str, float]:
    boards = {set_scores.board_set: set_scores.boards for set_scores in sets}
    return {
        "sets": len(boards),
        "fixtures": sum(len(set_scores.fixtures) for set_scores in sets),
        "boards": sum(boards.values()),
        "rated": sum(line.figures is not None for line in lines),
        "unrated": sum(line.figures is None for line in lines),
        "unexplained_sd": ratings.misfit**0.5,
    }


def _lines_replace(
    rating_list: RatingList,
    lines: Sequence[FittedLine],
    comparison: _Comparison,
    changed: Sequence[_SetReading],
) -> None:
    before = {(row.version_id, row.partner): row for row in Rating.objects.filter(list=rating_list)}
    names = {line.version for line in lines}
    keys = dict(BotVersion.objects.filter(public_id__in=names).order_by().values_list("public_id", "pk"))
    now = [
        Rating(list=rating_list, lines_after=after, **_line_columns(line, keys[line.version], comparison))
        for after, line in zip(reversed(range(len(lines))), lines, strict=True)
    ]
    Rating.objects.filter(list=rating_list).delete()
    Rating.objects.bulk_create(now, batch_size=BATCH_SIZE)
    if not changed:
        return
    played = {
        (keys.get(version), str(partner))
        for reading in changed
        for version, partner in map(parse_line_key, reading.names)
    }
    is_rescored = any(not reading.is_new for reading in changed)
    last = max(
        (reading for reading in changed if reading.is_new != is_rescored),
        key=lambda reading: reading.row.board_set.closed_seq or 0,
    )
    cause = RatingChange.Cause.RESCORED if is_rescored else RatingChange.Cause.CLOSED
    changes = []
    for row in now:
        past = before.get((row.version_id, row.partner))
        was_rated = past is not None and past.is_rated
        # A closed set changes every line a little; only its players get a point in the history.
        is_recorded = is_rescored or (row.version_id, row.partner) in played or row.is_rated != was_rated
        is_same = past is not None and past.values() == row.values()
        if is_recorded and not is_same and (row.is_rated or was_rated):
            given = {name: getattr(row, name) for name in _HISTORY_FIELDS}
            reference = comparison.reference if row.is_rated else None
            changes.append(
                RatingChange(
                    list=rating_list,
                    cause=cause,
                    board_set=last.row.board_set,
                    reference_id=reference,
                    **given,
                )
            )
    RatingChange.objects.bulk_create(changes, batch_size=BATCH_SIZE)


_HISTORY_FIELDS = ("version_id", "partner", *Line.FIGURES, *Line.DIFFERENCE, *Line.COUNTS, "reasons")


def _line_columns(line: FittedLine, version: int, comparison: _Comparison) -> dict[str, object]:
    figures = line.figures._asdict() if line.figures is not None else {}
    return {
        "version_id": version,
        "partner": line.partner,
        "fixtures": line.fixtures,
        "boards": line.boards,
        "degrees": line.degrees,
        "reasons": [reason._asdict() for reason in line.reasons],
        **figures,
        **comparison.columns(line),
    }


def ratings_check(rating_list: RatingList) -> list[str]:
    """Return disagreements between a list and the current board scores; none while a set is due."""
    disagreements: list[str] = []
    rows = RatedSet.objects.filter(list=rating_list).select_related("board_set__round__stage__tournament")
    sets: list[SetScores] = []
    pairs = excluded_pairs(rating_list)
    for row in rows.order_by("board_set__closed_seq"):
        if row.stale_mark:
            return []
        now = set_scores_in_list(row.board_set, pairs)
        if pack_sets(now) != bytes(row.scores):
            disagreements.append(
                f"board set {row.board_set.public_id}: its scores differ from the rated ones"
            )
        if rating_list.kind == RatingList.Kind.TOURNAMENTS and event_list_key(row.board_set) is None:
            disagreements.append(f"board set {row.board_set.public_id}: does not belong to a list of events")
        sets += now
    ratings = rate(sets, is_ladder=rating_list.kind == RatingList.Kind.LADDER)
    lines, comparison = rating_lines(ratings), _comparison(ratings)
    rating_list.refresh_from_db()
    if lines_digest(lines) != rating_list.digest:
        disagreements.append("its digest differs")
    stored = {
        (row.version.public_id, row.partner): row
        for row in Rating.objects.filter(list=rating_list).select_related("version")
    }
    for line in lines:
        stored_line = stored.pop((line.version, line.partner), None)
        expected = Rating(list=rating_list, **_line_columns(line, 0, comparison))
        if stored_line is None:
            disagreements.append(f"version {line.version} ({line.partner}): has no line")
        elif stored_line.values() != expected.values():
            disagreements.append(
                f"version {line.version} ({line.partner}): {stored_line.values()}, not {expected.values()}"
            )
    disagreements += [
        f"version {version} ({partner}): has a line too many" for version, partner in sorted(stored)
    ]
    return disagreements


def _new_stale_mark() -> str:
    return secrets.token_hex(8)
