"""Page URLs of integrity."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.integrity import pages

urlpatterns: list[URLPattern] = [
    path("organise/tournaments/<id:public_id>/integrity", pages.event_report, name="organise-integrity"),
    path(
        "organise/tournaments/<id:public_id>/pairs/<id:first>/<id:second>",
        pages.event_pair_rule,
        name="organise-pair",
    ),
    path("integrity", pages.reports, name="integrity"),
    path("integrity/<id:public_id>", pages.list_report, name="integrity-list"),
    path(
        "integrity/<id:public_id>/pairs/<id:first>/<id:second>", pages.list_pair_rule, name="integrity-pair"
    ),
]
