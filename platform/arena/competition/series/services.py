"""Services of recurring cups: create, change, pause and end them, and compute the dates of their editions.

An edition is an ordinary tournament, created ``open_hours`` before it starts. Missed ones are skipped.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from itertools import islice, takewhile
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.declarations import invalid_field, require_integer
from arena.common.errors import ArenaError, Conflict, Forbidden, NotFound
from arena.common.moments import local_to_utc
from arena.common.names import name_checked, name_normalized
from arena.common.notes import Note, note_in_english, typed_note
from arena.common.states import state_change_or_conflict
from arena.common.texts import require_visible_characters
from arena.competition.drafts import require_valid_texts, validate_draft
from arena.competition.models import Series, Subscription, Tournament
from arena.competition.selectors import Viewer, is_staff, tournaments_visible_to
from arena.competition.series.declarations import (
    ACTIONS,
    DEFAULTS,
    FIELDS,
    LIVE,
    MAX_NAME_LENGTH,
    MAX_OPEN_HOURS,
    MONTHLY,
    WEEKDAYS,
    WEEKLY,
)
from arena.competition.tournament_fields import FIELDS as TOURNAMENT_FIELDS

State = Series.State
DAY = timedelta(days=1)
DAY_FIELDS = {WEEKLY: "weekday", MONTHLY: "month_day"}
"""Name of the field for the day, by frequency."""
SERIES_CONTROLLED_FIELDS = ("name", "closes_at", "starts_at")
MIN_REGISTRATION = timedelta(minutes=10)
"""Minimum remaining time for entry; an edition with less is not created."""
MAX_SERIES = 20
"""Maximum series of an organiser, without ended ones."""
UPCOMING_EDITIONS = 5
MAX_SERIES_COMPARED = 50
SCHEDULE_FIELDS = ("frequency", "weekday", "month_day", "start_time", "timezone", "until")


class UpcomingEdition(NamedTuple):
    opens_at: datetime
    starts_at: datetime
    tournament: Tournament | None = None
    """The edition, if it is created and open for entry."""


def series_visible_to(user: Viewer) -> QuerySet[Series]:
    """Return series with public editions, the account's own, and those that enter its bots; all for staff.

    Visible editions open for entry are prefetched for ``upcoming_editions``.
    """
    is_open = tournaments_visible_to(user).filter(state=Tournament.State.OPEN)
    editions = Prefetch("editions", is_open.order_by("edition"), to_attr="open_editions")
    rows = Series.objects.select_related("organiser").prefetch_related(editions)
    if is_staff(user):
        return rows
    visible = Q(template__visibility=Tournament.Visibility.PUBLIC)
    if isinstance(user, User):
        subscribed = Subscription.objects.filter(bot__owner__user=user).values("series")
        visible |= Q(organiser=user) | Q(pk__in=subscribed)
    return rows.filter(visible)


def series_listed(user: Viewer) -> QuerySet[Series]:
    """Return ``series_visible_to``, active ones first, then by date of the next edition."""
    return series_visible_to(user).order_by("state", "next_at", "-id")


def series_active(user: Viewer) -> QuerySet[Series]:
    """Return the active rows of ``series_listed``."""
    return series_listed(user).filter(state=Series.State.ACTIVE)


def next_active_series() -> Series | None:
    coming = [
        (ahead[0].starts_at, series.pk, series)
        for series in series_active(None)[:MAX_SERIES_COMPARED]
        if (ahead := upcoming_editions(series, 1))
    ]
    return min(coming)[2] if coming else None


def series_get(public_id: str, user: Viewer) -> Series:
    """Return a visible series. Raises NotFound."""
    series = series_visible_to(user).filter(public_id=public_id).first()
    if series is None:
        raise NotFound(f"There is no cup {public_id!r}.", "series_not_found")
    return series


def may_manage_series(user: Viewer, series: Series) -> bool:
    """Return whether the account is staff, or the series' organiser while it may organise."""
    return is_staff(user) or (
        isinstance(user, User) and user.is_active and user.is_organiser and series.organiser_id == user.pk
    )


def allowed_series_actions(series: Series) -> list[str]:
    return [name for name, action in ACTIONS.items() if series.state in action.states]


def _require_series_organiser(user: User | None, series: Series) -> None:
    if user is not None and not may_manage_series(user, series):
        raise Forbidden("Only the organiser of this series and staff can do this.", "not_organiser")


def upcoming_editions(series: Series, count: int = UPCOMING_EDITIONS) -> list[UpcomingEdition]:
    """Return editions open for entry, then planned ones. No query after ``series_visible_to``."""
    opened = [
        UpcomingEdition(_opens_at(series, edition.starts_at), edition.starts_at, edition)
        for edition in getattr(series, "open_editions", ())
        if edition.starts_at is not None
    ]
    planned = planned_editions(series, count) if series.state == State.ACTIVE else []
    return [*opened, *planned][:count]


def _opens_at(series: Series, starts_at: datetime) -> datetime:
    return starts_at - timedelta(hours=series.open_hours)


def planned_editions(series: Series, count: int = UPCOMING_EDITIONS) -> list[UpcomingEdition]:
    """Return the next editions that are not created yet; fewer if the series ends before. No query."""
    if series.next_at is None:
        return []
    first = series.next_at - timedelta(microseconds=1)
    coming = occurrences(series, first)
    if series.until is not None:
        until = series.until
        coming = takewhile(lambda moment: moment <= until, coming)
    return [UpcomingEdition(_opens_at(series, moment), moment) for moment in islice(coming, count)]


def series_checked(fields: Mapping[str, Any], *, now: datetime | None = None) -> Series:
    """Return an unsaved, valid series with ``next_at``. Raises Invalid with ``extra["field"]``."""
    given = {**DEFAULTS, **fields}
    name = name_normalized("name", str(given["name"]), MAX_NAME_LENGTH)
    plain = {
        field: FIELDS[field].checked(given[field])
        for field in ("frequency", "start_time", "timezone", "until")
    }
    frequency = plain["frequency"]
    weekday, month_day = _day_checked(frequency, given["weekday"], given["month_day"])
    series = Series(
        name=name,
        template=template_checked(given["template"], name),
        weekday=weekday,
        month_day=month_day,
        open_hours=require_integer("open_hours", given["open_hours"], 1, MAX_OPEN_HOURS[frequency]),
        **plain,
    )
    series.next_at = next_occurrence(series, (now or timezone.now()) + MIN_REGISTRATION)
    if series.next_at is None:
        raise invalid_field("until", f"until {series.until} leaves no edition; set a later time.")
    return series


def _day_checked(frequency: str, weekday: Any, month_day: Any) -> tuple[int | None, int | None]:
    days = {"weekday": weekday, "month_day": month_day}
    for field, value in days.items():
        if value is not None and DAY_FIELDS.get(frequency) != field:
            raise invalid_field(field, f"{field} does not apply to {frequency} series; leave it out.")
    if frequency == WEEKLY and weekday is None:
        raise invalid_field("weekday", f"A weekly series needs its weekday: {', '.join(WEEKDAYS)}.")
    if frequency == MONTHLY and month_day is None:
        raise invalid_field(
            "month_day",
            "A monthly series needs month_day, from 1 to 31; shorter months use their last day.",
        )
    return (
        None if weekday is None else require_integer("weekday", weekday, 0, 6),
        FIELDS["month_day"].checked(month_day),
    )


def template_checked(template: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the validated fields of its editions. Raises Invalid with field ``template.<field>``."""
    for field in template:
        if field in SERIES_CONTROLLED_FIELDS:
            raise invalid_field(
                f"template.{field}", f"The series sets {field} of its editions itself; leave it out."
            )
    if template.get("entry_policy", Tournament.EntryPolicy.OPEN) != Tournament.EntryPolicy.OPEN:
        raise invalid_field(
            "template.entry_policy",
            "Editions are created automatically, without invitations: entry_policy must be open. "
            "For a closed group use visibility private.",
        )
    if template.get("course"):
        raise invalid_field(
            "template.course",
            "A cup has no course: create each tournament of a course by itself, and leave course out.",
        )
    try:
        require_valid_texts(template)
        validate_draft({**template, "name": f"{name} 1"})
    except ArenaError as error:
        error.extra["field"] = f"template.{error.extra.get('field', '')}".rstrip(".")
        raise
    return {**template, "visibility": template.get("visibility", TOURNAMENT_FIELDS["visibility"].default)}


def next_occurrence(series: Series, after: datetime) -> datetime | None:
    """Return the first occurrence later than ``after``, or None if the series ends before."""
    moment = next(occurrences(series, after))
    return None if series.until is not None and moment > series.until else moment


def _require_room(organiser: User) -> None:
    present = organiser.series.exclude(state=State.ENDED).count()
    if present >= MAX_SERIES:
        raise Conflict(
            f"You run {present} of {MAX_SERIES} series; end one first.",
            "too_many_series",
            series=present,
            most=MAX_SERIES,
        )


def _require_organiser(user: User) -> None:
    if not (user.is_organiser or user.is_staff):
        raise Forbidden(
            "This account may not organise tournaments; ask the operator.",
            "organiser_role_required",
        )


def series_preview(organiser: User, **fields: Any) -> Series:
    """Return the series that ``series_create`` would create, with the same checks, without storing it."""
    _require_organiser(organiser)
    name_checked("name", str(fields["name"]), MAX_NAME_LENGTH)
    series = series_checked(fields)
    _require_room(organiser)
    series.organiser = organiser
    return series


@transaction.atomic
def series_create(organiser: User, **fields: Any) -> Series:
    """Create a recurring cup from ``name``; ``template`` (a tournament without name and times);
    ``frequency``; ``weekday`` (0 = Monday) or ``month_day``; ``start_time``, local in ``timezone``;
    ``open_hours``; ``until``.

    Raises Forbidden ``organiser_role_required``; Invalid, see ``series_checked``; Conflict
    ``too_many_series``.
    """
    _require_organiser(organiser)
    User.objects.select_for_update().get(pk=organiser.pk)
    series = series_preview(organiser, **fields)
    series.save()
    audit(organiser, "create", series, **_audit_values(series))
    return series


def _audit_values(series: Series) -> dict[str, Any]:
    moments = {"until": series.until, "next_at": series.next_at}
    return {
        **{name: getattr(series, name) for name in (*FIELDS, "state")},
        "start_time": series.start_time.isoformat("minutes"),
        **{field: moment.isoformat() if moment else None for field, moment in moments.items()},
    }


@transaction.atomic
def series_update(series: Series, actor: User, **changes: Any) -> int:
    """Change future editions or their schedule; editions that exist stay as they are.

    Returns the number of subscriptions removed, with a notice, if the game changed, or partners now change
    without the owner's consent. Raises Forbidden; Invalid, see ``series_checked``; Conflict ``wrong_state``
    once it has ended.
    """
    _require_series_organiser(actor, series)
    for field in changes:
        if field not in FIELDS:
            raise invalid_field(field, f"{field} cannot be changed; changeable: {', '.join(FIELDS)}.")
    if "name" in changes:
        name_checked("name", str(changes["name"]), MAX_NAME_LENGTH)
    row = Series.objects.select_for_update().get(pk=series.pk)
    if row.state == State.ENDED:
        state_change_or_conflict(row, LIVE, State.ACTIVE, verb="change")
    before, mixed = _audit_values(row), _mixes_partners(row)
    if changes.get("frequency", row.frequency) != row.frequency and (day := DAY_FIELDS.get(row.frequency)):
        changes.setdefault(day, None)
    updated = series_checked({**{name: getattr(row, name) for name in FIELDS}, **changes})
    values = {name: getattr(updated, name) for name in FIELDS}
    if any(values[name] != getattr(row, name) for name in SCHEDULE_FIELDS):
        values["next_at"] = _next_occurrence_after_editions(updated, row)
    for target in (row, series):
        for field, value in values.items():
            setattr(target, field, value)
    row.save(update_fields=sorted(values))
    audit(actor, "update", row, before, **_audit_values(row))
    return _ineligible_subscriptions_remove(row, actor, asks_consent=_mixes_partners(row) and not mixed)


def _mixes_partners(series: Series) -> bool:
    try:
        planned = validate_draft({**series.template, "name": series.name})
    except ArenaError:
        return False
    return any(stage.rules.mixes_partners for stage in planned.stages)


def _ineligible_subscriptions_remove(series: Series, actor: User, *, asks_consent: bool) -> int:
    """Remove subscriptions of other games or without consent, and notify the owners. Return how many."""
    game = validate_draft({**series.template, "name": series.name}).rules.game
    taken_out = 0
    for subscription in series.subscriptions.select_related("bot__owner__user").order_by("id"):
        bot = subscription.bot
        if bot.game != game.key:
            note: Note = {"code": "unsubscribed_game", "game": game.key}
        elif asks_consent:
            note = {"code": "unsubscribed_partners"}
        else:
            continue
        subscription.delete()
        audit(actor, "unsubscribe", series, {"bot": bot.public_id})
        note |= {"bot": bot.name, "series": series.name}
        notice_create(bot.owner.user, Notice.Kind.SERIES, note, series.page)
        taken_out += 1
    return taken_out


def _next_occurrence_after_editions(rhythm: Series, row: Series) -> datetime:
    last = row.editions.order_by("-edition").values_list("starts_at", flat=True).first()
    soonest = timezone.now() + MIN_REGISTRATION
    moment = next_occurrence(rhythm, max(soonest, last) if last else soonest)
    if moment is None:
        raise invalid_field("until", "That leaves no edition; end the series instead.")
    return moment


@transaction.atomic
def series_pause(series: Series, actor: User | None, reason: str = "", *, note: Note | None = None) -> None:
    """Create no edition until the series is resumed. Actor None: the system. Raises Forbidden, Conflict."""
    _stop(series, actor, State.PAUSED, "pause", note or typed_note(reason))


@transaction.atomic
def series_resume(series: Series, actor: User) -> None:
    """Continue with the next occurrence that leaves time for entry.

    Raises Forbidden; Conflict ``wrong_state``; Invalid if ``until`` has passed.
    """
    _require_series_organiser(actor, series)
    changes: dict[str, Any] = {}
    if series.next_at is None or series.next_at < timezone.now() + MIN_REGISTRATION:
        changes["next_at"] = _next_occurrence_after_editions(series, series)
    state_change_or_conflict(
        series,
        ACTIONS["resume"].states,
        State.ACTIVE,
        verb="resume",
        state_note={},
        state_at=timezone.now(),
        **changes,
    )
    audit(actor, "resume", series, {"state": State.PAUSED}, **_audit_values(series))


@transaction.atomic
def series_end(series: Series, actor: User | None, reason: str = "") -> None:
    """End the series for good; existing editions are played. Raises Forbidden, Conflict."""
    _stop(series, actor, State.ENDED, "end", typed_note(reason), next_at=None)


def _stop(series: Series, actor: User | None, to: State, verb: str, note: Note, **changes: Any) -> None:
    _require_series_organiser(actor, series)
    before, reason = series.state, note_in_english(note)
    if actor is not None:
        require_visible_characters("reason", reason)
    state_change_or_conflict(
        series, ACTIONS[verb].states, to, verb=verb, state_note=note, state_at=timezone.now(), **changes
    )
    audit(actor, verb, series, {"state": before}, state=to, reason=reason)


SERVICES: Mapping[str, Callable[[Series, User, str], object]] = {
    "pause": series_pause,
    "resume": lambda series, actor, reason: series_resume(series, actor),
    "end": series_end,
}
"""Service by action that changes the state; the reason is empty for actions without one."""


def occurrences(rhythm: Series, after: datetime) -> Iterator[datetime]:
    """Yield all occurrences strictly later than ``after``, in UTC. Endless: ``until`` is ignored.

    >>> evening = datetime.fromisoformat("2027-03-20T20:00").time()
    >>> fridays = Series(frequency="weekly", weekday=4, start_time=evening, timezone="Europe/Berlin")
    >>> first = occurrences(fridays, datetime.fromisoformat("2027-03-20T00:00Z"))
    >>> next(first).isoformat(), next(first).isoformat()
    ('2027-03-26T19:00:00+00:00', '2027-04-02T18:00:00+00:00')
    """
    zone = ZoneInfo(rhythm.timezone)
    # Start a day earlier: a local time that a day skips may fall on the next day.
    day = after.astimezone(zone).date() - DAY
    while True:
        if _occurs_on(rhythm, day):
            moment = local_to_utc(zone, day, rhythm.start_time)
            if moment > after:
                yield moment
                after = moment
        day += DAY


def _occurs_on(rhythm: Series, day: date) -> bool:
    if rhythm.frequency == WEEKLY:
        return day.weekday() == rhythm.weekday
    if rhythm.frequency == MONTHLY:
        assert rhythm.month_day is not None
        return day.day == min(rhythm.month_day, monthrange(day.year, day.month)[1])
    return True
