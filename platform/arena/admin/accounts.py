"""Accounts, tokens, notices, events and the audit trail in the admin: for staff."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from arena.accounts import models
from arena.accounts.browser_sessions import sessions_end
from arena.accounts.handles import CHARACTERS, handle_problem
from arena.accounts.links import link_path, link_withdraw, may_reset, reset_link_create
from arena.accounts.services import name_key_free, token_revoke
from arena.admin.actions import ActionPage, AdminAction, Shown
from arena.admin.read_only import ReadOnlyPage

admin.site.unregister(Group)  # roles are flags of the account; permissions of Django's are not asked


class NameAsAtSignUp:
    """Of a form of an account: a name that is given must be one that the site lets people choose."""

    fields: dict[str, Any]
    cleaned_data: dict[str, Any]
    instance: models.User

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "username" in self.fields:
            self.fields["username"].help_text = f"{CHARACTERS.capitalize()}. Everybody sees it."

    def clean_username(self) -> str:
        """The name; one that the account has already may stay as it is."""
        name = str(self.cleaned_data["username"])
        if name != self.initial_name and (problem := handle_problem(name)):
            raise ValidationError(problem)
        if hasattr(super(), "clean_username"):
            super().clean_username()  # type: ignore[misc]
        return name

    @property
    def initial_name(self) -> str:
        """What the account is called so far; empty for a new one."""
        return str(getattr(self, "initial", {}).get("username") or "") if self.instance.pk else ""


class AccountForm(NameAsAtSignUp, UserChangeForm):  # type: ignore[type-arg]
    """An account as staff change it."""


class NewAccountForm(NameAsAtSignUp, AdminUserCreationForm):  # type: ignore[type-arg]
    """A new account as staff make it."""


@admin.register(models.User)
class AccountAdmin(ActionPage, UserAdmin):  # type: ignore[type-arg]
    """Roles, name, address, password. Every change is audited."""

    list_display = ("username", "public_id", "is_organiser", "is_staff", "is_active", "date_joined")
    list_filter = ("is_organiser", "is_staff", "is_active")
    search_fields = ("username", "public_id", "email")
    date_hierarchy = "date_joined"
    show_full_result_count = False
    list_per_page = 50
    fieldsets = (
        (None, {"fields": ("username", "password", "public_id")}),
        ("Mail", {"fields": ("email",)}),
        ("Roles", {"fields": ("is_active", "is_organiser", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("public_id", "last_login", "date_joined")
    form = AccountForm
    add_form = NewAccountForm
    admin_actions = (
        AdminAction(
            "reset_link",
            "Link to a new password",
            "Shows, once, a link with which the account gets a new password within three days. Make sure "
            "first that whoever asks is its owner. Earlier links end; sessions end when it is used.",
            lambda user, actor, asked: _reset_link(user, actor),
            lambda user, actor: may_reset(user),
            for_many=False,
        ),
        AdminAction(
            "end_sessions",
            "End all sessions",
            "Every browser that is signed in to the account is signed out. Tokens stay.",
            lambda user, actor, asked: sessions_end(user, actor=actor),
            lambda user, actor: user.is_active,
        ),
    )

    def save_model(self, request: HttpRequest, obj: models.User, form: Any, change: bool) -> None:
        """Store the account and say in the audit trail which fields changed, roles with their values."""
        if "username" in form.changed_data:
            obj.name_key = name_key_free(obj.username, obj)
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


def _reset_link(user: models.User, actor: models.User) -> Shown:
    link, plain = reset_link_create(user, actor)
    return Shown(f"Give this to {user.username}; it is shown this once: {site(link_path(link, plain))}")


def site(path: str) -> str:
    """An address of this site, whole where the setting says what the site is called."""
    return settings.SITE_ADDRESS + path


@admin.register(models.OneTimeLink)
class LinkAdmin(ReadOnlyPage):
    """Invitations and links to a new password, without their secrets. Staff invite at /me/invitations."""

    hidden = ("token_hash",)
    list_display = ("created_at", "kind", "user", "note", "made_by", "expires_at", "used_at")
    list_filter = ("kind", ("used_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "made_by")
    search_fields = ("user__username", "note", "public_id")
    date_hierarchy = "created_at"
    admin_actions = (
        AdminAction(
            "withdraw",
            "Withdraw",
            "The link opens nothing any more.",
            lambda link, actor, asked: link_withdraw(link, actor),
            lambda link, actor: link.used_at is None,
            is_irreversible=True,
        ),
    )


@admin.register(models.Passkey)
class PasskeyAdmin(ReadOnlyPage):
    """Passkeys of accounts; their owners make and remove them."""

    hidden = ("credential_id", "public_key")
    list_display = ("public_id", "user", "name", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "public_id")
    date_hierarchy = "created_at"


@admin.register(models.BrowserSession)
class BrowserSessionAdmin(ReadOnlyPage):
    """Where accounts are signed in."""

    hidden = ("session_key",)
    list_display = ("last_seen_at", "user", "device", "network", "created_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "public_id")
    date_hierarchy = "last_seen_at"


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


@admin.register(models.FormDraft)
class FormDraftAdmin(ReadOnlyPage):
    """Drafts of forms; what was typed is for its owner alone."""

    hidden = ("data",)
    list_display = ("saved_at", "owner", "kind", "version")
    list_filter = ("kind",)
    list_select_related = ("owner",)
    search_fields = ("owner__username",)


@admin.register(models.AuditEvent)
class AuditAdmin(ReadOnlyPage):
    """Who did what, newest first."""

    list_display = ("at", "actor", "verb", "kind", "object_id", "after")
    list_filter = ("verb", "kind")
    list_select_related = ("actor",)
    search_fields = ("object_id", "actor__username")
    linked_by = ("object_id",)
    date_hierarchy = "at"
