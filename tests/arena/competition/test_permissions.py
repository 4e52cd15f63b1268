"""What can be done now is told truly: what is named works, what is not is refused."""

from __future__ import annotations

import pytest

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.drafts import fields_of
from arena.competition.models import Statement, Tournament
from arena.competition.permissions import allowed_actions, allowed_entry_actions, editable_fields
from arena.competition.selectors import entry_get
from arena.competition.services import (
    entry_confirm,
    entry_decline,
    entry_seed,
    entry_withdraw,
    tournament_lock,
    tournament_open,
    tournament_pause,
    tournament_resume,
    tournament_start,
    tournament_update,
)
from tests.factories import (
    a_locked_tournament,
    a_pending_entry,
    a_tournament,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
VERBS = {
    "open": tournament_open,
    "lock": tournament_lock,
    "start": tournament_start,
    "pause": tournament_pause,
    "resume": tournament_resume,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("state", Tournament.State.values)
def test_the_verbs_named_are_those_that_are_not_refused_by_state(state: str) -> None:
    for verb, service in VERBS.items():
        tournament = an_open_tournament()
        for owner in (aya(), ben()):
            an_entry(tournament, owner)
        Tournament.objects.filter(pk=tournament.pk).update(state=state)
        # What it has stated belongs to the state it really was in.
        Statement._base_manager.filter(tournament=tournament).delete()
        tournament.refresh_from_db()
        named = verb in allowed_actions(tournament, odo())
        if named:
            service(tournament, odo())
            continue
        assert refusal(ArenaError, service, tournament, odo()).code == "wrong_state"


def test_a_stranger_may_enter_and_nothing_else() -> None:
    tournament = an_open_tournament()
    assert allowed_actions(tournament, chie()) == ["enter"]
    assert allowed_actions(tournament, None) == []
    assert allowed_actions(a_tournament(), chie()) == []
    assert "lock" in allowed_actions(tournament, sota())


def test_the_fields_named_can_be_changed() -> None:
    tournament = a_locked_tournament(2)
    assert editable_fields(tournament, chie()) == []
    assert "starts_at" in editable_fields(tournament, odo())
    for field in editable_fields(tournament, odo()):
        tournament_update(tournament, odo(), **{field: fields_of(tournament)[field]})


def test_each_side_of_a_pair_is_told_its_part() -> None:
    tournament = an_open_tournament()
    public_id = a_pending_entry(tournament, aya(), ben()).public_id

    def verbs(user: User | None) -> list[str]:
        return allowed_entry_actions(entry_get(tournament, public_id), user)

    assert verbs(aya()) == ["withdraw"]
    assert verbs(ben()) == ["confirm", "decline", "withdraw"]
    assert verbs(odo()) == ["withdraw", "seed"]
    assert verbs(chie()) == verbs(None) == []
    entry_confirm(entry_get(tournament, public_id), ben())
    assert verbs(ben()) == ["withdraw"]
    entry_seed(entry_get(tournament, public_id), 1, odo())
    entry_withdraw(entry_get(tournament, public_id), ben())
    assert verbs(ben()) == verbs(odo()) == []
    refusal(ArenaError, entry_decline, entry_get(tournament, public_id), ben())


def test_one_may_leave_a_locked_field_but_not_be_seeded() -> None:
    tournament = a_locked_tournament(3)
    entry = entry_get(tournament, tournament.entries.get(player__user=aya()).public_id)
    assert allowed_entry_actions(entry, aya()) == ["withdraw"]
    assert allowed_entry_actions(entry, odo()) == ["withdraw"]
    assert allowed_entry_actions(entry, ben()) == []
