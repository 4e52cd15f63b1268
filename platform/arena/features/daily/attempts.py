"""Attempts: one per account or guest's browser and day."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Conflict, Forbidden, NotFound
from arena.competition.casual import CasualDeals
from arena.features.daily.days import attempts_settle
from arena.features.daily.models import DailyAttempt, DailyDeal, WeekPlace
from arena.features.daily.selectors import attempt_of, deal_today, person_digest
from arena.features.play.limits import require_guest_place
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.services import open_sealed_table
from arena.roster.models import BotVersion
from engine import game_named

MAX_RESTARTS = 2


def attempt_start(person: Person, browser: Person) -> DailyAttempt:
    """Start the person's attempt at today's deal, or return the existing one.

    ``browser`` is the guest of the same browser. After a platform fault, the attempt starts again, at most
    ``MAX_RESTARTS`` times. Raises NotFound (``daily_deal_not_found``), Forbidden (``guest_key_required``),
    Conflict (``daily_deal_played``, ``play_quota_exceeded``, ``guest_table_limit``), Unavailable
    (``play_capacity_exceeded``).
    """
    deal = deal_today()
    if deal is None:
        raise NotFound("There is no daily deal today.", "daily_deal_not_found")
    digest = person_digest(person)
    if not digest:
        raise Forbidden("Reload the page: your browser sent no guest key.", "guest_key_required")
    existing = attempt_of(person, deal)
    if existing is not None:
        return _restart(existing, person) if _has_failed(existing) else existing
    if person.user is not None and attempt_of(browser, deal) is not None:
        raise Conflict(
            "This browser has already played today's deal without an account. Sign out to see the result.",
            "daily_deal_played",
        )
    if person.user is None:
        require_guest_place(person)
    try:
        with transaction.atomic():
            attempt = DailyAttempt.objects.create(
                deal=deal, owner=person.user, person=digest, started_at=timezone.now()
            )
            _open_table(attempt, person)
    except IntegrityError:
        concurrent = attempt_of(person, deal)
        if concurrent is None:
            raise
        return concurrent
    return attempt


def attempt_settled(person: Person, deal: DailyDeal) -> DailyAttempt | None:
    """Return the person's attempt; its result is stored first if its table has ended since."""
    attempt = attempt_of(person, deal)
    if attempt is None or attempt.state != DailyAttempt.State.PLAYING:
        return attempt
    return attempt_of(person, deal) if attempts_settle(deal, attempt.pk) else attempt


def _has_failed(attempt: DailyAttempt) -> bool:
    table = attempt.table
    return table is not None and table.state == CasualTable.State.FAILED and attempt.restarts < MAX_RESTARTS


def _restart(attempt: DailyAttempt, person: Person) -> DailyAttempt:
    with transaction.atomic():
        rows = DailyAttempt.objects.filter(
            pk=attempt.pk, table=attempt.table, state=DailyAttempt.State.PLAYING
        )
        if rows.update(restarts=attempt.restarts + 1, table=None):
            attempt.restarts += 1
            _open_table(attempt, person)
    attempt.refresh_from_db()
    return attempt


def _open_table(attempt: DailyAttempt, person: Person) -> None:
    deal = attempt.deal
    game = game_named(deal.game)
    versions = BotVersion.objects.select_related("bot__owner__user").in_bulk(
        [seat["version"] for seat in deal.seats], field_name="public_id"
    )
    placed = {seat["seat"]: (versions[seat["version"]], seat["strength"]) for seat in deal.seats}
    dealt = CasualDeals(
        bytes(deal.secret), deal.seed_id, tuple(sorted(seat["bundle"] for seat in deal.seats))
    )
    attempt.table = open_sealed_table(
        person,
        game,
        game.ruleset(deal.preset, deal.ruleset),
        deal.seat,
        placed,
        dealt,
        deal.board,
        plays_field=deal.field is None,
    )
    attempt.save(update_fields=["table"])


def attempts_forget(user: User) -> None:
    """Remove an account before its deletion: results remain without a person."""
    DailyAttempt.objects.filter(owner=user).update(owner=None, person="", points=None)
    WeekPlace.objects.filter(owner=user).delete()
