"""Addresses of ratings."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import converters, rating_views

converters.register()

urlpatterns: list[URLPattern] = [
    path("ratings", rating_views.ratings, name="ratings"),
    path("ratings/<word:public_id>", rating_views.rating_list, name="rating-list"),
    path("ratings/<word:public_id>/since", rating_views.rating_since, name="rating-since"),
    path("versions/<word:public_id>/history", rating_views.rating_history, name="rating-history"),
]
