"""Addresses of ratings."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import rating_views

urlpatterns: list[URLPattern] = [
    path("ratings", rating_views.ratings, name="ratings"),
    path("ratings/<id:public_id>", rating_views.rating_list, name="rating-list"),
    path("ratings/<id:public_id>/since", rating_views.rating_since, name="rating-since"),
    path("versions/<id:public_id>/history", rating_views.rating_history, name="rating-history"),
]
