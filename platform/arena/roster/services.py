"""Create and change players, bots and versions. Checks are in ``roster.checks``."""

from __future__ import annotations

import re
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Invalid
from arena.common.names import name_checked, name_folded
from arena.common.states import state_change_or_conflict, wrong_state
from arena.roster.checks import (
    check_claim,
    check_fail,
    check_finish,
    check_progress,
    check_repeat,
    checks_sweep,
)
from arena.roster.models import Bot, BotVersion, CheckRun, Player
from arena.roster.selectors import require_owner, version_suspended_error
from arena.roster.suspension import version_reinstate, version_suspend

__all__ = [
    "BOTS_PER_PLAYER",
    "bot_create",
    "bot_update",
    "check_claim",
    "check_fail",
    "check_finish",
    "check_progress",
    "check_repeat",
    "checks_sweep",
    "player_of",
    "version_activate",
    "version_annotate",
    "version_create",
    "version_reinstate",
    "version_rejected_create",
    "version_retire",
    "version_suspend",
]

BOTS_PER_PLAYER = 50
NOTES_CHARACTERS = 4000
NAME_CHARACTERS = 60
NUMBER_ATTEMPTS = 5


def player_of(user: User) -> Player:
    """Return the account's player, created if missing. The handle is derived from the username."""
    player = Player.objects.select_related("user").filter(user=user).first()
    if player is not None:
        return player
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", user.username).strip("-_")[:26] or "player"
    stem = stem if len(stem) > 1 else f"{stem}-player"
    for suffix in ("", *(f"-{n}" for n in range(2, 1000))):
        try:
            with transaction.atomic():
                return Player.objects.get_or_create(user=user, defaults={"handle": stem + suffix})[0]
        except IntegrityError:
            continue  # another player has this handle
    raise Conflict(f"All handles like {stem!r} are taken. Ask the operator.", "handle_taken")


def _checked_visibility(visibility: str) -> str:
    if visibility not in Bot.Visibility.values:
        allowed = list(Bot.Visibility.values)
        message = f"visibility {visibility!r} is not one of {', '.join(allowed)}."
        raise Invalid(message, "invalid", field="visibility", allowed=allowed)
    return visibility


def bot_create(user: User, *, name: str, game: str, visibility: str = "public") -> Bot:
    """Create a bot without versions. Raises Conflict (``name_taken`` or ``bot_limit``), Invalid."""
    player = player_of(user)
    if player.bots.count() >= BOTS_PER_PLAYER:
        raise Conflict(
            f"You have {BOTS_PER_PLAYER} bots, which is the limit.", "bot_limit", limit=BOTS_PER_PLAYER
        )
    bot = Bot(
        owner=player,
        name=name_checked("name", name, NAME_CHARACTERS),
        game=game,
        visibility=_checked_visibility(visibility),
    )
    try:
        with transaction.atomic():
            bot.save()
            audit(user, "create", bot, name=bot.name, game=game, visibility=visibility)
    except IntegrityError:
        raise _duplicate_name_error("You have", player, name) from None
    return bot


def bot_update(bot: Bot, actor: User, *, name: str | None = None, visibility: str | None = None) -> Bot:
    """Change a bot's name or visibility. Raises Forbidden, Conflict (``name_taken``), Invalid."""
    require_owner(bot, actor)
    before = {"name": bot.name, "visibility": bot.visibility}
    if name is not None:
        bot.name = name_checked("name", name, NAME_CHARACTERS)
        bot.name_key = name_folded(bot.name)
    if visibility is not None:
        bot.visibility = _checked_visibility(visibility)
    after = {"name": bot.name, "visibility": bot.visibility}
    if after == before:
        return bot
    try:
        with transaction.atomic():
            bot.save(update_fields=["name", "name_key", "visibility"])
            audit(actor, "update", bot, before, **after)
    except IntegrityError:
        raise _duplicate_name_error(f"{bot.owner.handle} has", bot.owner, bot.name) from None
    return bot


def _duplicate_name_error(who_has: str, player: Player, name: str) -> Conflict:
    other = player.bots.filter(name_key=name_folded(name)).first()
    return Conflict(
        f"{who_has} already a bot named {(other.name if other else name)!r}. Choose another name.",
        "name_taken",
        field="name",
    )


def _number_and_save(version: BotVersion) -> None:
    for attempt in range(NUMBER_ATTEMPTS):
        version.number = (version.bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1
        try:
            with transaction.atomic():
                version.save()
            return
        except IntegrityError:  # another upload of the same bot took the number
            if attempt == NUMBER_ATTEMPTS - 1:
                raise


def version_create(
    bot: Bot,
    *,
    bundle_sha256: str,
    bundle_bytes: int,
    runtime: str,
    entry_point: str,
    notes: str,
    actor: User,
) -> BotVersion:
    """Create a version whose bundle is stored, and its first check, which waits. Raises Forbidden."""
    require_owner(bot, actor)
    version = BotVersion(
        bot=bot,
        bundle_sha256=bundle_sha256,
        bundle_bytes=bundle_bytes,
        runtime=runtime,
        entry_point=entry_point,
        notes=notes,
    )
    with transaction.atomic():
        _number_and_save(version)
        CheckRun.objects.create(version=version)
        audit(actor, "upload", version, number=version.number, bundle_sha256=bundle_sha256)
    return version


def version_rejected_create(
    bot: Bot,
    *,
    reasons: list[dict[str, Any]],
    notes: str,
    actor: User,
    bundle_sha256: str = "",
    bundle_bytes: int = 0,
    runtime: str = "",
    entry_point: str = "",
) -> BotVersion:
    """Create a rejected version, with a finished check, of an invalid upload. Raises Forbidden."""
    require_owner(bot, actor)
    now = timezone.now()
    version = BotVersion(
        bot=bot,
        bundle_sha256=bundle_sha256,
        bundle_bytes=bundle_bytes,
        runtime=runtime,
        entry_point=entry_point,
        notes=notes,
        state=BotVersion.State.REJECTED,
        reasons=reasons,
    )
    with transaction.atomic():
        _number_and_save(version)
        CheckRun.objects.create(
            version=version,
            state=CheckRun.State.DONE,
            steps=[
                {
                    "name": "import",
                    "ok": False,
                    "detail": " ".join(str(r.get("message", "")) for r in reasons),
                }
            ],
            started_at=now,
            finished_at=now,
        )
        audit(actor, "upload", version, number=version.number, state=version.state, reasons=reasons)
        event_add("version.rejected", version, user=bot.owner.user, version=str(version))
    return version


def version_activate(version: BotVersion, actor: User) -> BotVersion:
    """Make this the version that the bot enters tournaments with.

    Raises Forbidden (``not_owner``), Conflict (``wrong_state``; ``version_suspended`` with the remedies).
    """
    require_owner(version.bot, actor)
    with transaction.atomic():
        # Locked until commit: a version that is being retired cannot become active.
        ready = BotVersion.objects.select_for_update().filter(pk=version.pk, state=BotVersion.State.READY)
        before = version.bot.active_version
        if not ready:
            version.refresh_from_db()
            if version.state == BotVersion.State.SUSPENDED:
                raise version_suspended_error(version, "activate")
            raise wrong_state(version, "activate", [BotVersion.State.READY])
        Bot.objects.filter(pk=version.bot_id).update(active_version=version)
        audit(
            actor,
            "activate",
            version,
            {"active": before.public_id if before else None},
            active=version.public_id,
        )
    version.bot.active_version = version
    return version


def version_annotate(version: BotVersion, actor: User, notes: str) -> BotVersion:
    """Replace the notes of a version, which only its owner and staff can read. Raises Forbidden, Invalid."""
    require_owner(version.bot, actor)
    if len(notes) > NOTES_CHARACTERS:
        raise Invalid(f"Notes have at most {NOTES_CHARACTERS} characters.", "invalid", field="notes")
    if notes != version.notes:
        version.notes = notes
        with transaction.atomic():
            version.save(update_fields=["notes"])
            audit(actor, "annotate", version)
    return version


def version_retire(version: BotVersion, actor: User) -> BotVersion:
    """Retire a version permanently. Locked entries continue; others become void at the lock.

    The bot may be without an active version then. Raises Forbidden (``not_owner``), Conflict
    (``wrong_state``).
    """
    require_owner(version.bot, actor)
    state = BotVersion.State
    before = version.state
    with transaction.atomic():
        state_change_or_conflict(
            version,
            [state.UPLOADED, state.CHECKING, state.READY, state.SUSPENDED],
            state.RETIRED,
            verb="retire",
        )
        if Bot.objects.filter(pk=version.bot_id, active_version=version).update(active_version=None):
            version.bot.active_version = None
        audit(actor, "retire", version, {"state": before}, state=version.state)
    return version
