"""Addresses of the pages for organisers."""

from __future__ import annotations

from django.urls import path

from arena.web import converters
from arena.web.organise import event_pages, index

converters.register()

urlpatterns = [
    path("organise", index.organise, name="organise"),
    path("organise/new", event_pages.event_new, name="organise-new"),
    path("organise/plan", event_pages.event_plan, name="organise-plan"),
    path("organise/events/<word:public_id>", event_pages.event_edit, name="organise-event"),
]
