"""Page URLs of play."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.play.pages import choose, practice, shared, tables

urlpatterns: list[URLPattern] = [
    path("play", choose.choose, name="play"),
    path("play/shared/<key:key>", shared.shared, name="play-shared"),
    path("play/<id:public_id>", tables.table, name="play-table"),
    path("play/<id:public_id>/act", tables.act, name="play-act"),
    path("play/<id:public_id>/finish-deal", tables.finish_deal, name="play-finish-deal"),
    path("play/<id:public_id>/hint", practice.hint, name="play-hint"),
    path("play/<id:public_id>/take-back", practice.take_back, name="play-take-back"),
    path("play/<id:public_id>/leave", tables.leave, name="play-leave"),
    path("play/<id:public_id>/finish", tables.finish, name="play-finish"),
    path("play/<id:public_id>/back", tables.resume, name="play-back"),
    path("play/<id:public_id>/share", shared.share, name="play-share"),
    path("play/<id:public_id>/unshare", shared.unshare, name="play-unshare"),
    path("play/<id:public_id>/events", tables.events, name="play-events"),
]
