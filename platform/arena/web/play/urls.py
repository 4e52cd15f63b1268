"""Addresses of play."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import converters
from arena.web.play import choose, shared, tables

converters.register()

urlpatterns: list[URLPattern] = [
    path("play", choose.choose, name="play"),
    path("play/shared/<word:key>", shared.shared, name="play-shared"),
    path("play/<word:public_id>", tables.table, name="play-table"),
    path("play/<word:public_id>/act", tables.act, name="play-act"),
    path("play/<word:public_id>/leave", tables.leave, name="play-leave"),
    path("play/<word:public_id>/finish", tables.finish, name="play-finish"),
    path("play/<word:public_id>/back", tables.come_back, name="play-back"),
    path("play/<word:public_id>/share", shared.share, name="play-share"),
    path("play/<word:public_id>/unshare", shared.unshare, name="play-unshare"),
    path("play/<word:public_id>/events", tables.events, name="play-events"),
]
