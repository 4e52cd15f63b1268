"""Selectors of feeds, calendars and CSV files. Feeds have only what visitors without an account may see."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.competition.models import Entry, Invitation, Round, Series, Statement, Subscription, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import (
    PUBLIC_STATES,
    Viewer,
    editions_of,
    tournaments_listed,
    tournaments_visible_to,
    visible_tournament_filter,
)
from arena.competition.series.services import UpcomingEdition, planned_editions, series_visible_to
from arena.matches.models import BoardSet, Fixture, FixtureEntry
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import versions_of, without_checks
from arena.standings.board_values import value_parts
from arena.standings.models import FixtureScore
from arena.standings.selectors import last_places

MAX_ITEMS = 50
"""Entries of a feed, the latest."""
MAX_EVENTS = 300
"""Tournaments of a calendar, the latest."""
MAX_SERIES = 100
CALENDAR_DAYS = 90
"""Age of the oldest event in the calendar of the site."""
FINISHED_STATES = (Tournament.State.FINAL, Tournament.State.ARCHIVED)


class ClosedRound(NamedTuple):
    stage: int
    number: int
    closed_at: datetime.datetime


class PlayedEvent(NamedTuple):
    """A finished tournament in which an entry was placed."""

    entry: Entry
    rank: int
    entries: int


def public_statements() -> list[Statement]:
    """Return the latest statements of public events, newest first, with their tournaments. One query."""
    return _statements(visible_tournament_filter(None) & Q(tournament__kind=Tournament.Kind.TOURNAMENT))


def statements_of_series(series: Series) -> list[Statement]:
    return _statements(visible_tournament_filter(None) & Q(tournament__series=series))


def statements_of(tournament: Tournament) -> list[Statement]:
    return _statements(Q(tournament=tournament))


def _statements(chosen: Q) -> list[Statement]:
    # With a condition on the joined tournament, an index reads the latest statements without sorting all.
    rows = Statement.objects.filter(chosen).select_related("tournament")
    return list(rows.order_by("-published_at", "-id")[:MAX_ITEMS])


def closed_rounds(tournament: Tournament) -> list[ClosedRound]:
    """Return the latest rounds whose results are open, newest first. One query."""
    rows = Round.objects.filter(
        stage__tournament=tournament, board_set__state=BoardSet.State.CLOSED, closed_at__isnull=False
    )
    columns = rows.order_by("-closed_at", "-id").values_list("stage__number", "number", "closed_at")
    return [ClosedRound(stage, number, closed) for stage, number, closed in columns[:MAX_ITEMS] if closed]


def public_events() -> QuerySet[Tournament]:
    return tournaments_listed(None).order_by()


def results_of(entries: QuerySet[Entry]) -> list[PlayedEvent]:
    """Return the places of these entries in finished events, newest first. Three queries."""
    rows = entries.filter(
        tournament__state__in=FINISHED_STATES, tournament__kind=Tournament.Kind.TOURNAMENT
    ).select_related("tournament", "version__bot", "partner_version__bot")
    listed = list(rows.order_by("-tournament__state_at", "-id")[:MAX_ITEMS])
    places = last_places(listed)
    ids = {entry.tournament_id for entry in listed}
    counts: dict[int, int] = dict.fromkeys(ids, 0)
    field = Entry.objects.filter(tournament__in=ids, standings__isnull=False).order_by()
    for tournament in field.values_list("tournament", "pk").distinct().values_list("tournament", flat=True):
        counts[tournament] += 1
    return [
        PlayedEvent(entry, places[entry.pk][0], counts[entry.tournament_id])
        for entry in listed
        if entry.pk in places
    ]


def published_versions(bot: Bot) -> list[BotVersion]:
    """Return the latest versions of a bot that visitors may see, newest first. One query."""
    return list(without_checks(versions_of(bot, None))[:MAX_ITEMS])


# Calendars


def site_calendar() -> list[Tournament]:
    """Return public events that begin in the future or began lately. One query."""
    since = timezone.now() - datetime.timedelta(days=CALENDAR_DAYS)
    dated = Q(starts_at__gte=since) | Q(closes_at__gte=since)
    return list(public_events().filter(dated).select_related("series").order_by("-id")[:MAX_EVENTS])


def cup_calendar(series: Series, viewer: Viewer) -> list[Tournament]:
    rows = editions_of(series, viewer).filter(state__in=PUBLIC_STATES).select_related("series")
    return list(rows[:MAX_EVENTS])


def account_calendar(user: User) -> list[Tournament]:
    """Return events that the account plays, organises or is invited to, the latest. One query."""
    plays = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    entered = Entry.objects.filter(plays, status__in=Entry.ACTIVE).values("tournament")
    invited = Invitation.objects.filter(player__user=user).values("tournament")
    own = organiser_filter(user) | Q(pk__in=entered) | Q(pk__in=invited)
    rows = tournaments_visible_to(user).filter(own, state__in=PUBLIC_STATES, kind=Tournament.Kind.TOURNAMENT)
    return list(rows.select_related("series").order_by("-id")[:MAX_EVENTS])


def active_series(viewer: Viewer) -> list[Series]:
    """Return visible cups that have another edition."""
    rows = series_visible_to(viewer).filter(state=Series.State.ACTIVE, next_at__isnull=False)
    return list(rows.order_by("next_at", "-id")[:MAX_SERIES])


def series_of_account(user: User) -> list[Series]:
    """Return active cups that the account runs, or that enter its bots."""
    subscribed = Subscription.objects.filter(bot__owner__user=user).values("series")
    rows = series_visible_to(user).filter(
        Q(organiser=user) | Q(pk__in=subscribed), state=Series.State.ACTIVE, next_at__isnull=False
    )
    return list(rows.order_by("next_at", "-id")[:MAX_SERIES])


def numbered_editions(series: Series) -> list[tuple[int, UpcomingEdition]]:
    """Return the planned editions of a cup with the numbers that they will have. No query."""
    return list(enumerate(planned_editions(series), start=series.last_edition + 1))


# CSV


def csv_rounds(tournament: Tournament, stage: int, number: int | None) -> list[Round]:
    """Return the opened rounds of a stage, or one of them, with board sets. One query."""
    rows = Round.objects.filter(stage__tournament=tournament, stage__number=stage, board_set__isnull=False)
    if number is not None:
        rows = rows.filter(number=number)
    return list(rows.select_related("board_set", "stage").order_by("number"))


def fixtures_of_rounds(rounds: Collection[Round], at_most: int) -> list[Fixture]:
    rows = Fixture.objects.filter(board_set__round__in=rounds).select_related("board_set__round")
    return list(rows.order_by("board_set__round__number", "number")[:at_most])


def sides_of_fixtures(rounds: Collection[Round]) -> list[tuple[int, int, int, str]]:
    """Return fixture, side, and entry by key and public id, in the order of the pairing. One query."""
    rows = FixtureEntry.objects.filter(fixture__board_set__round__in=rounds).order_by("fixture", "position")
    return list(rows.values_list("fixture", "side", "entry", "entry__public_id"))


def board_score_rows(rounds: Collection[Round], at_most: int) -> list[tuple[int, str, int, str, int, int]]:
    """Return round, fixture, board, entry and score of closed rounds. One query."""
    rows = FixtureScore.objects.filter(
        fixture__board_set__round__in=rounds, fixture__board_set__state=BoardSet.State.CLOSED
    ).order_by("fixture__board_set__round__number", "fixture__number", "pk")
    columns = rows.values_list(
        "fixture__board_set__round__number", "fixture__public_id", "entry__public_id", "board_values"
    )
    listed: list[tuple[int, str, int, str, int, int]] = []
    # Each row has a board at least.
    for (round_number, fixture), of_fixture in groupby(columns[:at_most].iterator(), key=itemgetter(0, 1)):
        scores = [
            (round_number, fixture, board, entry, *value)
            for *_, entry, text in of_fixture
            for board, *value in value_parts(text)
        ]
        listed += sorted(scores, key=itemgetter(2))
        if len(listed) >= at_most:
            break
    return listed[:at_most]
