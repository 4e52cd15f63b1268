"""Accounts, tokens and the audit trail in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.models import ApiToken, AuditEvent, Notice, User, audit
from arena.accounts.services import token_revoke
from arena.common.admin import LookOnly, each


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """The one thing edited here: roles, names, passwords. Every change is audited."""

    list_display = ("username", "public_id", "is_organiser", "is_staff", "is_active", "date_joined")
    list_filter = ("is_organiser", "is_staff", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password", "public_id")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        (
            "Roles",
            {
                "fields": (
                    "is_active",
                    "is_organiser",
                    "is_staff",
                    "is_superuser",
                    "groups",
                    "user_permissions",
                )
            },
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("public_id", "last_login", "date_joined")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Store the account and say in the audit trail which fields changed, roles with their values."""
        super().save_model(request, obj, form, change)
        roles = {
            name: getattr(obj, name) for name in ("is_active", "is_organiser", "is_staff", "is_superuser")
        }
        assert isinstance(request.user, User)
        audit(request.user, "update" if change else "create", obj, fields=sorted(form.changed_data), **roles)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: deeds keep their doer; make an account inactive instead."""
        return False


@admin.register(ApiToken)
class TokenAdmin(LookOnly):
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
    list_select_related = ("user",)
    search_fields = ("name", "user__username", "public_id")
    actions = ("revoke",)

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, rows: QuerySet[ApiToken]) -> None:
        """End them now."""
        actor = request.user
        assert isinstance(actor, User)
        each(self, request, rows, lambda token: token_revoke(token, actor))


@admin.register(Notice)
class NoticeAdmin(LookOnly):
    """What accounts were told, newest first."""

    list_display = ("created_at", "user", "kind", "text", "read_at")
    list_filter = ("kind", ("read_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__username", "public_id", "text")


@admin.register(AuditEvent)
class AuditAdmin(LookOnly):
    """Who did what, newest first."""

    list_display = ("at", "actor", "verb", "kind", "object_id")
    list_filter = ("verb", "kind")
    list_select_related = ("actor",)
    search_fields = ("object_id", "actor__username")
    date_hierarchy = "at"
