"""Players, bots, versions and checks in the admin: for staff. Organisers follow links to the public pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import OuterRef
from django.http import HttpRequest

from arena.accounts.models import audit
from arena.admin.actions import AdminAction, ReasonForm
from arena.admin.read_only import ReadOnlyPage, link_column, rows_of
from arena.common.errors import Conflict
from arena.roster.models import Bot, BotVersion, CheckRun, Player
from arena.roster.services import check_again, version_reinstate, version_retire, version_suspend

State = BotVersion.State


@admin.register(Player)
class PlayerAdmin(ReadOnlyPage):
    """Public faces of accounts."""

    list_display = ("handle", "account", "bots_made")
    list_select_related = ("user",)
    search_fields = ("handle", "user__username")
    related = (
        ("Bots", "roster_bot", "owner__id__exact"),
        ("Entries", "competition_entry", "player__id__exact"),
    )

    def counted(self) -> Mapping[str, Any]:
        """The number of bots."""
        return {"bots_made": rows_of(Bot.objects.filter(owner=OuterRef("pk")).order_by())}

    account = link_column("user", "account", ordering="user__username")
    """The account behind it."""

    @admin.display(description="bots", ordering="bots_made")
    def bots_made(self, row: Any) -> int:
        """How many bots it has."""
        return int(row.bots_made)


@admin.register(Bot)
class BotAdmin(ReadOnlyPage):
    """Bots."""

    list_display = ("name", "public_id", "player", "game", "visibility", "active", "created_at")
    list_filter = ("game", "visibility", ("active_version", admin.EmptyFieldListFilter))
    list_select_related = ("owner", "active_version__bot")
    search_fields = ("name", "public_id", "owner__handle")
    date_hierarchy = "created_at"
    linked_by = ("owner__id__exact",)
    related = (("Versions", "roster_botversion", "bot__id__exact"),)

    player = link_column("owner", "owner", ordering="owner__handle")
    """Whose it is."""

    active = link_column("active_version", "active version")
    """What it enters with."""


def _suspend(version: BotVersion, actor: Any, asked: Any) -> None:
    """Staff's own suspension, audited with who did it."""
    with transaction.atomic():
        if not version_suspend(version, asked["reason"]):
            version.refresh_from_db()
            raise Conflict(
                f"{version} is {version.state}; only a ready version is suspended.",
                "wrong_state",
                state=version.state,
                allowed_states=[State.READY],
            )
        audit(actor, "suspend", version, {"state": State.READY}, state=version.state, reason=asked["reason"])


def _may_check(version: BotVersion, actor: Any) -> bool:
    """Whether another check can end in anything."""
    return version.state in (State.UPLOADED, State.CHECKING, State.SUSPENDED)


@admin.register(BotVersion)
class VersionAdmin(ReadOnlyPage):
    """Versions: immutable but for their state."""

    list_display = (
        "name",
        "public_id",
        "player",
        "state",
        "suspended_at",
        "suspended_reason",
        "runtime",
        "bundle_bytes",
        "created_at",
    )
    list_filter = ("state", "runtime", ("reinstated_at", admin.EmptyFieldListFilter))
    list_select_related = ("bot__owner__user",)
    action_related = ("bot__owner__user",)
    search_fields = ("public_id", "bundle_sha256", "bot__name")
    date_hierarchy = "created_at"
    linked_by = ("bot__id__exact", "bundle_sha256")
    computed = ("bot_page", "player")
    related = (
        ("Checks", "roster_checkrun", "version__id__exact"),
        ("Entries", "competition_entry", "version__id__exact"),
        ("Seats", "matches_tableseat", "version__id__exact"),
        ("Faults", "matches_faultgroup", "version__id__exact"),
    )
    admin_actions = (
        AdminAction(
            "check_once_more",
            "Check again",
            "One more attempt of the check, after faults of ours.",
            lambda version, actor, asked: check_again(version, actor),
            _may_check,
        ),
        AdminAction(
            "suspend",
            "Suspend",
            "It may not enter anything for now; entries in locked tournaments play on. Its owner is told.",
            _suspend,
            lambda version, actor: version.state == State.READY,
            form=ReasonForm,
        ),
        AdminAction(
            "reinstate",
            "Reinstate",
            "It may enter again at once; what it forfeited before counts no more.",
            lambda version, actor, asked: version_reinstate(version, actor),
            lambda version, actor: version.state == State.SUSPENDED,
        ),
        AdminAction(
            "retire",
            "Retire",
            "It is withdrawn for good; entries in locked tournaments play on.",
            lambda version, actor, asked: version_retire(version, actor),
            lambda version, actor: (
                version.state in (State.UPLOADED, State.CHECKING, State.READY, State.SUSPENDED)
            ),
            is_irreversible=True,
        ),
    )

    @admin.display(description="version", ordering="bot__name")
    def name(self, row: Any) -> str:
        """Bot and number."""
        return str(row)

    bot_page = link_column("bot", "bot")
    """What it is a version of."""

    player = link_column("bot.owner", "owner", ordering="bot__owner__handle")
    """Whose it is."""

    def links_of(self, request: HttpRequest, obj: BotVersion) -> list[tuple[str, str]]:
        """And its public page."""
        return [
            *super().links_of(request, obj),
            ("Public page", obj.page),
            ("API", f"/api/v1/versions/{obj.public_id}"),
        ]


@admin.register(CheckRun)
class CheckAdmin(ReadOnlyPage):
    """Checks, newest first."""

    list_display = (
        "version_page",
        "attempt",
        "state",
        "reinstates",
        "worker",
        "waiting_for",
        "reason",
        "created_at",
        "started_at",
        "finished_at",
    )
    list_filter = ("state", "reinstates")
    list_select_related = ("version__bot",)
    search_fields = ("version__public_id",)
    date_hierarchy = "created_at"
    linked_by = ("version__id__exact",)

    version_page = link_column("version", "version")
    """What it checks."""
