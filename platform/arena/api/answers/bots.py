"""Responses: bots, versions and checks."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request
from rest_framework.reverse import reverse
from rest_framework.serializers import URLField

from arena.api.base.shapes import build_shape
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import may_read_private, waiting_reason

WAITING_HELP = (
    "Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime; "
    "empty if it waits for nothing but its turn."
)
PRIVATE_FIELDS = ("entry_point", "notes", "reasons", "suspended_reason", "waiting_reason")
"""Fields of a version that are null for everyone but the owner and staff."""


class BotOut(TypedDict):
    id: str
    name: str
    game: str
    owner: str
    visibility: Annotated[str, Bot.Visibility]
    active_version: str | None
    created_at: datetime.datetime


class ReasonOut(TypedDict):
    """A reason for a rejection."""

    code: str
    message: str


class CheckStepOut(TypedDict):
    """A step of a check."""

    name: str
    ok: bool
    detail: str


class CheckOut(TypedDict):
    """The latest check of a version. ``is_reinstatement``: it was requested to end a suspension."""

    version: str
    attempt: int
    state: Annotated[str, CheckRun.State]
    steps: list[CheckStepOut]
    reasons: list[ReasonOut]
    report: Annotated[dict[str, Any] | None, "Report of the trial table."]
    reason: str
    waiting_reason: Annotated[str, WAITING_HELP]
    is_reinstatement: bool
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None


class VersionOut(TypedDict):
    """A version.

    entry_point, notes, reasons, suspended_reason and waiting_reason are null for everyone but the owner
    and staff.
    """

    id: str
    bot: str
    bot_name: str
    active_version: Annotated[
        str | None,
        "The version with which the bot enters tournaments. A new version does not replace it automatically.",
    ]
    owner: str
    number: int
    state: Annotated[str, BotVersion.State]
    bundle_sha256: str
    bundle_bytes: int
    runtime: str
    runtime_digest: str
    created_at: datetime.datetime
    entry_point: str | None
    notes: str | None
    reasons: list[ReasonOut] | None
    suspended_at: datetime.datetime | None
    suspended_reason: str | None
    reinstated_at: datetime.datetime | None
    waiting_reason: Annotated[str | None, WAITING_HELP]
    check_url: Annotated[str, URLField]


def bot_out(bot: Bot, _: Request) -> BotOut:
    return build_shape(BotOut, bot, owner=bot.owner.handle, active_version=_active_version(bot))


def check_out(check: CheckRun, _: Request) -> CheckOut:
    return build_shape(
        CheckOut,
        check,
        version=check.version.public_id,
        steps=[build_shape(CheckStepOut, step) for step in check.steps],
        reasons=_reasons(check.version),
    )


def version_out(version: BotVersion, request: Request) -> VersionOut:
    """Return a version with the fields that the viewer may see."""
    bot = version.bot
    values: dict[str, Any] = {"reasons": _reasons(version), "waiting_reason": waiting_reason(version)}
    if not may_read_private(request.user, bot):
        values = dict.fromkeys(PRIVATE_FIELDS)
    return build_shape(
        VersionOut,
        version,
        bot=bot.public_id,
        bot_name=bot.name,
        owner=bot.owner.handle,
        active_version=_active_version(bot),
        check_url=reverse("version-check", args=[version.public_id], request=request),
        **values,
    )


def _active_version(bot: Bot) -> str | None:
    return bot.active_version.public_id if bot.active_version else None


def _reasons(version: BotVersion) -> list[ReasonOut]:
    return [build_shape(ReasonOut, reason) for reason in version.reasons]
