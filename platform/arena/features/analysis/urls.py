"""Page URLs of analysis."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.analysis.pages import explore, lost, problems, watch

urlpatterns: list[URLPattern] = [
    path("versions/<id:public_id>/lost", lost.positions, name="lost-positions"),
    path(
        "versions/<id:public_id>/lost/<id:table>/<id:position>/<short:seat>",
        lost.position_file,
        name="position-file",
    ),
    path("watch", watch.watch, name="watch"),
    path("watch/<id:public_id>/<short:number>", watch.board, name="watch-board"),
    path("explore", explore.explore_text, name="explore"),
    path("tables/<id:public_id>/explore", explore.explore, name="table-explore"),
    path("problems", problems.problems, name="problems"),
    path("problems/<id:public_id>", problems.problem, name="problem"),
    path("problems/<id:public_id>/answer", problems.answer, name="problem-answer"),
    path("problems/<id:public_id>/proof", problems.proof, name="problem-proof"),
    path("play/<id:public_id>/explore", explore.explore_own, name="play-table-explore"),
    path("play/shared/<key:key>/explore", explore.explore_shared, name="play-shared-explore"),
]
