"""Editions of recurring cups: each is created once when it is due, with the subscribed bots entered."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import ArenaError
from arena.common.notes import Note, format_minute, time_clause
from arena.competition.models import Series, Subscription, Tournament
from arena.competition.selectors import tournament_mixes_partners
from arena.competition.series.declarations import MAX_OPEN_HOURS
from arena.competition.series.services import (
    MIN_REGISTRATION,
    State,
    next_occurrence,
    series_pause,
)
from arena.competition.services import entry_create, tournament_create, tournament_open
from arena.roster.models import BotVersion


def due_series(now: datetime) -> list[Series]:
    """Return active series whose next edition should be open for entry, longest overdue first."""
    horizon = now + timedelta(hours=max(MAX_OPEN_HOURS.values()))
    rows = Series.objects.filter(state=State.ACTIVE, next_at__lte=horizon).select_related("organiser")
    due = [
        series
        for series in rows.order_by("next_at")
        if series.next_at and _opens_at(series, series.next_at) <= now
    ]
    return sorted(due, key=lambda series: _opens_at(series, series.next_at or now))


def _opens_at(series: Series, starts_at: datetime) -> datetime:
    return starts_at - timedelta(hours=series.open_hours)


def edition_create(series: Series) -> Tournament | None:
    """Create the next edition, open it and enter the subscribed bots. None if no edition is due.

    Exactly once, by a conditional UPDATE. Editions without enough time for entry are skipped. If
    creation fails, the series is paused and its organiser notified.
    """
    try:
        return _edition_create(series)
    except ArenaError as error:
        series.refresh_from_db()
        note = {"code": "edition_failed", "why": error.message[:300]}
        with transaction.atomic():
            series_pause(series, None, note=note)
            notice_create(
                series.organiser,
                Notice.Kind.SERIES,
                {"code": "series_paused", "series": series.name, "why": note},
                series.page,
            )
        return None


@transaction.atomic
def _edition_create(series: Series) -> Tournament | None:
    now, starts_at = timezone.now(), series.next_at
    if starts_at is None:
        return None
    if starts_at < now + MIN_REGISTRATION:
        _missed_edition_skip(series, starts_at, now)
        return None
    number = series.last_edition + 1
    following = next_occurrence(series, starts_at)
    moved = Series.objects.filter(
        pk=series.pk, state=State.ACTIVE, next_at=starts_at, last_edition=series.last_edition
    ).update(last_edition=number, **_next_edition_columns(following, now))
    if not moved:
        return None
    tournament = tournament_create(
        series.organiser,
        series=series,
        edition=number,
        **{**series.template, "name": f"{series.name} {number}"},
        closes_at=starts_at,
        starts_at=starts_at,
    )
    tournament_open(tournament, None)
    event_add(
        "series.edition",
        series,
        tournament=tournament.public_id,
        name=tournament.name,
        edition=number,
        starts_at=starts_at.isoformat(),
    )
    for subscription in _subscriptions(series):
        _subscription_enter(tournament, subscription)
    series.refresh_from_db()
    return tournament


def _next_edition_columns(following: datetime | None, now: datetime) -> dict[str, object]:
    if following is not None:
        return {"next_at": following}
    return {
        "next_at": None,
        "state": State.ENDED,
        "state_at": now,
        "state_note": {"code": "last_edition"},
    }


def _missed_edition_skip(series: Series, missed: datetime, now: datetime) -> None:
    following = next_occurrence(series, now + MIN_REGISTRATION)
    moved = Series.objects.filter(pk=series.pk, state=State.ACTIVE, next_at=missed).update(
        **_next_edition_columns(following, now)
    )
    if not moved:
        return
    audit(None, "skip", series, {"next_at": missed.isoformat()}, next_at=following and following.isoformat())
    notice_create(
        series.organiser,
        Notice.Kind.SERIES,
        {
            "code": "edition_skipped",
            "series": series.name,
            "missed": format_minute(missed),
            "now": format_minute(now),
            "next": time_clause("next_edition", following) or {"code": "last_edition_over"},
        },
    )
    series.refresh_from_db()


def _subscriptions(series: Series) -> list[Subscription]:
    return list(
        series.subscriptions.select_related(
            "bot__owner__user", "bot__active_version__bot__owner", "partner_bot__active_version__bot__owner"
        ).order_by("id")
    )


def _subscription_enter(tournament: Tournament, subscription: Subscription) -> None:
    bots = [subscription.bot]
    if subscription.partner_bot is not None:
        bots.append(subscription.partner_bot)
    owner = subscription.bot.owner.user
    versions: list[BotVersion] = []
    for bot in bots:
        if bot.active_version is None:
            _owner_notify(owner, subscription, {"code": "no_version", "bot": bot.name})
            return
        versions.append(bot.active_version)
    if not owner.is_active:
        return
    try:
        with transaction.atomic():
            entry_create(
                tournament,
                versions[0],
                owner,
                partner_version=versions[1] if len(versions) > 1 else None,
                accepts_partners=tournament_mixes_partners(tournament),
            )
    except ArenaError as error:
        _owner_notify(owner, subscription, error.message)


def _owner_notify(owner: User, subscription: Subscription, why: str | Note) -> None:
    """Notify unless the same notice is unread, so that a daily cup does not flood the owner."""
    series = subscription.series
    note = {"code": "not_entered", "bot": subscription.bot.name, "series": series.name, "why": why}
    if not owner.notices.filter(kind=Notice.Kind.SERIES, note=note, read_at=None).exists():
        notice_create(owner, Notice.Kind.SERIES, note, series.page)
