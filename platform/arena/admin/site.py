"""The admin site: for staff, and for organisers with what is theirs."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest


class OperatorSite(AdminSite):
    """Django's admin, open to organisers as well as staff; each page decides what it shows to whom."""

    site_header = "Rensho"
    site_title = "Rensho admin"
    index_title = "What there is"
    enable_nav_sidebar = True
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        """Active staff and active organisers."""
        return is_staff(request) or is_organiser(request)


class AdminSiteConfig(AdminConfig):
    """Makes ``django.contrib.admin.site`` the site above."""

    default_site = "arena.admin.site.OperatorSite"


def is_staff(request: HttpRequest) -> bool:
    """Whether staff asks: sees everything but secrets."""
    return bool(request.user.is_active and request.user.is_staff)


def is_organiser(request: HttpRequest) -> bool:
    """Whether an organiser asks: sees what belongs to own tournaments."""
    return bool(request.user.is_active and getattr(request.user, "is_organiser", False))
