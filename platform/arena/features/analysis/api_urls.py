"""API URLs of analysis."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.analysis.api import problems, views

urlpatterns: list[URLPattern] = [
    path("tables/<id:table>/notes", views.TableNotes.as_view(), name="table-notes"),
    path("versions/<id:version>/accuracy", views.VersionAccuracy.as_view(), name="version-accuracy"),
    path("tournaments/<id:tournament>/costly", views.CostlyPlays.as_view(), name="costly-plays"),
    path("boards/<id:board_set>/<short:number>/solve", views.SolveBoard.as_view(), name="board-solve"),
    path("problems", problems.Problems.as_view(), name="problems"),
    path("problems/<id:problem>", problems.OneProblem.as_view(), name="problem"),
    path("solve", views.SolveText.as_view(), name="text-solve"),
    path("play/<id:public_id>/solve", views.SolveOwnTable.as_view(), name="play-solve"),
    path("play/shared/<key:key>/solve", views.SolveSharedTable.as_view(), name="play-shared-solve"),
]
