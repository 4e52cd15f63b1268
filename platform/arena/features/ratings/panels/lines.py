"""Lines of ratings as other pages show them: where a bot stands, or why it is not comparable yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.competition.games import seat_counts
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.panels.forest import Forest, forest_of, ranks_of, scale_of_list
from arena.features.ratings.selectors import basis_of, largest_list, lines_of_list, neighbours_of
from arena.web.base.labels import BotLabel, bot_label

MAX_LISTS = 3
"""Lists shown on the page of a bot or a player."""
MAX_OWN_LINES = 3
"""Lines of a bot or a player in one list."""
TOP_LINES = 5
"""Lines on the first page of the site."""


class MissingRequirement(NamedTuple):
    """Why somebody is not comparable yet, and what helps."""

    reason: str
    help: str


@dataclasses.dataclass(frozen=True)
class UnratedLine:
    """Somebody who is not comparable yet."""

    version: str
    bot: BotLabel
    player: str
    missing: list[MissingRequirement]
    boards: int
    fixtures: int
    is_own: bool

    @property
    def reasons(self) -> str:
        """Everything that is missing, in words."""
        return reasons_text(self.missing)

    @property
    def remedies(self) -> str:
        """What helps against each."""
        return join_texts([missing.help for missing in self.missing])


@dataclasses.dataclass(frozen=True)
class ListStanding:
    """Where somebody stands in a list, between the nearest neighbours."""

    rating_list: RatingList
    title: str
    words: str
    forest: Forest | None
    unrated: list[UnratedLine]


def list_title(rating_list: RatingList) -> str:
    """Its rules, what else its tables have in common, and its season.

    >>> list_title(RatingList(kind="ladder", game="kakkuri", preset="kakkuri", seats=5, season="2026-Q4"))
    'kakkuri ladder, 5 seats, 2026-Q4'
    """
    seats, rules = rating_list.seats, rating_list.preset
    if rating_list.kind == RatingList.Kind.LADDER:
        rules = _("%(preset)s ladder") % {"preset": rules}
    facts = [rules]
    if len(seat_counts(rating_list.game, rating_list.preset)) > 1:
        facts.append(ngettext("%(count)d seat", "%(count)d seats", seats) % {"count": seats})
    if rating_list.board_kind == "game":
        facts.append(_("game boards"))
    return pgettext("between two facts", ", ").join([*facts, rating_list.season])


def missing_requirements(row: Rating) -> list[MissingRequirement]:
    """Why a line is not comparable yet."""
    return [_missing_requirement(each["code"], each["have"], each["need"]) for each in row.reasons]


def join_texts(texts: Sequence[str]) -> str:
    """Texts one after the other, as the language divides them."""
    return _("; ").join(texts)


def reasons_text(missing: Sequence[MissingRequirement]) -> str:
    """Why somebody is not comparable yet, in words."""
    return join_texts([each.reason for each in missing])


def _missing_requirement(code: str, have: float, need: float) -> MissingRequirement:
    values = {"have": f"{have:g}", "need": f"{need:g}"}
    match code:
        case "not_connected":
            return MissingRequirement(
                _("no chain of opponents leads from it to most of the others"),
                _("meeting somebody who has met others"),
            )
        case "fixtures":
            return MissingRequirement(_("%(have)s of %(need)s fixtures played") % values, _("more opponents"))
        case "boards":
            return MissingRequirement(_("%(have)s of %(need)s boards played") % values, _("more boards"))
        case "degrees":
            return MissingRequirement(
                _("its board sets were too small for an interval: %(have)s of %(need)s degrees") % values,
                _("sets of more boards"),
            )
        case "few_fixtures_of_all":
            return MissingRequirement(
                _("all together met too seldom: %(have)s of %(need)s comparisons") % values,
                _("more fixtures for everybody"),
            )
        case "not_estimable":
            return MissingRequirement(
                _("who partnered whom leaves its own part open"), _("the rest of the movement")
            )
        case "alone":
            return MissingRequirement(_("nobody else can be compared yet"), _("another rated version"))
        case _:
            return MissingRequirement(code, "")


def unrated_lines(rows: Sequence[Rating], viewer: Viewer) -> list[UnratedLine]:
    """Those of these lines that are not comparable yet. No query."""
    own = viewer.pk if isinstance(viewer, User) else None
    return [
        UnratedLine(
            row.version.public_id,
            bot_label(row.version),
            row.version.bot.owner.handle,
            missing_requirements(row),
            row.boards,
            row.fixtures,
            own is not None and row.version.bot.owner.user_id == own,
        )
        for row in rows
        if not row.is_rated
    ]


def line_name(row: Rating) -> str:
    """How a line is called in a question: bot and version, and a plus for the column with strangers."""
    plus = " +" if row.partner == Rating.Partner.STRANGERS else ""
    return f"{row.version.bot.name} v{row.version.number}{plus}"


def list_standings(own: Sequence[Rating], viewer: Viewer) -> list[ListStanding]:
    """Where these lines of somebody stand, list by list, between their neighbours.

    One query, and two more for each list that no page has shown yet.
    """
    by_list: dict[int, list[Rating]] = {}
    for row in own:
        by_list.setdefault(row.list_id, []).append(row)
    shown = {pk: [row for row in rows if row.is_rated][:MAX_OWN_LINES] for pk, rows in by_list.items()}
    around = neighbours_of([row for rows in shown.values() for row in rows])
    found = []
    for pk, rows in by_list.items():
        rating_list = rows[0].list
        near = [row for row in around if row.list_id == pk]
        forest = forest_of(near, scale_of_list(rating_list), viewer) if near else None
        unrated = [] if forest else unrated_lines(rows[:1], viewer)
        words = (
            standing_text(shown[pk][0], basis_of(rating_list).rated_count(shown[pk][0].partner))
            if near
            else ""
        )
        found.append(ListStanding(rating_list, list_title(rating_list), words, forest, unrated))
    return found


def standing_text(row: Rating, of: int) -> str:
    """Where a rated line stands, in words."""
    return _("%(name)s: %(ranks)s of %(count)d.") % {
        "name": line_name(row),
        "ranks": pgettext("range of ranks", "rank %(ranks)s") % {"ranks": ranks_of(row)},
        "count": of,
    }


class TopLines(NamedTuple):
    """The best of a list."""

    rating_list: RatingList
    title: str
    forest: Forest


def top_lines() -> TopLines | None:
    """The best of the latest quarter's list with the most boards, as everybody sees it; None before anybody
    was rated. Two queries, and two more for a list that no page has shown yet.
    """
    rating_list = largest_list()
    if rating_list is None:
        return None
    forest = forest_of(list(lines_of_list(rating_list)[:TOP_LINES]), scale_of_list(rating_list), None)
    return TopLines(rating_list, list_title(rating_list), forest)
