"""Verification of a rating list from its export alone, and comparison with the exports of events.

On a machine with the same libraries every line and the digest are bitwise equal; elsewhere figures agree to
``TOLERANCE``. Source: docs/ratings.md#verifying-a-list.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from league.errors import RatingError, ScoresError
from league.rating.columns import (
    RatingFigures,
    RatingLine,
    line_key,
    lines_digest,
    parse_line_key,
    rating_lines,
)
from league.rating.fixtures import (
    MIN_BOARDS_PER_SET,
    CountedScores,
    SetScores,
    counted_scores,
    fixtures_between,
)
from league.rating.guards import UnratedReason
from league.rating.packing import set_from_row
from league.rating.table import RatingTable, rate
from league.scoring import Scores, board_scores, forfeit_stones, table_result

FORMAT = "rensho-ratings/1"
TOLERANCE = 1e-6
"""Maximum difference of figures between machines, in stones."""
LADDER = "ladder"
PERSON = "organiser"
DIFFERENCE_FIELDS = ("difference", "difference_low", "difference_high", "difference_error")
MAX_PARTS = 10**6
MAX_SCORE = 2**40
COUNTED_STATES = ("settled", "forfeited")
"""States of fixtures whose scores count."""
Document = Mapping[str, Any]


class RatingListFindings(NamedTuple):
    disagreements: list[str]
    """One sentence each; empty if everything agrees."""
    is_exact: bool
    """Whether the lines are bitwise equal."""


class EventComparison(NamedTuple):
    disagreements: list[str]
    rated: int
    """Number of board sets of the event in the list."""
    sets: int
    """Number of closed board sets of the event with at least two boards."""


def verify_rating_list(document: Document) -> RatingListFindings:
    """Return every statement of a list that does not follow from the board scores it was exported with."""
    try:
        disagreements = list(_disagreements(document))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        reason = str(error) if isinstance(error, RatingError) else f"{type(error).__name__}: {error}"
        return RatingListFindings([f"the export cannot be read: {reason}"], False)
    sentences = [sentence for sentence in disagreements if sentence]
    return RatingListFindings(sentences, not sentences and len(disagreements) == 0)


def _disagreements(document: Document) -> Iterator[str]:
    """Yield sentences; an empty one means that figures agree only to ``TOLERANCE``."""
    stated = document["list"]
    if stated["format"] != FORMAT:
        yield f"its format is {stated['format']!r}, not {FORMAT}"
        return
    sets = [_parse_set(row) for row in document["sets"]]
    for pair in stated["left_out"]:
        first, second = pair["versions"]
        for fixture in fixtures_between(sets, first, second):
            yield f"fixture {fixture} is in it, though {first} and {second} are left out by a ruling"
    given = [_parse_line(row) for row in document["lines"]]
    if lines_digest(given) != stated["digest"]:
        yield "the digest is not that of its lines"
    fixtures = sum(len(scores.fixtures) for scores in sets)
    counts = {"sets": len({scores.board_set for scores in sets}), "fixtures": fixtures}
    for count_name, count in counts.items():
        if stated[count_name] != count:
            yield f"it is said to have {stated[count_name]} {count_name}, and has {count}"
    ratings = rate(sets, is_ladder=stated["kind"] == LADDER)
    yield from _difference_disagreements(document, ratings)
    expected = rating_lines(ratings)
    if list(expected) == given:
        return
    yield ""
    there = {(line.version, line.partner): line for line in given}
    if len(there) < len(given):
        yield "a version has two lines in a column"
    for line in expected:
        stated_line = there.pop((line.version, line.partner), None)
        name = f"version {line.version} ({line.partner})"
        if stated_line is None:
            yield f"{name} has no line"
        elif not _is_close(stated_line, line):
            yield f"{name} has {_line_text(stated_line)}, not {_line_text(line)}"
    yield from (f"version {version} ({partner}) has a line too many" for version, partner in there)


def _difference_disagreements(document: Document, ratings: RatingTable) -> Iterator[str]:
    """Compare the differences from the reference line. Exports before 1.1.0 have none."""
    reference = document["list"].get("reference")
    if reference is None:
        if any(row.get("difference") is not None for row in document["lines"]):
            yield "it has differences without a reference"
        return
    key = line_key(reference["version"], reference["partner"])
    if key not in ratings.entries:
        yield f"its reference, version {reference['version']} ({reference['partner']}), is not rated"
        return
    differences = ratings.differences_from(key)
    for row in document["lines"]:
        expected = differences.get(line_key(row["version"], row["partner"]))
        stated, name = row["difference"], f"version {row['version']} ({row['partner']})"
        if (stated is None) != (expected is None):
            yield f"{name} has {'no' if stated is None else 'a'} difference from the reference"
        elif stated is not None and expected is not None:
            values = zip(DIFFERENCE_FIELDS, expected[: len(DIFFERENCE_FIELDS)], strict=True)
            yield from (
                f"{name} has the {field} {stated[field]:+.6f}, not {value:+.6f}"
                for field, value in values
                if not math.isclose(stated[field], value, rel_tol=0.0, abs_tol=TOLERANCE)
            )


def _parse_set(row: Mapping[str, Any]) -> SetScores:
    """Return a set whose arrays are consistent. Raise ``RatingError`` if they are not."""
    scores = set_from_row(row)
    where = f"board set {scores.board_set}"
    fixtures, sides = len(scores.fixtures), scores.members.shape[1] if scores.members.ndim == 3 else 0
    if (
        scores.members.ndim != 3
        or sides < 2
        or scores.members.shape[0] != fixtures
        or not scores.members.size
    ):
        raise RatingError(f"{where}: its fixtures have no two sides with members")
    if scores.scores.shape != (fixtures, scores.boards, sides) or scores.boards < MIN_BOARDS_PER_SET:
        raise RatingError(f"{where}: its scores are not by fixture, board and side")
    if scores.is_ruled.shape != (fixtures,) or not 1 <= scores.parts <= MAX_PARTS:
        raise RatingError(f"{where}: its rulings or its parts of a stone cannot be")
    if scores.members.min() < 0 or scores.members.max() >= len(scores.names):
        raise RatingError(f"{where}: a member has no name")
    if np.abs(scores.scores).max() > MAX_SCORE or scores.scores.sum(axis=2).any():
        raise RatingError(f"{where}: the scores of a board do not sum to 0")
    if list(scores.fixtures) != sorted(set(scores.fixtures)) or list(scores.names) != sorted(
        set(scores.names)
    ):
        raise RatingError(f"{where}: fixtures or names are twice or out of order")
    return scores


def _parse_line(row: Mapping[str, Any]) -> RatingLine:
    figures = None if row["figures"] is None else RatingFigures(**row["figures"])
    reasons = tuple(UnratedReason(each["code"], each["actual"], each["required"]) for each in row["reasons"])
    return RatingLine(
        row["version"], row["partner"], figures, row["fixtures"], row["boards"], row["degrees"], reasons
    )


def _is_close(stated: RatingLine, line: RatingLine) -> bool:
    if stated._replace(figures=None, reasons=()) != line._replace(figures=None, reasons=()):
        return False
    if stated.figures is None or line.figures is None:
        return stated.figures is line.figures and _reasons_close(stated.reasons, line.reasons)
    return all(
        math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE)
        for a, b in zip(stated.figures, line.figures, strict=True)
    )


def _reasons_close(stated: Sequence[UnratedReason], reasons: Sequence[UnratedReason]) -> bool:
    return [reason.code for reason in stated] == [reason.code for reason in reasons] and all(
        math.isclose(a.actual, b.actual, abs_tol=TOLERANCE)
        and math.isclose(a.required, b.required, abs_tol=TOLERANCE)
        for a, b in zip(stated, reasons, strict=True)
    )


def _line_text(line: RatingLine) -> str:
    if line.figures is None:
        return ", ".join(reason.code for reason in line.reasons) or "no figures"
    figures = line.figures
    return (
        f"{figures.estimate:+.6f} ({figures.low:+.6f} to {figures.high:+.6f}), rank {figures.rank_low} to "
        f"{figures.rank_high}, {line.boards} boards"
    )


class ListedSide(NamedTuple):
    """A side of a fixture in a list."""

    bundles: frozenset[str]
    """SHA-256 of the bundles of its versions."""
    scores: list[Fraction]
    """Board scores."""


def compare_with_event(document: Document, event: Document) -> EventComparison:
    """Return the differences between the board scores of a list and an event's export.

    Board sets in both must have the same fixtures, sides and scores, except for fixtures that a ruling
    excludes from the list. Sets only in the event are counted: they may belong to another quarter.
    """
    try:
        return _compare(document, event)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        return EventComparison(
            [f"the export of the tournament cannot be read: {type(error).__name__}: {error}"], 0, 0
        )


def _compare(document: Document, event: Document) -> EventComparison:
    bundles = {row["version"]: row["bundle_sha256"] for row in document["lines"]}
    rated: dict[str, dict[str, list[ListedSide]]] = defaultdict(dict)
    for row in document["sets"]:
        scores_of_set = _parse_set(row)
        for number, fixture in enumerate(scores_of_set.fixtures):
            rated[scores_of_set.board_set][fixture] = [
                ListedSide(
                    frozenset(
                        bundles[parse_line_key(scores_of_set.names[member])[0]]
                        for member in scores_of_set.members[number, side].tolist()
                    ),
                    [
                        Fraction(score, scores_of_set.parts)
                        for score in scores_of_set.scores[number, :, side].tolist()
                    ],
                )
                for side in range(scores_of_set.members.shape[1])
            ]
    left_out = [frozenset(pair["bundles"]) for pair in document["list"]["left_out"]]
    versions = {
        entry["id"]: frozenset(version["bundle_sha256"] for version in entry["versions"])
        for entry in event["entries"]
    }
    disagreements: list[str] = []
    sets = in_list = 0
    for stage in event["stages"]:
        for played in stage["rounds"]:
            if played["boards"] < MIN_BOARDS_PER_SET:
                continue
            sets += 1
            if played["board_set"] not in rated:
                continue
            in_list += 1
            there = dict(rated[played["board_set"]])
            for fixture in played["fixtures"]:
                listed_sides = there.pop(fixture["id"], None)
                if listed_sides is None and _is_excluded(fixture, versions, left_out):
                    continue
                scores = _rated_scores(event, fixture)
                disagreements += _fixture_disagreements(
                    fixture, listed_sides, versions, scores, played["boards"]
                )
            disagreements += [
                f"fixture {fixture} is in the list and not in the tournament" for fixture in sorted(there)
            ]
    return EventComparison(disagreements, in_list, sets)


def _is_excluded(
    fixture: Mapping[str, Any],
    versions: Mapping[str, frozenset[str]],
    left_out: Sequence[frozenset[str]],
) -> bool:
    """Return whether both versions of an excluded pair play in the fixture."""
    there = frozenset[str]().union(*(versions[entry] for entry in fixture["sides"]))
    return any(pair <= there for pair in left_out)


def _rated_scores(event: Document, fixture: Mapping[str, Any]) -> Mapping[str, Mapping[int, Fraction]]:
    """Return the board scores of a fixture that a list rates, by entry and board; empty if it rates none."""
    scores: dict[str, dict[int, Fraction]] = defaultdict(dict)
    rulings = fixture["adjudications"]
    ruling = rulings[-1] if rulings and rulings[-1]["kind"] != "lift" else None
    tables = fixture["tables"]
    counted = counted_scores(
        ruling["kind"] if ruling is not None else None,
        by_person=ruling is not None and ruling["by"] == PERSON,
        is_whole=bool(tables) and all(table["state"] == "finished" for table in tables),
    )
    if counted is CountedScores.AS_PLAYED:
        for board, by_entry in _scores_as_played(event["tournament"], fixture).items():
            for entry, value in by_entry.items():
                scores[entry][board] = value
    elif counted is CountedScores.AS_RULED:
        for row in fixture["scores"]:
            scores[row["entry"]][row["board"]] = Fraction(row["value"])
    return scores


def _scores_as_played(tournament: Mapping[str, Any], fixture: Mapping[str, Any]) -> Scores:
    """Return the board scores from the tables of a fixture, with forfeits of bots applied."""
    names = fixture["sides"]
    size = max(1, len(names) // tournament["sides"])
    sides = [tuple(names[start : start + size]) for start in range(0, len(names), size)]
    tables = [
        table_result(
            table["rotation"],
            {seat["seat"]: seat["entry"] for seat in table["seats"]},
            [(board, seat, stones) for board, seat, stones in table["results"]],
            [seat["seat"] for seat in table["seats"] if seat["forfeited"]],
        )
        for table in fixture["tables"]
    ]
    forfeit = forfeit_stones(tournament["board_kind"], tournament["forfeit_stones"])
    try:
        return board_scores(tables, forfeit, sides)
    except ScoresError as error:
        raise ValueError(f"fixture {fixture['id']}: {error}") from None


def _fixture_disagreements(
    fixture: Mapping[str, Any],
    listed_sides: Sequence[ListedSide] | None,
    versions: Mapping[str, frozenset[str]],
    scores: Mapping[str, Mapping[int, Fraction]],
    boards: int,
) -> Iterator[str]:
    counts = (
        fixture["state"] in COUNTED_STATES
        and len(fixture["sides"]) > 1
        and all(len(scores.get(entry, ())) == boards for entry in fixture["sides"])
    )
    name = f"fixture {fixture['id']}"
    if listed_sides is None or not counts:
        if counts:
            yield f"{name} counts in the tournament and is not in the list"
        if listed_sides is not None:
            yield f"{name} is in the list, although it does not count ({fixture['state']})"
        return
    for entry in fixture["sides"]:
        expected = [scores[entry][board] for board in sorted(scores[entry])]
        sides = [side.scores for side in listed_sides if versions[entry] <= side.bundles]
        if not sides:
            yield f"{name}: entry {entry} plays on no side of it in the list"
        elif expected not in sides:
            yield f"{name}: the list has other board scores of entry {entry}"
