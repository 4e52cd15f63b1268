"""Challenges: a match now, between versions of one's choice."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.filters import Filters, TextFilter
from arena.api.permissions import SignedIn
from arena.api.serializers.base import checked
from arena.api.serializers.challenges import ChallengeIn
from arena.api.serializers.competition import TournamentOut
from arena.api.views.base import Listing
from arena.competition.challenges import challenge_create, challenges_visible_to
from arena.competition.models import Tournament
from arena.competition.selectors import tournament_detail, with_entry_counts
from arena.jobs.flow import tournament_advance
from arena.roster.selectors import version_get


class ChallengeFilter(Filters):
    """Filters of the list of challenges."""

    state = filters.MultipleChoiceFilter(choices=Tournament.State.choices)
    preset = TextFilter()
    game = TextFilter()


class Challenges(Listing):
    """Challenges.

    Each is a tournament of its own kind, and everything about it is found there.
    """

    model = Tournament
    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS
    serializer_class = TournamentOut
    filterset_class = ChallengeFilter

    def rows(self) -> QuerySet[Tournament]:
        """Those one made, and those one's bots were drawn into."""
        return with_entry_counts(challenges_visible_to(self.user))

    @extend_schema(request=ChallengeIn, responses={201: TournamentOut})
    def post(self, request: Request) -> Response:
        """Make a challenge.

        Its tables wait for workers from now on. It is unrated, and for those who play it.
        """
        wanted = checked(ChallengeIn, request)
        versions = [version_get(name, request.user) for name in wanted.pop("versions")]
        made = challenge_create(self.user, versions, **wanted)
        tournament_advance(made)
        return self.made(
            TournamentOut, tournament_detail(made.public_id, request.user), "tournament", made.public_id
        )
