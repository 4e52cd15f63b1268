"""Page URLs of embeds."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.embeds.pages import frames, oembed, pictures

urlpatterns: list[URLPattern] = [
    path("embed/tables/<id:public_id>", frames.position, name="embed-position"),
    path("embed/boards/<id:public_id>/<short:number>", frames.board, name="embed-board"),
    path("pictures/tournaments/<id:public_id>.png", pictures.tournament, name="picture-of-tournament"),
    path("pictures/boards/<id:public_id>/<short:number>.png", pictures.board, name="picture-of-board"),
    path("oembed", oembed.describe, name="oembed"),
]
