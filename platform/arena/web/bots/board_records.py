"""Opponents, and best and worst boards, on the pages of bots, versions and players."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.features.ratings.current import RatedOpponent
from arena.features.ratings.models import Rating
from arena.features.ratings.panels.summaries import comparison_address
from arena.standings.board_record import BoardRecord, OpponentRecord, RecordedBoard
from arena.web.base.figures import format_rounded
from arena.web.base.labels import EntryLabel, entry_label

MAX_AT_EACH_END = 8
"""Maximum opponents with an interval at each end of the order."""
MAX_WITHOUT_INTERVAL = 6
MAX_NAMED = 3
"""Maximum opponents in a sentence."""


class OpponentLine(NamedTuple):
    record: OpponentRecord
    label: EntryLabel
    mean: str
    interval: str
    """Empty with too few boards."""
    result: str
    """``win`` or ``loss`` if the interval excludes 0, otherwise empty."""
    expected: str
    """Stones per board by the ratings; empty if they cannot be compared."""
    comparison: str
    """Address of the comparison of both ratings."""


class OpponentTable(NamedTuple):
    lines: list[OpponentLine]
    """Highest mean first; then opponents without an interval, most boards first."""
    wins: list[OpponentLine]
    """Largest clear wins."""
    losses: list[OpponentLine]
    """Largest clear losses."""
    more: int
    """Number of opponents that are not listed."""
    fixtures: int
    has_expected: bool


class BoardLine(NamedTuple):
    recorded: RecordedBoard
    value: str
    own: EntryLabel
    opponents: list[EntryLabel]


def opponent_table(
    record: BoardRecord, line: Rating | None = None, rated: Mapping[int, RatedOpponent] | None = None
) -> OpponentTable:
    """Return the opponents of a record. ``rated`` has their ratings next to ``line``, by key of the bot."""
    known = [opponent for opponent in record.opponents if opponent.has_interval]
    if len(known) > 2 * MAX_AT_EACH_END:
        known = known[:MAX_AT_EACH_END] + known[-MAX_AT_EACH_END:]
    few = [opponent for opponent in record.opponents if not opponent.has_interval]
    few.sort(key=lambda opponent: -opponent.boards)
    listed = [*known, *few[:MAX_WITHOUT_INTERVAL]]
    lines = [_opponent_line(opponent, line, rated or {}) for opponent in listed]
    return OpponentTable(
        lines,
        [each for each in lines if each.result == "win"][:MAX_NAMED],
        [each for each in reversed(lines) if each.result == "loss"][:MAX_NAMED],
        len(record.opponents) - len(listed),
        record.fixtures,
        any(each.expected for each in lines),
    )


def opposing_bots(record: BoardRecord) -> set[int]:
    """Return the keys of the bots that were met without a partner."""
    return {bots[0].bot for bots in (each.latest.bots for each in record.opponents) if len(bots) == 1}


def board_lines(recorded: Collection[RecordedBoard]) -> list[BoardLine]:
    return [
        BoardLine(
            each,
            format_rounded(float(each.value)),
            entry_label(each.bot_fixture.own),
            [entry_label(entry) for entry in each.bot_fixture.opponents],
        )
        for each in recorded
    ]


def _opponent_line(
    opponent: OpponentRecord, line: Rating | None, rated: Mapping[int, RatedOpponent]
) -> OpponentLine:
    mean, low, high, *_rest = opponent.interval
    is_clear = opponent.has_interval and opponent.interval.is_clear_of_zero
    text = _("%(low)s to %(high)s") % {"low": format_rounded(low), "high": format_rounded(high)}
    bots = opponent.latest.bots
    rating = rated.get(bots[0].bot) if len(bots) == 1 else None
    return OpponentLine(
        opponent,
        entry_label(opponent.latest),
        format_rounded(mean),
        text if opponent.has_interval else "",
        ("win" if mean > 0 else "loss") if is_clear else "",
        "" if rating is None else format_rounded(rating.difference * opponent.expected_share),
        "" if rating is None or line is None else comparison_address(line, rating.version),
    )
