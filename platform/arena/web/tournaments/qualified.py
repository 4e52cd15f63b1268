"""Groups that lead to a bracket: their tables side by side, who advances, and why the last one did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.standings.captions import group_name
from arena.standings.selectors import ListedRow
from arena.web.base.bidi import isolated
from arena.web.base.figures import format_column
from arena.web.base.labels import SCORE_NAMES, EntryLabel, entry_label, in_sentence
from arena.web.base.wording import join_sentences

BOARD_SCORE = "board_score"


class GroupLine(NamedTuple):
    place: int
    entry: EntryLabel
    values: tuple[str, ...]
    advances: bool
    is_cut: bool
    """Whether it is the first of its group that does not advance."""


class GroupTable(NamedTuple):
    name: str
    """``A`` for the first group."""
    lines: tuple[GroupLine, ...]


class Qualified(NamedTuple):
    stage: int
    """Number of the stage of groups."""
    columns: tuple[str, ...]
    groups: tuple[GroupTable, ...]
    reason: str
    """Sentences about the entries that advanced and the margin of the last one."""


def seed_labels(names: Sequence[str], rows: Sequence[ListedRow]) -> dict[str, str]:
    """Return the seed of each entry by public id: ``A1`` for the winner of the first group, else its number.

    ``names`` are the public ids by seed, ``rows`` the standings of the previous stage, if it had groups.
    """
    labels = {name: str(number) for number, name in enumerate(names, 1)}
    for row in rows:
        if row.values.get("group") and row.entry.id in labels:
            labels[row.entry.id] = f"{group_name(int(row.values['group']))}{int(row.values['place'])}"
    return labels


def build_qualified(
    stage: int, scoring: str, rows: Sequence[ListedRow], names: Collection[str]
) -> Qualified | None:
    """Return the groups of a stage with the entries (public ids) that advanced; None without groups.

    ``rows`` are all standings of the stage, best first.
    """
    if not rows or not all(row.values.get("group") for row in rows):
        return None
    columns = [scoring, *([BOARD_SCORE] if scoring != BOARD_SCORE else [])]
    of_group: dict[int, list[ListedRow]] = defaultdict(list)
    for row in rows:
        of_group[int(row.values["group"])].append(row)
    groups = []
    for number, in_group in sorted(of_group.items()):
        ordered = sorted(in_group, key=lambda row: int(row.values["place"]))
        texts = [
            format_column([Fraction(row.values[name]) for row in ordered], signed=name == BOARD_SCORE)
            for name in columns
        ]
        flags = [row.entry.id in names for row in ordered]
        groups.append(
            GroupTable(
                group_name(number),
                tuple(
                    GroupLine(
                        int(row.values["place"]),
                        entry_label(row.entry),
                        tuple(text[index] for text in texts),
                        flags[index],
                        index > 0 and flags[index - 1] and not flags[index],
                    )
                    for index, row in enumerate(ordered)
                ),
            )
        )
    titles = tuple(str(SCORE_NAMES[name]) for name in columns)
    return Qualified(stage, titles, tuple(groups), _reason(rows, names, len(groups)))


def _reason(rows: Sequence[ListedRow], names: Collection[str], groups: int) -> str:
    advanced = [index for index, row in enumerate(rows) if row.entry.id in names]
    if not advanced or advanced[-1] + 1 >= len(rows):
        return _("All entries advanced.") if advanced else ""
    last, following = rows[advanced[-1]], rows[advanced[-1] + 1]
    group_place = int(last.values["place"])
    if len(advanced) == groups * group_place:
        if group_place == 1:
            return _("The winner of each group advanced.")
        return _("The first %(count)d of each group advanced.") % {"count": group_place}
    best = _("After the entries in better places, the best in place %(place)d advanced.") % {
        "place": group_place
    }
    if group_place == 1:
        best = _("The best group winners advanced.")
    elif group_place == 2:
        best = _("The group winners and the best in place 2 advanced.")
    return join_sentences(best, _margin(last, following))


def _margin(last: ListedRow, following: ListedRow) -> str:
    values = {
        "name": isolated(entry_label(last.entry).name),
        "other": isolated(entry_label(following.entry).name),
    }
    name = following.decided_by
    own, below = last.values.get(name), following.values.get(name)
    if name == "lot":
        return _("%(name)s was the last to advance, ahead of %(other)s by lot.") % values
    if name in ("", "place") or own is None or below is None:
        return _("%(name)s was the last to advance.") % values
    texts = format_column([Fraction(own), Fraction(below)], signed=name == BOARD_SCORE)
    values |= {"value": in_sentence(str(SCORE_NAMES.get(name, name))), "own": texts[0], "below": texts[1]}
    return (
        _("%(name)s was the last to advance, ahead of %(other)s on %(value)s: %(own)s to %(below)s.") % values
    )
