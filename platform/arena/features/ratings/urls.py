"""Page URLs of ratings."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.ratings.pages import views

urlpatterns: list[URLPattern] = [
    path("ratings/<id:public_id>", views.rating_list, name="rating-list"),
    path("ratings/<id:public_id>/since", views.rating_since, name="rating-since"),
    path("versions/<id:public_id>/history", views.rating_history, name="rating-history"),
]
