"""An event whose tie-breaks list head-to-head twice, from the request to its proven end."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.standings.audit import tournament_audit
from arena.standings.models import StandingRow
from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.play import begun, play_out
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db

TIE_BREAKS = ["head_to_head", "wins", "head_to_head"]


def test_head_to_head_is_listed_twice_and_has_a_value_each_time(client: Client) -> None:
    tournament = play_out(begun(4, boards_per_round=1, tie_breaks=TIE_BREAKS))
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    assert tournament.tie_breaks == [*TIE_BREAKS, "lot"]
    assert tournament_audit(tournament) == []
    for row in StandingRow.objects.filter(stage__tournament=tournament):
        assert {"head_to_head", "head_to_head_2"} <= set(row.values)
    page = page_of(client.get(f"/tournaments/{tournament.public_id}/standings"))
    assert "Head to head (2)" in page


def test_the_api_takes_it_twice_and_no_other_tie_break() -> None:
    organiser = caller(factories.odo())

    def asked(*names: str) -> int:
        body = {"name": "Cup", "preset": "kakeya4", "tie_breaks": names}
        return organiser.post("/api/v1/tournaments", body, content_type="application/json").status_code

    assert asked(*TIE_BREAKS) == 201
    assert asked(*TIE_BREAKS, "head_to_head") == 400
    assert asked("wins", "wins") == 400
