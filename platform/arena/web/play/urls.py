"""Addresses of play."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import converters
from arena.web.play import choose, tables

converters.register()

urlpatterns: list[URLPattern] = [
    path("play", choose.choose, name="play"),
    path("play/<word:public_id>", tables.table, name="play-table"),
    path("play/<word:public_id>/act", tables.act, name="play-act"),
    path("play/<word:public_id>/leave", tables.leave, name="play-leave"),
    path("play/<word:public_id>/back", tables.come_back, name="play-back"),
    path("play/<word:public_id>/events", tables.events, name="play-events"),
]
