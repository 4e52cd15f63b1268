"""Page URLs of analysis."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.analysis.pages import explore, lost

urlpatterns: list[URLPattern] = [
    path("versions/<id:public_id>/lost", lost.positions, name="lost-positions"),
    path(
        "versions/<id:public_id>/lost/<id:table>/<id:position>/<short:seat>",
        lost.position_file,
        name="position-file",
    ),
    path("tables/<id:public_id>/explore", explore.explore, name="table-explore"),
]
