"""Endpoint: the queue of commitments."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from arena.api.answers.commitments import commitment_out
from arena.api.base.filters import ListFilters, NumberFilter
from arena.api.base.views import ListView
from arena.competition.commitments import commitments_in_state, commitments_listed
from arena.competition.models import Commitment

MAX_COMMITMENT_NUMBER = (1 << 31) - 1
"""Maximum of the column."""


class CommitmentFilter(ListFilters):
    state = filters.ChoiceFilter(choices=Commitment.State.choices, method="in_state")
    number = NumberFilter("number", most=MAX_COMMITMENT_NUMBER)

    def in_state(self, rows: QuerySet[Commitment], name: str, value: str) -> QuerySet[Commitment]:
        return commitments_in_state(rows, value)


class CommitmentListView(ListView):
    """Commitments of the queue.

    Challenges, rounds of ladders and batches of experiments use the free commitment with the lowest number.
    """

    write = staticmethod(commitment_out)
    filterset_class = CommitmentFilter
    page_ordering = "-number"

    def rows(self) -> QuerySet[Commitment]:
        """Newest first."""
        return commitments_listed(self.request.user)
