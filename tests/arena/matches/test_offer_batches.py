"""One offer for a batch of finished tables: when the next one is due."""

from __future__ import annotations

from django.core.cache import cache

from arena.common.causes import WaitingFor
from arena.matches.dispatch import table_in_turn, tables_due
from arena.matches.models import Table
from arena.matches.offer_batches import next_offer_set, offer_is_due, offer_request
from arena.matches.workers import worker_heartbeat
from tests.arena.play import begun, waiting
from tests.arena.play import play_table as play


def finishes_until_offer(most: int = 100) -> int | None:
    """How many finished tables it takes; None if more than ``most``."""
    return next((number for number in range(1, most + 1) if offer_is_due()), None)


def test_an_offer_is_due_while_each_queue_still_has_messages(db: None) -> None:
    next_offer_set([8, 5], is_urgent=False)
    assert finishes_until_offer() == 2
    next_offer_set([8, 0], is_urgent=False)
    assert finishes_until_offer() == 1


def test_an_offer_is_due_after_each_table_if_it_is_urgent_or_the_count_is_lost(db: None) -> None:
    next_offer_set([8], is_urgent=True)
    assert finishes_until_offer() == 1
    next_offer_set([8], is_urgent=False)
    cache.clear()
    assert finishes_until_offer() == 1
    next_offer_set([8], is_urgent=False)
    offer_request()
    assert finishes_until_offer() == 1


def test_no_offer_is_due_once_everything_is_published(db: None) -> None:
    begun(2, boards_per_round=1)
    worker_heartbeat("tables@test", "FULL", {"python/1": "digest"}, 4)
    Table.objects.update(published_at=None)
    assert len(tables_due()) == 2
    assert finishes_until_offer() == 1, "their places are free until then"
    assert tables_due() == []
    assert finishes_until_offer() is None


def test_a_table_whose_message_was_used_for_another_one_is_offered_again(
    db: None, django_capture_on_commit_callbacks: object
) -> None:
    tournament = begun(2, boards_per_round=1)
    assert tables_due() == []
    *_, last = Table.objects.filter(tournament=tournament).order_by("first_board", "rotation", "pk")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert table_in_turn(last.pk) != last.pk
    assert finishes_until_offer() == 1
    assert tables_due() == [last.pk]


def test_while_a_table_waits_for_boards_every_finished_table_may_release_it(db: None) -> None:
    tournament = begun(2, boards_per_round=1)
    tables_due()
    first, second = waiting(tournament)
    Table.objects.filter(pk=second.pk).update(waiting_for=WaitingFor.BOARDS)
    play(first)
    assert tables_due() == []
    assert finishes_until_offer() == 1
