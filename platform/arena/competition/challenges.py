"""Challenges: private fixtures between chosen versions that start at once and are not rated."""

from __future__ import annotations

import contextlib
import datetime
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from django.conf import settings
from django.db import transaction
from django.db.models import DurationField, F, Q, QuerySet, Sum
from django.utils import timezone

from arena.accounts.models import AuditEvent, User
from arena.common.declarations import (
    ChoiceSpec,
    FieldSpec,
    IntegerSpec,
    TextSpec,
    invalid_field,
    specs_by_name,
)
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.common.names import name_checked
from arena.competition.course_limits import MEMBER_CHALLENGES, require_daily_limit
from arena.competition.drafts import validate_draft
from arena.competition.entries.admission import require_ready
from arena.competition.event_options import BOARD_KINDS
from arena.competition.games import preset_options, presets_of
from arena.competition.models import Entry, Tournament
from arena.competition.small_events import small_event_fields, small_event_start
from arena.roster.models import Bot, BotVersion

DAY = datetime.timedelta(days=1)
MAX_NAME_LENGTH = 100

BOARDS = IntegerSpec(name="boards", label="Boards", default=16, least=1, most=200)
FIELDS: dict[str, FieldSpec] = specs_by_name(
    FieldSpec(
        name="versions",
        help="Ready versions of your own or of public bots. Each plays all seats of its side.",
        is_required=True,
    ),
    FieldSpec(name="preset", label="Rules", is_required=True),
    BOARDS,
    ChoiceSpec(name="board_kind", default="deal", choices=BOARD_KINDS),
    FieldSpec(name="ruleset", help="Options that differ from the preset's."),
    FieldSpec(name="clock"),
    TextSpec(name="name", default="", most=MAX_NAME_LENGTH),
)


@transaction.atomic
def challenge_create(
    actor: User,
    versions: Sequence[BotVersion],
    *,
    preset: str,
    boards: int = BOARDS.default,
    board_kind: str = "deal",
    ruleset: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    name: str = "",
) -> Tournament:
    """Create, open, lock and start a challenge with one version per side. Its first round opens at once.

    ``versions`` are in the order of the sides and belong to the actor or to public bots. The challenge is
    private. If platform faults quarantine a table, its fixture becomes void without a wait
    (``quarantine_hours`` 0), and the challenge does not count against the quota. Raises Forbidden
    ``not_owner``; Conflict ``challenge_quota_exceeded`` or ``course_limit_reached``, ``not_ready``,
    ``version_suspended``; Invalid, also ``sides_mismatch``, ``wrong_game``, ``duplicate_version``.
    """
    BOARDS.checked(boards)
    title = name_checked("name", name, MAX_NAME_LENGTH, may_be_empty=True)
    title = title or " – ".join(str(version) for version in versions)
    stage = {"format": "round_robin"} if len(versions) == 2 else {"format": "heats", "options": {"rounds": 1}}
    title = title[:MAX_NAME_LENGTH] or "challenge"
    # The rules determine how many versions are needed.
    rules = {"preset": preset, "ruleset": ruleset, "board_kind": board_kind}
    sides = len(validate_draft({"name": title, **rules}).rules.sides)
    if len(versions) != sides:
        raise invalid_field(
            "versions",
            f"A table of {preset} has {sides} sides; name {sides} versions, not {len(versions)}.",
            "sides_mismatch",
        )
    fields = small_event_fields(title, preset, boards, board_kind, ruleset, clock, sides)
    planned = validate_draft({**fields, "visibility": Tournament.Visibility.PRIVATE, "stages": [stage]})
    _require_versions(actor, versions, planned.rules.game.key)
    _require_quota(actor)
    entries = [[version] for version in versions]
    return small_event_start(Tournament.Kind.CHALLENGE, actor, planned, entries, actor)


@functools.cache
def two_sided_presets(game: str) -> dict[str, dict[str, int]]:
    """Return the presets in which two versions can meet, with the options to change (seats to two)."""
    options_by_preset: dict[str, dict[str, int]] = {}
    for preset in presets_of(game):
        two: dict[str, int] = {"seats": 2} if "seats" in preset_options(preset) else {}
        for ruleset in ({}, two):
            with contextlib.suppress(Invalid):  # the preset has another, fixed number of seats
                planned = validate_draft({"name": "challenge", "preset": preset, "ruleset": ruleset})
                if len(planned.rules.sides) == 2:
                    options_by_preset.setdefault(preset, ruleset)
    return options_by_preset


def challenges_visible_to(user: User) -> QuerySet[Tournament]:
    """Return challenges that the account created or in which its bots play, newest first."""
    concerned = Q(organiser=user) | Q(pk__in=Entry.objects.filter(player__user=user).values("tournament"))
    return Tournament.objects.select_related("organiser").filter(concerned, kind=Tournament.Kind.CHALLENGE)


def challenge_daily_quota() -> int:
    most: int = settings.CHALLENGES_PER_DAY
    return most


def challenges_against_quota(user: User) -> QuerySet[Tournament]:
    """Return the challenges of the last 24 hours that neither the system ended nor faults voided."""
    ended = AuditEvent.objects.filter(kind="tournament", action="cancel", actor=None).values("object_id")
    # Fixtures belong to ``matches``; this query names only their state.
    voided = Tournament.objects.filter(fixtures__state="void").exclude(
        Q(state=Tournament.State.CANCELLED) | Q(fixtures__adjudications__actor__isnull=False)
    )
    return (
        Tournament.objects.filter(
            kind=Tournament.Kind.CHALLENGE, organiser=user, created_at__gt=timezone.now() - DAY
        )
        .exclude(public_id__in=ended)
        .exclude(pk__in=voided.values("pk"))
    )


def challenges_worker_s(user: User) -> float:
    """Return worker seconds of the account's challenges in the last 24 hours, without failed attempts."""
    duration = F("tables__finished_at") - F("tables__started_at")
    finished = Tournament.objects.filter(
        kind=Tournament.Kind.CHALLENGE, organiser=user, tables__finished_at__gt=timezone.now() - DAY
    )
    total = finished.aggregate(held=Sum(duration, output_field=DurationField()))["held"]
    return total.total_seconds() if total else 0.0


def _require_versions(actor: User, versions: Sequence[BotVersion], game: str) -> None:
    if len({version.pk for version in versions}) < len(versions):
        raise Invalid(
            "A version cannot play against itself; name each version once.",
            "duplicate_version",
            field="versions",
        )
    for version in versions:
        bot = version.bot
        is_own = bot.owner.user_id == actor.pk
        if not is_own and not actor.is_staff and bot.visibility != Bot.Visibility.PUBLIC:
            raise Forbidden(f"{version} belongs to a private bot of another player.", "not_owner")
        if bot.game != game:
            raise Invalid(f"{version} plays {bot.game}, not {game}.", "wrong_game", field="versions")
        require_ready(version)


def _require_quota(actor: User) -> None:
    """Raise Conflict ``challenge_quota_exceeded`` if challenges or worker time are used up, or
    ``course_limit_reached``. Staff have no quota.
    """
    # Lock the account, so that concurrent challenges are counted one after the other.
    User.objects.select_for_update().get(pk=actor.pk)
    if actor.is_staff:
        return
    most = challenge_daily_quota()
    spent = challenges_against_quota(actor)
    require_daily_limit(actor, MEMBER_CHALLENGES, spent)
    if spent.count() >= most:
        _raise_quota_exceeded(f"You have reached the limit of {most} challenges within 24 hours", most, spent)
    most_s = settings.CHALLENGE_WORKER_S_PER_DAY
    if challenges_worker_s(actor) >= most_s:
        limit = f"Your challenges have used {most_s} s of worker time within 24 hours, which is the limit"
        _raise_quota_exceeded(limit, most_s, spent)


def _raise_quota_exceeded(sentence: str, limit: int, spent: QuerySet[Tournament]) -> NoReturn:
    oldest = spent.order_by("created_at").values_list("created_at", flat=True).first() or timezone.now()
    available_at = oldest + DAY
    raise Conflict(
        f"{sentence}; try again at {available_at:%Y-%m-%d %H:%M} UTC.",
        "challenge_quota_exceeded",
        limit=limit,
        available_at=available_at.isoformat(),
    )
