"""Filters of the lists of fixtures and tables."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django_filters import rest_framework as base

from arena.accounts.selectors import is_staff
from arena.api.filters import Filters, IdFilter, NumberFilter, TextFilter, TimeFilter
from arena.api.serializers.matches import DONE
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat

FIXTURE_STATES = [(state, state) for state in (*Fixture.State.values, DONE)]


class FixtureFilter(Filters):
    """Filters of a list of fixtures. By state they tell no more than the list does: ``done`` while sealed."""

    stage = NumberFilter("board_set__round__stage__number")
    round = NumberFilter("board_set__round__number")
    entry = IdFilter(method="with_entry", help_text="An entry that plays in it.")
    player = TextFilter(method="with_player", help_text="A player who has an entry in it, by handle.")
    version = IdFilter(method="with_version", help_text="A version that plays in it.")
    bot = IdFilter(method="with_bot", help_text="A bot of which a version plays in it.")
    state = base.ChoiceFilter(
        choices=FIXTURE_STATES,
        method="in_state",
        help_text="done: ended, sealed or not. settled, forfeited and void: only where unsealed.",
    )
    since = TimeFilter("done_at", "gte", help_text="Ended at or after this moment.")

    class Meta:
        model = Fixture
        fields = ("stage", "round", "entry", "player", "version", "bot", "state", "since")

    def with_entry(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        """Those with the entry."""
        return _with_sides(rows, entry__public_id=value)

    def with_player(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        """Those with an entry of the player."""
        return _with_sides(rows, entry__player__handle=value)

    def with_version(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        """Those with the version in either seat of a side."""
        return _with_sides(
            rows, Q(entry__version__public_id=value) | Q(entry__partner_version__public_id=value)
        )

    def with_bot(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        """Those with a version of the bot in either seat of a side."""
        return _with_sides(
            rows, Q(entry__version__bot__public_id=value) | Q(entry__partner_version__bot__public_id=value)
        )

    def in_state(self, rows: QuerySet[Fixture], _: str, value: str) -> QuerySet[Fixture]:
        """Those shown in this state to whoever asks."""
        if value == DONE:
            return rows.filter(state__in=Fixture.DONE)
        rows = rows.filter(state=value)
        if value in Fixture.DONE and not is_staff(self.request.user):
            rows = rows.filter(board_set__state=BoardSet.State.CLOSED)
        return rows


class AnyFixtureFilter(FixtureFilter):
    """The same over all tournaments."""

    tournament = IdFilter("tournament__public_id")

    class Meta:
        model = Fixture
        fields = (*FixtureFilter.Meta.fields, "tournament")


class TableFilter(Filters):
    """Filters of a list of tables."""

    tournament = IdFilter("tournament__public_id")
    fixture = IdFilter("fixture__public_id")
    stage = NumberFilter("fixture__board_set__round__stage__number")
    round = NumberFilter("fixture__board_set__round__number")
    entry = IdFilter(method="with_entry", help_text="An entry that sits there.")
    player = TextFilter(method="with_player", help_text="A player who has an entry there, by handle.")
    version = IdFilter(method="with_version", help_text="A version that sits there.")
    bot = IdFilter(method="with_bot", help_text="A bot of which a version sits there.")
    state = base.MultipleChoiceFilter(choices=Table.State.choices)
    since = TimeFilter("finished_at", "gte", help_text="Finished at or after this moment.")

    class Meta:
        model = Table
        fields = (
            "tournament",
            "fixture",
            "stage",
            "round",
            "entry",
            "player",
            "version",
            "bot",
            "state",
            "since",
        )

    def with_entry(self, rows: QuerySet[Table], _: str, value: str) -> QuerySet[Table]:
        """Those with the entry."""
        return _with_seats(rows, entry__public_id=value)

    def with_player(self, rows: QuerySet[Table], _: str, value: str) -> QuerySet[Table]:
        """Those with an entry of the player."""
        return _with_seats(rows, entry__player__handle=value)

    def with_version(self, rows: QuerySet[Table], _: str, value: str) -> QuerySet[Table]:
        """Those with the version."""
        return _with_seats(rows, version__public_id=value)

    def with_bot(self, rows: QuerySet[Table], _: str, value: str) -> QuerySet[Table]:
        """Those with a version of the bot."""
        return _with_seats(rows, version__bot__public_id=value)


def _with_sides(rows: QuerySet[Fixture], *wanted: Q, **columns: Any) -> QuerySet[Fixture]:
    return rows.filter(pk__in=FixtureEntry.objects.filter(*wanted, **columns).values("fixture"))


def _with_seats(rows: QuerySet[Table], **columns: Any) -> QuerySet[Table]:
    return rows.filter(pk__in=TableSeat.objects.filter(**columns).values("table"))
