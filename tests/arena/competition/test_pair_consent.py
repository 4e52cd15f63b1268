"""A pair of two owners is entered once both agree."""

from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent, Notice
from arena.common.errors import ArenaError, Conflict, Forbidden
from arena.competition.models import Entry
from arena.competition.selectors import tournaments_visible_to
from arena.competition.services import (
    entered_entries,
    entry_confirm,
    entry_create,
    entry_decline,
    entry_withdraw,
    tournament_lock,
)
from arena.roster.services import version_retire
from tests.factories import (
    a_bot,
    a_pair_entry,
    a_pending_entry,
    a_suspended_version,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def code_of(call: object, *args: object, **fields: object) -> str:
    assert callable(call)
    return refusal(ArenaError, call, *args, **fields).code


def notice_texts(user: object, kind: str) -> list[str]:
    return [notice.text for notice in Notice.objects.filter(user=user, kind=kind)]


def test_a_pair_of_two_owners_waits_for_the_partner_who_is_told() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    assert entry.status == Entry.Status.PENDING
    assert entered_entries(tournament) == []
    (text,) = notice_texts(ben(), "partner_asked")
    assert "/api/" not in text
    assert ben().notices.get().url_path == tournament.page
    assert notice_texts(chie(), "partner_asked") == []


def test_once_confirmed_it_is_entered_and_both_count_it() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    entry_confirm(entry, ben())
    assert [row.pk for row in entered_entries(tournament)] == [entry.pk]
    assert len(notice_texts(aya(), "partner_answered")) == 1
    assert code_of(an_entry, tournament, ben()) == "too_many_entries"
    assert code_of(an_entry, tournament, aya()) == "too_many_entries"
    assert AuditEvent.objects.filter(action="confirm", actor=ben(), object_id=entry.public_id).exists()


def test_an_unanswered_question_takes_no_place_from_the_partner() -> None:
    tournament = an_open_tournament()
    a_pending_entry(tournament, aya(), ben())
    assert an_entry(tournament, ben()).status == Entry.Status.ENTERED


def test_who_has_entered_meanwhile_cannot_confirm_as_well() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    an_entry(tournament, ben())
    assert code_of(entry_confirm, entry, ben()) == "too_many_entries"


def test_a_partner_with_no_place_left_is_not_even_asked() -> None:
    tournament = an_open_tournament()
    an_entry(tournament, ben())
    assert code_of(a_pending_entry, tournament, aya(), ben()) == "too_many_entries"
    assert notice_texts(ben(), "partner_asked") == []


@pytest.mark.parametrize("stranger", [aya, chie, odo, sota])
def test_nobody_but_the_partner_answers(stranger: object) -> None:
    entry = a_pending_entry(an_open_tournament(), aya(), ben())
    assert callable(stranger)
    for answer in (entry_confirm, entry_decline):
        assert code_of(answer, entry, stranger()) == "not_partner"


def test_a_declined_pair_is_withdrawn_with_the_reason() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    entry_decline(entry, ben(), "it plays another style")
    entry.refresh_from_db()
    assert (entry.status, "another style" in entry.status_reason) == (Entry.Status.WITHDRAWN, True)
    assert "another style" in notice_texts(aya(), "partner_answered")[0]
    refused = refusal(Conflict, entry_confirm, entry, ben())
    assert refused.code == "not_pending"
    assert refused.extra["status"] == "withdrawn"


def test_an_answer_counts_once() -> None:
    entry = a_pending_entry(an_open_tournament(), aya(), ben())
    entry_confirm(entry, ben())
    assert code_of(entry_confirm, entry, ben()) == "not_pending"
    assert code_of(entry_decline, entry, ben()) == "not_pending"


def test_unconfirmed_pairs_are_void_at_the_lock_and_both_learn_it() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    for _ in range(2):
        an_entry(tournament, chie() if _ else odo())
    tournament_lock(tournament, tournament.organiser)
    entry.refresh_from_db()
    assert (entry.status, entry.status_note) == (Entry.Status.WITHDRAWN, {"code": "not_confirmed"})
    assert len(notice_texts(aya(), "entry_ended")) == len(notice_texts(ben(), "entry_ended")) == 1
    assert not logged_events().filter(kind="entry.withdrawn", object_id=entry.public_id, user=None).exists()
    assert code_of(entry_confirm, entry, ben()) == "wrong_state"


def test_a_private_bot_of_somebody_else_cannot_be_asked() -> None:
    tournament = an_open_tournament()
    own = a_version(a_bot(aya()))
    theirs = a_version(a_bot(ben(), visibility="private"))
    refusal(Forbidden, entry_create, tournament, own, aya(), partner_version=theirs)


def test_the_first_version_must_be_ones_own() -> None:
    tournament = an_open_tournament()
    mine, theirs = a_version(a_bot(aya())), a_version(a_bot(ben()))
    assert code_of(entry_create, tournament, theirs, aya(), partner_version=mine) == "not_owner"


def test_a_version_that_is_not_ready_any_more_cannot_be_confirmed() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    version_retire(entry.version, aya())
    assert code_of(entry_confirm, entry, ben()) == "not_ready"


def test_a_suspended_partner_is_not_asked() -> None:
    tournament = an_open_tournament()
    own, theirs = a_version(a_bot(aya())), a_suspended_version(a_bot(ben()))
    assert code_of(entry_create, tournament, own, aya(), partner_version=theirs) == "version_suspended"


def test_nobody_is_asked_for_ever() -> None:
    tournament = an_open_tournament()
    for _ in range(3):
        entry_decline(a_pending_entry(tournament, aya(), ben()), ben())
    assert code_of(a_pending_entry, tournament, aya(), ben()) == "too_many_partner_requests"
    assert len(notice_texts(ben(), "partner_asked")) == 3
    a_pending_entry(tournament, aya(), chie())


def test_both_owners_may_withdraw_a_pair() -> None:
    for owner in (aya, ben):
        tournament = an_open_tournament()
        entry = a_pending_entry(tournament, aya(), ben())
        entry_confirm(entry, ben())
        entry_withdraw(entry, owner())
        assert entry.status == Entry.Status.WITHDRAWN
        assert code_of(entry_withdraw, entry, chie()) == "not_organiser"


def test_a_pair_of_one_owner_needs_nobodys_consent() -> None:
    assert a_pair_entry(an_open_tournament(), aya()).status == Entry.Status.ENTERED


def test_the_partner_sees_a_private_event_it_is_entered_in() -> None:
    tournament = an_open_tournament(visibility="private")
    assert not tournaments_visible_to(ben()).exists()
    a_pending_entry(tournament, aya(), ben())
    assert list(tournaments_visible_to(ben())) == [tournament]
    assert not tournaments_visible_to(chie()).exists()


def test_the_pair_counts_as_one_place() -> None:
    tournament = an_open_tournament(max_entries=2)
    entry_confirm(a_pending_entry(tournament, aya(), ben()), ben())
    an_entry(tournament, chie())
    assert code_of(an_entry, tournament, odo()) == "tournament_full"
