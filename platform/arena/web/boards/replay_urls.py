"""URLs of replays."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web.boards import replay_views

urlpatterns: list[URLPattern] = [
    path("tables/<id:public_id>", replay_views.table, name="table"),
    path("tables/<id:public_id>/view", replay_views.table_view_json, name="table-view"),
    path("fixtures/<id:public_id>/boards/<short:number>/compare", replay_views.compare, name="compare"),
]
