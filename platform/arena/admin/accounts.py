"""Accounts, tokens, notices, events and the audit trail in the admin: for staff."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from arena.accounts import models
from arena.accounts.services import token_revoke
from arena.admin.actions import AdminAction
from arena.admin.read_only import ReadOnlyPage

admin.site.unregister(Group)  # roles are flags of the account; permissions of Django's are not asked


@admin.register(models.User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Roles, names, passwords. Every change is audited."""

    list_display = ("username", "public_id", "is_organiser", "is_staff", "is_active", "date_joined")
    list_filter = ("is_organiser", "is_staff", "is_active")
    search_fields = ("username", "public_id", "first_name", "last_name", "email")
    date_hierarchy = "date_joined"
    show_full_result_count = False
    list_per_page = 50
    fieldsets = (
        (None, {"fields": ("username", "password", "public_id")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Roles", {"fields": ("is_active", "is_organiser", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("public_id", "last_login", "date_joined")

    def save_model(self, request: HttpRequest, obj: models.User, form: Any, change: bool) -> None:
        """Store the account and say in the audit trail which fields changed, roles with their values."""
        super().save_model(request, obj, form, change)
        roles = {
            name: getattr(obj, name) for name in ("is_active", "is_organiser", "is_staff", "is_superuser")
        }
        assert isinstance(request.user, models.User)
        models.audit(
            request.user, "update" if change else "create", obj, fields=sorted(form.changed_data), **roles
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: the audit trail names the account; make it inactive instead."""
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Never by password hashes."""
        return not lookup.startswith("password") and super().lookup_allowed(lookup, value, request)


@admin.register(models.ApiToken)
class TokenAdmin(ReadOnlyPage):
    """Tokens without their hashes."""

    hidden = ("token_hash",)
    list_display = (
        "public_id",
        "user",
        "name",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), ("expires_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("name", "user__username", "public_id")
    date_hierarchy = "created_at"
    admin_actions = (
        AdminAction(
            "revoke",
            "Revoke",
            "Whoever uses the token is refused from now on.",
            lambda token, actor, asked: token_revoke(token, actor),
            lambda token, actor: token.revoked_at is None,
            is_irreversible=True,
        ),
    )


@admin.register(models.Notice)
class NoticeAdmin(ReadOnlyPage):
    """What accounts were told, newest first."""

    list_display = ("created_at", "user", "kind", "text", "read_at")
    list_filter = ("kind", ("read_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__username", "public_id", "text")
    date_hierarchy = "created_at"


@admin.register(models.Event)
class EventAdmin(ReadOnlyPage):
    """What watchers were told, oldest last; pruned after two weeks."""

    list_display = ("at", "kind", "tournament", "thing_kind", "thing_id", "user")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("tournament", "thing_id")
    linked_by = ("tournament",)
    ordering = ("-id",)


@admin.register(models.PendingEvent)
class PendingEventAdmin(ReadOnlyPage):
    """Events that are committed but not yet in the log; on PostgreSQL, and for seconds."""

    list_display = ("at", "kind", "tournament", "thing_kind", "thing_id", "user")
    list_select_related = ("user",)


@admin.register(models.IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyPage):
    """Keys of requests that must not be carried out twice; their answers are not shown."""

    hidden = ("body", "fingerprint", "headers")
    list_display = ("created_at", "user", "key", "status")
    list_filter = (("status", admin.EmptyFieldListFilter),)
    list_select_related = ("user",)
    search_fields = ("user__username", "key")
    ordering = ("-id",)


@admin.register(models.AuditEvent)
class AuditAdmin(ReadOnlyPage):
    """Who did what, newest first."""

    list_display = ("at", "actor", "verb", "kind", "object_id", "after")
    list_filter = ("verb", "kind")
    list_select_related = ("actor",)
    search_fields = ("object_id", "actor__username")
    linked_by = ("object_id",)
    date_hierarchy = "at"
