"""The admin site, for staff."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest

OMITTED_URL_NAMES = {"password_change", "password_change_done", "autocomplete", "view_on_site"}
"""Pages of Django's that read whole rows, or do what ``/me`` does."""


class OperatorSite(AdminSite):
    """Django's admin without what changes rows; models of Django's own have no pages."""

    site_header = "Rensho"
    site_title = "Rensho admin"
    index_title = "Models"
    index_template = "admin/models.html"
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        """Active staff."""
        return bool(request.user.is_active and request.user.is_staff)

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Only pages of ours: apps of Django's register theirs too."""
        if not getattr(admin_class, "__module__", "").startswith("django."):
            super().register(model_or_iterable, admin_class, **options)

    def get_urls(self) -> list[Any]:
        """Those of Django's that are needed."""
        return [url for url in super().get_urls() if getattr(url, "name", None) not in OMITTED_URL_NAMES]


class AdminSiteConfig(AdminConfig):
    """Makes ``django.contrib.admin.site`` the site above."""

    default_site = "arena.admin.site.OperatorSite"
