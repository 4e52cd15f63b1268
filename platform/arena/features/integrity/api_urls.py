"""API URLs of integrity."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.integrity.api import views

urlpatterns: list[URLPattern] = [
    path("rating-lists/<id:list>/rulings", views.PublicRulings.as_view(), name="rating-list-rulings"),
    path("integrity", views.Reports.as_view(), name="integrity"),
    path("integrity/lists/<id:list>", views.ListReport.as_view(), name="integrity-list"),
    path("integrity/lists/<id:list>/rulings", views.ListRulings.as_view(), name="integrity-list-rulings"),
    path(
        "integrity/lists/<id:list>/rulings/<id:ruling>/lift",
        views.ListRulingLift.as_view(),
        name="integrity-list-lift",
    ),
    path("integrity/tournaments/<id:tournament>", views.EventReport.as_view(), name="integrity-event"),
    path(
        "integrity/tournaments/<id:tournament>/rulings",
        views.EventRulings.as_view(),
        name="integrity-event-rulings",
    ),
    path(
        "integrity/tournaments/<id:tournament>/rulings/<id:ruling>/lift",
        views.EventRulingLift.as_view(),
        name="integrity-event-lift",
    ),
]
