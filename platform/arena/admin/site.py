"""The admin site, for staff."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest

OMITTED_URL_NAMES = {"password_change", "password_change_done", "autocomplete", "view_on_site"}
"""Django's admin pages that read whole rows, or duplicate pages below ``/me``."""


class OperatorSite(AdminSite):
    """Django's admin site without pages that change rows, and without Django's own models."""

    site_header = "Rensho"
    site_title = "Rensho admin"
    index_title = "Models"
    index_template = "admin/models.html"
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register our own pages only; Django's apps try to register theirs too."""
        if not getattr(admin_class, "__module__", "").startswith("django."):
            super().register(model_or_iterable, admin_class, **options)

    def get_urls(self) -> list[Any]:
        return [url for url in super().get_urls() if getattr(url, "name", None) not in OMITTED_URL_NAMES]


class AdminSiteConfig(AdminConfig):
    """Makes ``OperatorSite`` the default admin site."""

    default_site = "arena.admin.site.OperatorSite"
