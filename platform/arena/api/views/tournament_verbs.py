"""Endpoints: actions that change a tournament's state, with dry runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import User
from arena.api.answers.tournaments import TournamentOut, tournament_out
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import ActionView
from arena.api.serializers.competition import OptionalReason
from arena.common.declarations import ActionSpec
from arena.competition.selectors import tournament_detail, tournament_get
from arena.competition.tournament_actions import STATE_ACTIONS
from arena.jobs import flow
from arena.jobs.tournament_actions import SERVICES


class TournamentActionView(ActionView):
    """An action that changes a tournament's state. Its consequences follow immediately."""

    @extend_schema(responses=schema_of(TournamentOut))
    def post(self, request: Request, tournament: str) -> Response:
        """Run the action, advance the tournament, and return it; in a dry run, as it would be."""
        data = validated_body(self.body, request)
        instance = tournament_get(tournament, request.user)
        with explain_conflicts(instance, self.user), rollback_if_dry_run(self.is_dry_run):
            self.service(instance, self.user, **data)
            if not self.is_dry_run:
                flow.tournament_advance(instance)
            return self.respond(tournament_out, tournament_detail(tournament, request.user))


def action_view(
    base: type[ActionView], action: ActionSpec, act: Callable[[Any, User, str], object]
) -> type[ActionView]:
    """Return the view of an action, described by the action's summary."""

    def service(target: Any, actor: User, reason: str = "") -> object:
        return act(target, actor, reason)

    title, _, description = action.summary.partition(". ")
    members: dict[str, Any] = {
        "__doc__": f"{title}.\n\n{description}" if description else title,
        "service": staticmethod(service),
    }
    if action.takes_reason:
        members["body"] = OptionalReason
    return type(action.name.title().replace("_", ""), (base,), members)


ACTION_VIEWS = {
    name: action_view(TournamentActionView, action, SERVICES[name]) for name, action in STATE_ACTIONS.items()
}
"""View by the last part of its URL."""
