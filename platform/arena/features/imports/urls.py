"""Page URLs of imports."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.imports.pages import staff, views

urlpatterns: list[URLPattern] = [
    path("imports", views.imports, name="imports"),
    path("imports/new", staff.upload, name="import-new"),
    path("imports/<id:public_id>", views.event, name="import"),
    path("imports/<id:public_id>/delete", staff.delete, name="import-delete"),
    path("imports/<id:public_id>/rounds/<short:stage>/<short:number>", views.round_page, name="import-round"),
    path(
        "imports/<id:public_id>/rounds/<short:stage>/<short:number>/<short:fixture_number>/<short:table_number>",
        views.table,
        name="import-table",
    ),
]
