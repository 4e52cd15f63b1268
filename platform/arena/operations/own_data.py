"""The stored data of an account as one JSON document for its owner."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, Q
from django.utils import timezone

from arena.accounts.browser_sessions import sessions_of
from arena.accounts.models import AuditEvent, User
from arena.common.plain_rows import plain_row, plain_rows
from arena.competition.models import Entry, Invitation, Subscription, Tournament
from arena.mounts import FEATURES
from arena.roster.models import Bot, BotVersion, Player

FORMAT = "rensho-account/1"


def own_data(user: User) -> dict[str, Any]:
    """Return all data of an account except secrets and bundles. About fifteen queries."""
    player = Player.objects.filter(user=user).first()
    account = plain_row(
        user,
        "id=public_id username email first_name last_name is_organiser is_staff joined_at=date_joined "
        "last_sign_in_at=last_login",
    )
    owned = [feature.own_data for feature in FEATURES if feature.own_data is not None]
    reports = user.problem_reports.select_related("entry").order_by("id")
    subscriptions = Subscription.objects.filter(bot__owner__user=user).select_related("series", "bot")
    invitations = Invitation.objects.filter(player__user=user).select_related("tournament")
    return {
        "format": FORMAT,
        "created_at": timezone.now().isoformat(timespec="seconds"),
        "account": {
            **account,
            "handle": player.handle if player else None,
            "has_password": user.has_usable_password(),
        },
        "passkeys": plain_rows(user.passkeys.all(), "name created_at last_used_at"),
        "provider_identities": plain_rows(
            user.provider_identities.all(), "issuer subject name created_at last_used_at"
        ),
        "sessions": plain_rows(sessions_of(user), "device network signed_in_at=created_at last_seen_at"),
        "tokens": plain_rows(
            user.tokens.all(),
            "id=public_id name scopes created_at expires_at last_used_at revoked_at",
        ),
        "bots": _bots(user),
        "entries": _entries(user),
        "problem_reports": plain_rows(
            reports, "id=public_id entry=entry.public_id text created_at answer closed_at"
        ),
        "subscriptions": plain_rows(
            subscriptions, "cup=series.public_id cup_name=series.name bot=bot.public_id"
        ),
        "invitations": plain_rows(
            invitations, "tournament=tournament.public_id tournament_name=tournament.name"
        ),
        "tournaments": plain_rows(
            Tournament.objects.filter(organiser=user).order_by("id"), "id=public_id name state kind"
        ),
        "co_organised": plain_rows(user.co_organised.order_by("id"), "id=public_id name state"),
        "form_drafts": plain_rows(user.form_drafts.order_by("id"), "kind saved_at data"),
        "notices": plain_rows(user.notices.order_by("id"), "created_at kind text read_at"),
        "actions": plain_rows(
            AuditEvent.objects.filter(actor=user).order_by("id"),
            "created_at action kind object=object_id before after",
        ),
        **{key: rows for own in owned for key, rows in own(user).items()},
    }


def _bots(user: User) -> list[dict[str, Any]]:
    versions = BotVersion.objects.order_by("id")
    return [
        {
            **plain_row(bot, "id=public_id name game visibility created_at"),
            "versions": plain_rows(
                bot.versions.all(),
                "id=public_id number created_at state reasons notes runtime entry_point "
                "bundle_sha256 bundle_bytes",
            ),
        }
        for bot in Bot.objects.filter(owner__user=user)
        .order_by("id")
        .prefetch_related(Prefetch("versions", versions))
    ]


def _entries(user: User) -> list[dict[str, Any]]:
    own = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    rows = Entry.objects.filter(own).select_related("tournament", "version", "partner_version")
    columns = (
        "id=public_id tournament=tournament.public_id tournament_name=tournament.name status status_reason"
    )
    return [
        {
            **plain_row(entry, columns),
            "versions": [version.public_id for version in entry.versions()],
        }
        for entry in rows.order_by("id")
    ]
