"""API URLs of imports."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.imports.api import views

urlpatterns: list[URLPattern] = [
    path("imports", views.Imports.as_view(), name="imports"),
    path("imports/<id:imported>", views.OneImport.as_view(), name="import"),
    path("imports/<id:imported>/export", views.ImportExport.as_view(), name="import-export"),
]
