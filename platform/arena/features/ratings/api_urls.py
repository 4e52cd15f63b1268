"""API URLs of ratings."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.ratings.api import views

urlpatterns: list[URLPattern] = [
    path("rating-lists", views.RatingLists.as_view(), name="rating-lists"),
    path("rating-lists/<id:list>", views.OneRatingList.as_view(), name="rating-list"),
    path("rating-lists/<id:list>/export", views.RatingListExport.as_view(), name="rating-list-export"),
    path("ratings", views.Ratings.as_view(), name="ratings"),
    path("ratings/<id:version>/history", views.RatingHistory.as_view(), name="rating-history"),
]
