"""Cups on pages: next and past editions, subscribed bots, season table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.competition.drafts import validate_draft
from arena.competition.listing import last_editions, series_by_name, series_of
from arena.competition.models import Entry, Series, Tournament
from arena.competition.selectors import ENDED_STATES, Viewer, editions_of
from arena.competition.series.declarations import LAST_DAY
from arena.competition.series.services import UpcomingEdition, series_listed, upcoming_editions
from arena.competition.series.subscriptions import partner_visible_to, subscriptions_visible_to
from arena.roster.models import Bot
from arena.roster.selectors import bots_of
from arena.standings.seasons import Season, season_of
from arena.standings.selectors import leaders_of
from arena.web.base.figures import format_exact
from arena.web.base.labels import BotLabel, EntryLabel, entry_label
from arena.web.base.list_parameters import ListRequest
from arena.web.base.states import CUP_STATE_NAMES, TOURNAMENT_STATE_NAMES, State
from arena.web.base.text_search import filter_by_words

if TYPE_CHECKING:
    from league.season import SeasonResult

CUPS_PER_PAGE = 50
MAX_EDITIONS = 20
MAX_BOTS = 200
MAX_SEASON_LINES = 30
"""Maximum lines of a season's table, not counting the viewer's own."""
MAX_SEASON_TOURNAMENTS = 10
"""Maximum columns of a season's table: its last tournaments."""


@dataclasses.dataclass(frozen=True)
class CupLine:
    series: Series
    state_name: str
    rhythm: str
    editions: int
    """Number of the latest edition."""
    next: UpcomingEdition | None
    """Edition open for entry, else the next edition of an active cup."""
    last: Tournament | None
    """The latest final edition."""
    winner: EntryLabel | None
    """Winner of the latest final edition."""


@dataclasses.dataclass(frozen=True)
class Edition:
    tournament: Tournament
    state_name: str


class SubscribedBot(NamedTuple):
    bot: Bot
    partner: Bot | None
    """None if the viewer may not see it."""


class SeasonLine(NamedTuple):
    rank: int
    bots: tuple[BotLabel, ...]
    player: str
    points: str
    won: int
    results: list[str]
    """Points by tournament; in brackets if they do not count, empty without points."""
    is_own: bool


@dataclasses.dataclass(frozen=True)
class SeasonTable:
    season: Season
    points: str
    """Points by place, comma-separated."""
    lines: list[SeasonLine]
    more: int

    @property
    def shown(self) -> list[Tournament]:
        return [tournament for tournament, _placed in self.season.tournaments[-MAX_SEASON_TOURNAMENTS:]]

    @property
    def address(self) -> str:
        """API URL of the complete table."""
        return f"/api/v1/series/{self.season.series.public_id}/table?season={self.season.name}"


def cup_list(viewer: Viewer, listed: ListRequest, page: int = 1) -> tuple[list[CupLine], Page[Series]]:
    """Return a page of visible cups that match, active ones first. Four queries."""
    rows = series_of(series_listed(viewer), listed.game, listed.preset)
    if listed.sort == "name":
        rows = series_by_name(rows)
    listed_page = Paginator(filter_by_words(rows, listed.query, "name"), CUPS_PER_PAGE).get_page(page)
    cups = list(listed_page.object_list)
    last = last_editions(cups, viewer)
    winners = leaders_of(last.values())
    return [_line(series, last.get(series.pk), winners) for series in cups], listed_page


def _line(series: Series, last: Tournament | None, winners: Mapping[int, Entry]) -> CupLine:
    state = CUP_STATE_NAMES[Series.State(series.state)]
    winner = winners.get(last.pk) if last is not None else None
    label = entry_label(winner) if winner is not None else None
    editions = max(series.last_edition, last.edition or 0 if last is not None else 0)
    return CupLine(series, state, schedule_text(series), editions, next_edition(series), last, label)


def cup_context(series: Series, viewer: Viewer, season: str = "") -> dict[str, Any]:
    """Return the template context of a cup, with the table of ``season``, else of the last. Seven queries.

    Raises:
        NotFound: code ``season_not_found``.
    """
    entered = [
        SubscribedBot(row.bot, partner_visible_to(row, viewer))
        for row in subscriptions_visible_to(series, viewer)[:MAX_BOTS]
    ]
    planned = validate_draft({**series.template, "name": series.name})
    own: list[Bot] = []
    bots: list[Bot] = []
    if isinstance(viewer, User):
        own = [line.bot for line in entered if line.bot.owner.user_id == viewer.pk]
        bots = list(bots_of(viewer, planned.rules.game.key))
    could_enter = [bot for bot in bots if bot not in own]
    mixes = any(stage.rules.mixes_partners for stage in planned.stages)
    takes_pairs = len(planned.rules.sides[0]) == 2 and not mixes
    editions = editions_of(series, viewer)[:MAX_EDITIONS]
    return {
        "series": series,
        "is_public": series.template.get("visibility") != Tournament.Visibility.PRIVATE,
        "state_name": CUP_STATE_NAMES[Series.State(series.state)],
        "rhythm": schedule_text(series),
        "upcoming": upcoming_editions(series),
        "editions": [Edition(edition, TOURNAMENT_STATE_NAMES[State(edition.state)]) for edition in editions],
        "entered": entered,
        "own": own,
        "open_now": [edition for edition in editions if edition.state == State.OPEN],
        "could_enter": could_enter if series.state != Series.State.ENDED else [],
        "could_partner": bots if takes_pairs and len(bots) > 1 else [],
        "season": build_season_table(season_of(series, season), viewer),
        "mixes_partners": mixes,
        "is_moving": any(edition.state not in ENDED_STATES for edition in editions),
    }


def build_season_table(season: Season, viewer: Viewer) -> SeasonTable | None:
    """Return the table of a season; None before its first tournament is over. No query."""
    if not season.tournaments:
        return None
    own = viewer.player.handle if isinstance(viewer, User) and hasattr(viewer, "player") else None
    lines = []
    for number, row in enumerate(season.rows):
        entry = season.entries_by_competitor[row.competitor]
        is_own = entry.player == own
        if number >= MAX_SEASON_LINES and not is_own:
            continue
        by_tournament = {result.tournament: result for result in row.results}
        lines.append(
            SeasonLine(
                row.rank,
                entry_label(entry).bots,
                entry.player,
                format_exact(row.points),
                sum(result.place == 1 for result in row.results),
                [
                    _result(by_tournament.get(placed.tournament))
                    for _tournament, placed in season.tournaments[-MAX_SEASON_TOURNAMENTS:]
                ],
                is_own,
            )
        )
    points = ", ".join(map(str, season.rules.points))
    return SeasonTable(season, points, lines, len(season.rows) - len(lines))


def _result(result: SeasonResult | None) -> str:
    if result is None:
        return ""
    return format_exact(result.points) if result.counts else f"({format_exact(result.points)})"


def schedule_text(series: Series) -> str:
    """Return ``every day at 18:00 UTC`` or ``every Monday at 18:00 Europe/Berlin``."""
    clock = {"time": f"{series.start_time:%H:%M}", "zone": series.timezone}
    if series.weekday is not None:
        return _("every %(weekday)s at %(time)s %(zone)s") % {**clock, "weekday": WEEKDAYS[series.weekday]}
    if series.month_day == LAST_DAY:
        return _("on the last day of every month at %(time)s %(zone)s") % clock
    if series.month_day is not None:
        return _("on day %(day)s of every month at %(time)s %(zone)s") % {**clock, "day": series.month_day}
    return _("every day at %(time)s %(zone)s") % clock


def next_edition(series: Series) -> UpcomingEdition | None:
    """Return the edition open for entry, else the next planned one; None if there is none."""
    editions = upcoming_editions(series, 1)
    return editions[0] if editions else None
