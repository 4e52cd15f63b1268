"""Players, bots, versions and checks in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.models import User
from arena.common.admin import LookOnly, each
from arena.roster.models import Bot, BotVersion, CheckRun, Player
from arena.roster.services import check_again, version_reinstate, version_retire


@admin.register(Player)
class PlayerAdmin(LookOnly):
    """Public faces of accounts."""

    list_display = ("handle", "user")
    list_select_related = ("user",)
    search_fields = ("handle", "user__username")


@admin.register(Bot)
class BotAdmin(LookOnly):
    """Bots."""

    list_display = ("name", "public_id", "owner", "game", "visibility", "active_version", "created_at")
    list_filter = ("game", "visibility")
    list_select_related = ("owner", "active_version__bot")
    search_fields = ("name", "public_id", "owner__handle")


@admin.register(BotVersion)
class VersionAdmin(LookOnly):
    """Versions: immutable but for their state."""

    list_display = (
        "bot",
        "number",
        "public_id",
        "state",
        "suspended_at",
        "suspended_reason",
        "runtime",
        "bundle_bytes",
        "created_at",
    )
    list_filter = ("state", "runtime", ("reinstated_at", admin.EmptyFieldListFilter))
    list_select_related = ("bot",)
    search_fields = ("public_id", "bundle_sha256", "bot__name")
    actions = ("check_once_more", "reinstate", "retire")

    @admin.action(description="Check again (after faults of ours)")
    def check_once_more(self, request: HttpRequest, rows: QuerySet[BotVersion]) -> None:
        """One more attempt for each."""
        actor = request.user
        assert isinstance(actor, User)
        owned = rows.select_related("bot__owner")
        each(self, request, owned, lambda version: check_again(version, actor))

    @admin.action(description="Reinstate (suspended versions)")
    def reinstate(self, request: HttpRequest, rows: QuerySet[BotVersion]) -> None:
        """Let them enter again at once."""
        actor = request.user
        assert isinstance(actor, User)
        owned = rows.select_related("bot__owner__user")
        each(self, request, owned, lambda version: version_reinstate(version, actor))

    @admin.action(description="Retire")
    def retire(self, request: HttpRequest, rows: QuerySet[BotVersion]) -> None:
        """Withdraw them for good."""
        actor = request.user
        assert isinstance(actor, User)
        owned = rows.select_related("bot__owner")
        each(self, request, owned, lambda version: version_retire(version, actor))


@admin.register(CheckRun)
class CheckAdmin(LookOnly):
    """Checks, newest first."""

    list_display = (
        "version",
        "attempt",
        "state",
        "reinstates",
        "worker",
        "reason",
        "created_at",
        "started_at",
        "finished_at",
    )
    list_filter = ("state", "reinstates")
    list_select_related = ("version__bot",)
    search_fields = ("version__public_id",)
