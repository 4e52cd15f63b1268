"""What every admin page shares: rows are looked at, services change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest

from arena.common.errors import ArenaError
from arena.common.models import Blob

if TYPE_CHECKING:
    Page = admin.ModelAdmin[Any]
else:
    Page = admin.ModelAdmin  # generic for the type checker only


class LookOnly(Page):
    """Every column but the hidden ones, none of it to be edited; no adding, no deleting."""

    hidden: ClassVar[tuple[str, ...]] = ()
    """Columns no page ever shows."""

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """All columns of the row itself, in the order of the model."""
        return [f.name for f in self.model._meta.concrete_fields if f.name not in self.hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """All of them."""
        return self.get_fields(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows come from services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows move by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: the past stays."""
        return False


def each(page: Page, request: HttpRequest, rows: Iterable[Any], deed: Callable[[Any], object]) -> None:
    """Do one thing to every selected row and report, row by row, what was refused and why."""
    done = 0
    for row in rows:
        try:
            deed(row)
            done += 1
        except ArenaError as error:
            page.message_user(request, f"{row}: {error.message}", messages.WARNING)
    if done:
        page.message_user(request, f"Done for {done}.", messages.SUCCESS)


@admin.register(Blob)
class BlobAdmin(LookOnly):
    """Stored bytes by hash."""

    list_display = ("sha256", "kind", "size", "created_at")
    list_filter = ("kind",)
    search_fields = ("sha256",)
