"""Refusals name what the reader can do about them."""

from __future__ import annotations

import pytest

from arena.common.errors import ArenaError, Conflict, Forbidden, shortened
from arena.common.states import wrong_state
from arena.competition.entries.services import entry_create
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Tournament
from arena.standings.past_standings import round_unknown_error
from tests.factories import (
    a_bot,
    a_pending_entry,
    a_tournament,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

State = Tournament.State


def test_withdrawing_is_also_the_right_of_owners() -> None:
    event = an_open_tournament()
    assert refusal(Forbidden, entry_withdraw, an_entry(event, aya()), chie()).code == "not_organiser"


def test_who_names_a_partner_without_a_place_is_not_told_to_withdraw_anything() -> None:
    event = an_open_tournament()
    an_entry(event, aya())
    refused = refusal(Conflict, a_pending_entry, event, ben(), aya())
    assert refused.code == "too_many_entries"
    assert "withdraw" not in refused.message
    own = refusal(Conflict, entry_create, event, a_version(a_bot(aya())), aya())
    assert "withdraw" in own.message


def test_states_are_listed_in_the_order_of_a_life() -> None:
    refused = wrong_state(a_tournament(), "do", {State.PAUSED, State.DRAFT, State.LOCKED, State.RUNNING})
    assert refused.extra["allowed_states"] == ["draft", "locked", "running", "paused"]


def test_a_round_that_is_not_closed_is_asked_for_by_as_of() -> None:
    refused = round_unknown_error(a_tournament().stages.get(), 7)
    assert refused.extra["field"] == "as_of"


def test_a_long_message_is_cut_between_words() -> None:
    words = [f"word{number}" for number in range(200)]
    cut = shortened(" ".join(words))
    assert len(cut) <= 500
    assert set(cut.replace(" ... ", " ").split()) <= set(words)
    assert ArenaError("x" * 600, "code").message == "x" * 330 + " ... " + "x" * 165
