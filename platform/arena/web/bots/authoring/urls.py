"""URLs of authors' pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web.bots.authoring import challenge, editor, enter, own_bots, submit, verbs

urlpatterns: list[URLPattern] = [
    path("me/bots", own_bots.bots, name="own-bots"),
    path("me/bots/new", own_bots.create_bot, name="bot-new"),
    path("bots/<id:public_id>/change", own_bots.change_bot, name="bot-change"),
    path("bots/<id:public_id>/submit", submit.submit, name="submit"),
    path("bots/<id:public_id>/write", editor.write, name="write"),
    path("bots/<id:public_id>/challenge", challenge.challenge, name="challenge"),
    path("tournaments/<id:public_id>/enter", enter.enter, name="enter"),
    path("versions/<id:public_id>/activate", verbs.activate, name="version-activate"),
    path("versions/<id:public_id>/retire", verbs.retire, name="version-retire"),
    path("versions/<id:public_id>/recheck", verbs.recheck, name="version-recheck"),
    path("versions/<id:public_id>/notes", verbs.notes, name="version-notes"),
    path("versions/<id:public_id>/bundle", verbs.bundle, name="version-bundle"),
]
