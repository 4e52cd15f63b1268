"""The leader of a tournament with its lead and how certain it is, and the podium of a final one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.competition.models import Stage, Tournament
from arena.standings.leads import MIN_BOARDS, Difference, Margin, margins, place_differences
from arena.standings.selectors import ListedRow, lead_of
from arena.standings.stages import is_knockout
from arena.web.base.figures import format_column, format_exact, format_rounded
from arena.web.base.labels import SCORE_NAMES, EntryLabel, entry_label, in_sentence
from arena.web.tournaments.ranking import BOARD_SCORES
from arena.web.tournaments.reached import podium_text

FINALISTS = 2


class Certainty(NamedTuple):
    """An entry compared with the next one on the boards that both played."""

    state: str
    """``few``, ``open``, ``ahead`` or ``behind``, as in ``league.separation.Difference``."""
    second: EntryLabel
    """The next entry."""
    boards: int
    mean: str
    """Stones per board; this and the bounds of the 95% interval are empty with ``few`` boards."""
    low: str
    high: str
    needed: int
    """Minimum boards."""


class Lead(NamedTuple):
    leader: EntryLabel
    ahead: str
    """Lead in the scoring value; empty if it is not above 0."""
    ahead_count: int
    """Number for the plural form."""
    by_lot: bool
    tie_break: str
    """Name of the tie-break that decides, inside a sentence; empty if none does."""
    own: str
    below: str
    """Its values for the first and the second entry."""
    certainty: Certainty | None
    """None with a single entry, or among winners of groups."""


class PodiumPlace(NamedTuple):
    rank: int
    entry: EntryLabel
    score: str
    """Score with its unit; empty if it does not rank the stage first."""
    decided_by: str
    """Name of the value that separates it from the next entry; empty for the last one."""
    margin: str
    certainty: Certainty | None
    """None for the first, whose certainty the lead states, the last, and among winners of groups."""


def has_leader(stage: Stage, rows: Sequence[ListedRow]) -> bool:
    """Whether all entries of a stage play for one order: neither a knockout nor groups."""
    return not is_knockout(stage) and bool(rows) and "group" not in rows[0].values


def build_lead(tournament: Tournament, stage: Stage, rows: Sequence[ListedRow]) -> Lead | None:
    """Return the lead by the first rows of a stage; None without rows. At most one query."""
    lead = lead_of(rows, tournament.scoring)
    if lead is None:
        return None
    ahead = lead.ahead if lead.ahead and lead.ahead > 0 else Fraction()
    differences = [] if "group" in rows[0].values else place_differences(tournament, stage, rows)
    margin = margins(rows[:2])[0]
    tie_break, own, below = _tie_break(margin) if margin and not ahead else ("", "", "")
    return Lead(
        entry_label(lead.entry),
        format_exact(ahead) if ahead else "",
        1 if ahead == 1 else 2,
        any(row.decided_by == "lot" for row in rows[1:2]),
        tie_break,
        own,
        below,
        _certainty(differences[0], entry_label(rows[1].entry)) if differences else None,
    )


def _certainty(difference: Difference, second: EntryLabel) -> Certainty:
    interval = difference.interval
    texts = [format_rounded(value) for value in interval[:3]] if interval else ["", "", ""]
    return Certainty(difference.state, second, difference.boards, texts[0], texts[1], texts[2], MIN_BOARDS)


def build_podium(tournament: Tournament, stage: Stage, rows: Sequence[ListedRow]) -> list[PodiumPlace]:
    """Return the first three entries of a stage. At most one query, none after ``build_lead``."""
    is_table = has_leader(stage, rows)
    is_grouped = bool(rows) and "group" in rows[0].values
    differences = [] if is_grouped else place_differences(tournament, stage, rows)
    places = []
    for index, (row, margin) in enumerate(zip(rows, margins(rows), strict=False)):
        has_certainty = 0 < index < len(differences)
        places.append(
            PodiumPlace(
                row.rank,
                entry_label(row.entry),
                score_text(tournament.scoring, Fraction(row.values[tournament.scoring])) if is_table else "",
                margin.value if margin else "",
                _reached(stage, rows[0], row)
                or (_margin_text(margin, row.rank, tournament.scoring) if margin else ""),
                _certainty(differences[index], entry_label(rows[index + 1].entry)) if has_certainty else None,
            )
        )
    return places


def _reached(stage: Stage, winner: ListedRow, row: ListedRow) -> str:
    """Return how far an entry got in a knockout behind the finalists; else empty."""
    if row.rank <= FINALISTS or not is_knockout(stage):
        return ""
    progress, highest = (int(Fraction(each.values["progress"])) for each in (row, winner))
    return podium_text(stage, highest, progress)


def score_text(name: str, value: Fraction) -> str:
    """Return a score with its unit."""
    count = 1 if abs(value) == 1 else 2
    if name in BOARD_SCORES:
        text = ngettext("%(number)s stone", "%(number)s stones", count)
        return text % {"number": format_exact(value, signed=True)}
    return ngettext("%(number)s point", "%(number)s points", count) % {"number": format_exact(value)}


def _tie_break(margin: Margin) -> tuple[str, str, str]:
    """Return name and both values of what separates two entries; empty if it is no number."""
    if margin.ahead is None:
        return "", "", ""
    is_signed = margin.value in BOARD_SCORES
    own, below = format_column([Fraction(margin.own), Fraction(margin.below)], signed=is_signed)
    return in_sentence(str(SCORE_NAMES.get(margin.value, margin.value))), own, below


def _margin_text(margin: Margin, rank: int, scoring: str) -> str:
    """Return what separates an entry from the next one; empty if the bracket or the group does."""
    is_first = rank == 1
    if margin.value == "lot":
        return _("won by lot") if is_first else _("ahead by lot")
    if margin.value == "progress":
        return {1: _("won the final"), 2: _("reached the final")}.get(rank, "")
    if margin.value in ("place", "score_per_fixture") or margin.ahead is None:
        return ""
    count = 1 if margin.ahead == 1 else 2
    values = {"number": format_exact(margin.ahead)}
    if margin.value == scoring and margin.value == "match_points":
        if is_first:
            return ngettext("won by %(number)s point", "won by %(number)s points", count) % values
        return ngettext("%(number)s point ahead", "%(number)s points ahead", count) % values
    if margin.value == scoring:
        if is_first:
            return ngettext("won by %(number)s stone", "won by %(number)s stones", count) % values
        return ngettext("%(number)s stone ahead", "%(number)s stones ahead", count) % values
    text = _("ahead on %(name)s, %(own)s to %(below)s")
    if is_first:
        text = _("won on %(name)s, %(own)s to %(below)s")
    name, own, below = _tie_break(margin)
    return text % {"name": name, "own": own, "below": below}
