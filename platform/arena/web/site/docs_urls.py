"""URLs of rules and documents."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web.site import docs_views

urlpatterns: list[URLPattern] = [
    path("rules", docs_views.rules, name="rules"),
    path("rules/presets/<name:preset>", docs_views.preset, name="preset"),
    path("rules/<page_name:page>", docs_views.rules_page, name="rules-page"),
    path("docs", docs_views.docs, name="docs"),
    path("docs/reference", docs_views.reference, name="reference"),
    path("docs/reference/<page_name:tag>", docs_views.reference_page, name="reference-page"),
    path("docs/<page_path:page>", docs_views.docs_page, name="docs-page"),
]
