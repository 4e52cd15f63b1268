"""Page URLs of remote bots."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.remote.pages import forms, seat, tables, views

urlpatterns: list[URLPattern] = [
    path("remote", views.overview, name="remote"),
    path("remote/ladders/<name:preset>", views.ladder, name="remote-ladder"),
    path("remote/bots/<id:public_id>", views.bot, name="remote-bot"),
    path("remote/bots/<id:public_id>/unpause", forms.unpause, name="remote-unpause"),
    path("remote/bots/<id:public_id>/retire", forms.retire, name="remote-retire"),
    path("remote/bots/<id:public_id>/invite", forms.invite, name="remote-invite"),
    path("remote/invitations/<id:public_id>/accept", forms.accept, name="remote-invitation-accept"),
    path("remote/invitations/<id:public_id>/decline", forms.decline, name="remote-invitation-decline"),
    path("remote/bots/<id:public_id>/play", forms.play, name="remote-play"),
    path("remote/tables/<id:public_id>", tables.table, name="remote-table"),
    path("remote/tables/<id:public_id>/act", seat.act, name="remote-act"),
    path("remote/tables/<id:public_id>/events", seat.events, name="remote-events"),
]
