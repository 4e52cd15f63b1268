"""Fixtures and tables over all tournaments: where a player, a bot or a version has played."""

from __future__ import annotations

from django.db.models import QuerySet

from arena.api.list_filters import AnyFixtureFilter, TableFilter
from arena.api.serializers.matches import FixtureOut, TableRow
from arena.api.views.base import Listing
from arena.matches.fixture_selectors import fixtures_listed, tables_listed
from arena.matches.models import Fixture, Table
from arena.roster.selectors import version_get


class AllFixtures(Listing):
    """Fixtures of all tournaments one may see, newest first."""

    model = Fixture
    serializer_class = FixtureOut
    filterset_class = AnyFixtureFilter

    def rows(self) -> QuerySet[Fixture]:
        """Of visible tournaments."""
        return fixtures_listed(self.request.user)


class AllTables(Listing):
    """Tables of all tournaments one may see, newest first."""

    model = Table
    serializer_class = TableRow
    filterset_class = TableFilter

    def rows(self) -> QuerySet[Table]:
        """Of visible tournaments."""
        return tables_listed(self.request.user)


class VersionTables(AllTables):
    """Tables at which a version sat, newest first."""

    def rows(self) -> QuerySet[Table]:
        """Of visible tournaments."""
        version = version_get(self.kwargs["version"], self.request.user)
        return tables_listed(self.request.user, version)
