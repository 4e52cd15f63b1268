"""The queue of commitments: posted ahead, taken in order, each number once, whatever happens in between."""

from __future__ import annotations

import copy
import datetime
import io
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from arena.common.errors import ArenaError, Conflict, Invalid
from arena.competition.challenges import challenge_create
from arena.competition.commitments import (
    commitment_reserve,
    commitment_take,
    commitments_burn,
    commitments_fill,
    commitments_in_state,
    commitments_listed,
)
from arena.competition.keys import key_current
from arena.competition.models import Commitment, Tournament
from arena.jobs.flow import tournament_cancel
from arena.roster.models import BotVersion
from arena.roster.services import version_retire
from arena.standings.export import tournament_export
from bots.kit.local.verify import export_verify
from league.fairness import commitment, commitment_message, queued_id
from league.verify.statements import is_signed_message
from tests.arena.overlaps import overlapping
from tests.arena.play import play_out
from tests.factories import a_bot, a_version, aya, ben, sota
from tests.league.archives import forged, unpacked
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few(settings: Any) -> None:
    settings.COMMITMENTS_FREE_MIN = 3


def pair() -> list[BotVersion]:
    return [a_version(a_bot(aya())), a_version(a_bot(ben()))]


def challenged(versions: list[BotVersion] | None = None) -> Tournament:
    return challenge_create(aya(), versions or pair(), preset="kakeya4", boards=1)


def states() -> list[str]:
    return [row.state for row in Commitment.objects.order_by("number")]


def test_a_stated_number_is_posted_ahead_and_signed() -> None:
    assert (commitments_fill(), commitments_fill()) == (3, 0)
    rows = list(Commitment.objects.order_by("number"))
    assert [row.number for row in rows] == [1, 2, 3]
    for row in rows:
        assert row.digest == commitment(bytes(row.secret))
        message = commitment_message(row.number, row.digest, row.posted_at.isoformat())
        assert is_signed_message(bytes(key_current().public), message, row.signature)
    challenged()
    assert commitments_fill() == 1
    assert [row.number for row in commitments_listed()] == [4, 3, 2, 1]


def test_a_challenge_takes_the_oldest_and_its_id_follows() -> None:
    commitments_fill()
    for number in (1, 2):
        event = challenged()
        taken = event.queued_commitment
        assert (taken.number, taken.state, taken.posted_ahead) == (number, "taken", True)
        assert event.commitment == taken.digest
        assert event.public_id == queued_id(bytes(taken.secret), number)
        assert taken.taken_at is not None
        assert taken.posted_at < taken.taken_at <= event.created_at
    assert states() == ["taken", "taken", "posted"]
    assert list(
        commitments_in_state(Commitment.objects.all(), "posted").values_list("number", flat=True)
    ) == [3]


def test_an_empty_queue_posts_one_and_says_so() -> None:
    event = challenged()
    assert event.queued_commitment.posted_ahead is False
    assert event.queued_commitment.posted_at == event.queued_commitment.taken_at
    commitments_fill()
    assert challenged().queued_commitment.posted_ahead is True


def test_what_is_rolled_back_leaves_the_number_where_it_was() -> None:
    commitments_fill()
    before = list(Commitment.objects.values_list())
    own, theirs = pair()

    with transaction.atomic():
        challenged([own, theirs])
        transaction.set_rollback(True)
    version_retire(theirs, ben())
    refusal(Conflict, challenged, [own, theirs])
    assert list(Commitment.objects.values_list()) == before
    assert challenged().queued_commitment.number == 1


def test_one_that_is_cancelled_is_revealed_with_its_reason_and_never_taken_again() -> None:
    commitments_fill()
    event, other = challenged(), challenged()
    tournament_cancel(event, None, "no worker came")
    tournament_cancel(other, aya(), "my secret plan")
    first, second, third = Commitment.objects.order_by("number")
    assert first.revealed_at is not None
    assert first.reason == "cancelled by the system: no worker came"
    assert second.reason == "cancelled by an organiser", "what its maker wrote of a private one is hers"
    assert challenged().queued_commitment == third
    assert states() == ["revealed", "revealed", "taken"]


def test_one_that_is_played_is_revealed_without_a_reason_and_its_export_agrees() -> None:
    commitments_fill()
    event = play_out(challenged())
    assert event.state == Tournament.State.FINAL
    row = Commitment.objects.get(number=1)
    assert (row.state, row.reason) == ("revealed", "")
    packed = io.BytesIO(tournament_export(event, sota()))
    key = key_current()
    keys = {key.name: bytes(key.public)}
    assert export_verify(Path("x.zip"), packed, keys=keys).disagreements == []
    archive = unpacked(packed.getvalue())
    for field, value in (("number", 2), ("posted_at", "2999-01-01T00:00:00+00:00"), ("signature", "0" * 128)):
        document = copy.deepcopy(archive.document)
        document["tournament"]["queue"][field] = value
        changed = io.BytesIO(forged(archive._replace(document=document)).packed())
        found = export_verify(Path("x.zip"), changed, keys=keys).disagreements
        assert [text for text in found if "queue" in text], field


def test_one_is_taken_once_and_by_what_was_made_with_its_secret() -> None:
    commitments_fill()
    event = challenged()
    with transaction.atomic():
        reserved = commitment_reserve()
        assert "secret" in str(refusal(ValueError, commitment_take, reserved, event))
    taken = Commitment.objects.get(number=1)
    assert "free" in str(refusal(ValueError, commitment_take, reserved._replace(commitment=taken), event))
    posted = Commitment.objects.get(number=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        Commitment.objects.filter(pk=posted.pk).update(taken_at=timezone.now())
    early = posted.posted_at - datetime.timedelta(seconds=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Commitment.objects.filter(pk=taken.pk).update(taken_at=early)
    assert "never deleted" in str(refusal(ValueError, posted.delete))


def test_of_an_empty_queue_nothing_can_be_burnt() -> None:
    assert "3" in str(refusal(Invalid, commitments_burn, 3, "a backup was restored"))


def test_burnt_ones_are_revealed_and_passed_over() -> None:
    commitments_fill()
    challenged()
    assert commitments_burn(2, "a backup was restored", sota()) == 1
    assert commitments_burn(2, "a backup was restored", sota()) == 0
    burnt = Commitment.objects.get(number=2)
    assert (burnt.state, burnt.reason, burnt.posted_ahead) == ("revealed", "a backup was restored", None)
    assert challenged().queued_commitment.number == 3
    for through, reason in ((0, "x"), (9, "x"), (3, " ")):
        refusal(Invalid, commitments_burn, through, reason)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_take_two_numbers_in_order() -> None:
    commitments_fill()
    versions, others = pair(), pair()
    first, second = overlapping(lambda: challenged(versions), lambda: challenged(others))
    assert isinstance(second, Tournament), second
    assert [event.queued_commitment.number for event in (first, second)] == [1, 2]
    assert not connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_two_at_once_post_each_number_once() -> None:
    first, second = overlapping(commitments_fill, commitments_fill)
    assert not isinstance(second, ArenaError)
    assert Commitment.objects.count() == 3
    assert first == 3


@pytest.mark.django_db
def test_what_another_posts_after_the_queue_was_read_is_enough() -> None:
    begun = []

    def another(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        done = execute(sql, params, many, context)
        if not begun:
            begun.append(sql)
            assert commitments_fill() == 3
        return done

    with connection.execute_wrapper(another):
        assert commitments_fill() == 0
    assert Commitment.objects.count() == 3
