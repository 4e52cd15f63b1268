"""Filters of lists of fixtures and tables."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django_filters import rest_framework as base

from arena.api.base.filters import IdFilter, ListFilters, NumberFilter, TextFilter, TimeFilter
from arena.matches.fixture_selectors import (
    ENDED_STATE,
    fixtures_done_since,
    fixtures_in_state,
    fixtures_involving,
    tables_finished_since,
    tables_involving,
)
from arena.matches.models import Fixture, Table

FIXTURE_STATES = [(state, state) for state in (*Fixture.State.values, ENDED_STATE)]


class FixtureFilter(ListFilters):
    """Filters of fixtures. Filtering by state reveals no more than the list: ended fixtures are ``done``
    while sealed.
    """

    stage = NumberFilter("board_set__round__stage__number")
    round = NumberFilter("board_set__round__number")
    entry = IdFilter(method="with_side", help_text="Fixtures of this entry.")
    player = TextFilter(method="with_side", help_text="Fixtures of this player's entries, by handle.")
    version = IdFilter(method="with_side", help_text="Fixtures of this version.")
    bot = IdFilter(method="with_side", help_text="Fixtures of this bot's versions.")
    state = base.ChoiceFilter(
        choices=FIXTURE_STATES,
        method="in_state",
        help_text="done: ended, sealed or not. settled, forfeited and void: only unsealed fixtures.",
    )
    since = TimeFilter(
        method="done_since", help_text="Ended at or after this time; excludes sealed fixtures."
    )

    def with_side(self, rows: QuerySet[Fixture], name: str, value: str) -> QuerySet[Fixture]:
        return fixtures_involving(rows, name, value)

    def in_state(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        return fixtures_in_state(rows, value, self.request.user)

    def done_since(self, rows: QuerySet[Fixture], _: str, value: datetime) -> QuerySet[Fixture]:
        return fixtures_done_since(rows, value, self.request.user)


class AnyFixtureFilter(FixtureFilter):
    """Filters of fixtures of all tournaments."""

    tournament = IdFilter("tournament__public_id")


class TableFilter(ListFilters):
    """Filters of tables."""

    tournament = IdFilter("tournament__public_id")
    fixture = IdFilter("fixture__public_id")
    stage = NumberFilter("fixture__board_set__round__stage__number")
    round = NumberFilter("fixture__board_set__round__number")
    entry = IdFilter(method="with_seat", help_text="Tables of this entry.")
    player = TextFilter(method="with_seat", help_text="Tables of this player's entries, by handle.")
    version = IdFilter(method="with_seat", help_text="Tables of this version.")
    bot = IdFilter(method="with_seat", help_text="Tables of this bot's versions.")
    state = base.MultipleChoiceFilter(choices=Table.State.choices)
    since = TimeFilter(
        method="finished_since", help_text="Finished at or after this time; excludes sealed tables."
    )

    def with_seat(self, rows: QuerySet[Table], name: str, value: str) -> QuerySet[Table]:
        return tables_involving(rows, name, value)

    def finished_since(self, rows: QuerySet[Table], _: str, value: datetime) -> QuerySet[Table]:
        return tables_finished_since(rows, value, self.request.user)
