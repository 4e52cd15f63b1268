"""What is stored about one person, as one JSON document for that person."""

from __future__ import annotations

import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from arena.accounts.browser_sessions import sessions_of
from arena.accounts.models import AuditEvent, User
from arena.competition.models import Entry, Invitation, Subscription, Tournament
from arena.mounts import FEATURES
from arena.roster.models import Bot, BotVersion, Player

FORMAT = "rensho-account/1"


def own_data(user: User) -> dict[str, Any]:
    """Everything of an account but secrets and the bytes of bundles: these ``rensho pull`` fetches.

    About fifteen queries, whatever there is.
    """
    player = Player.objects.filter(user=user).first()
    bots = list(Bot.objects.filter(owner__user=user).order_by("id"))
    owned = [feature.own_data for feature in FEATURES if feature.own_data is not None]
    return {
        "format": FORMAT,
        "made_at": _time(timezone.now()),
        "account": {
            "id": user.public_id,
            "username": user.username,
            "handle": player.handle if player else None,
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "is_organiser": user.is_organiser,
            "is_staff": user.is_staff,
            "joined_at": _time(user.date_joined),
            "last_sign_in_at": _time(user.last_login),
            "has_password": user.has_usable_password(),
        },
        "passkeys": [
            {"name": key.name, "made_at": _time(key.created_at), "last_used_at": _time(key.last_used_at)}
            for key in user.passkeys.all()
        ],
        "sessions": [
            {
                "device": row.device,
                "network": row.network,
                "signed_in_at": _time(row.created_at),
                "last_seen_at": _time(row.last_seen_at),
            }
            for row in sessions_of(user)
        ],
        "tokens": [
            {
                "id": token.public_id,
                "name": token.name,
                "scopes": token.scopes,
                "made_at": _time(token.created_at),
                "expires_at": _time(token.expires_at),
                "last_used_at": _time(token.last_used_at),
                "revoked_at": _time(token.revoked_at),
            }
            for token in user.tokens.all()
        ],
        "bots": _bots(bots),
        "entries": _entries(user),
        "problem_reports": [
            {
                "id": row.public_id,
                "entry": row.entry.public_id,
                "text": row.text,
                "made_at": _time(row.created_at),
                "answer": row.answer,
                "closed_at": _time(row.closed_at),
            }
            for row in user.problem_reports.select_related("entry").order_by("id")
        ],
        "subscriptions": [
            {"cup": row.series.public_id, "cup_name": row.series.name, "bot": row.bot.public_id}
            for row in Subscription.objects.filter(bot__owner__user=user).select_related("series", "bot")
        ],
        "invitations": [
            {"tournament": row.tournament.public_id, "tournament_name": row.tournament.name}
            for row in Invitation.objects.filter(player__user=user).select_related("tournament")
        ],
        "tournaments": [
            {"id": row.public_id, "name": row.name, "state": row.state, "kind": row.kind}
            for row in Tournament.objects.filter(organiser=user).order_by("id")
        ],
        "co_organised": [
            {"id": row.public_id, "name": row.name, "state": row.state}
            for row in user.co_organised.order_by("id")
        ],
        "form_drafts": [
            {"kind": row.kind, "saved_at": _time(row.saved_at), "data": row.data}
            for row in user.form_drafts.order_by("id")
        ],
        "notices": [
            {"at": _time(row.created_at), "kind": row.kind, "text": row.text, "read_at": _time(row.read_at)}
            for row in user.notices.order_by("id")
        ],
        "actions": [
            {
                "at": _time(row.at),
                "verb": row.verb,
                "kind": row.kind,
                "object": row.object_id,
                "before": row.before,
                "after": row.after,
            }
            for row in AuditEvent.objects.filter(actor=user).order_by("id")
        ],
        **{key: rows for own in owned for key, rows in own(user).items()},
    }


def _bots(bots: list[Bot]) -> list[dict[str, Any]]:
    versions: dict[int, list[dict[str, Any]]] = {bot.pk: [] for bot in bots}
    for version in BotVersion.objects.filter(bot__in=bots).order_by("id"):
        versions[version.bot_id].append(
            {
                "id": version.public_id,
                "number": version.number,
                "made_at": _time(version.created_at),
                "state": version.state,
                "reasons": version.reasons,
                "notes": version.notes,
                "runtime": version.runtime,
                "entry_point": version.entry_point,
                "bundle_sha256": version.bundle_sha256,
                "bundle_bytes": version.bundle_bytes,
            }
        )
    return [
        {
            "id": bot.public_id,
            "name": bot.name,
            "game": bot.game,
            "visibility": bot.visibility,
            "made_at": _time(bot.created_at),
            "versions": versions[bot.pk],
        }
        for bot in bots
    ]


def _entries(user: User) -> list[dict[str, Any]]:
    own = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    rows = Entry.objects.filter(own).select_related("tournament", "version", "partner_version")
    return [
        {
            "id": entry.public_id,
            "tournament": entry.tournament.public_id,
            "tournament_name": entry.tournament.name,
            "versions": [version.public_id for version in entry.versions()],
            "status": entry.status,
            "status_reason": entry.status_reason,
        }
        for entry in rows.order_by("id")
    ]


def _time(at: datetime.datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
