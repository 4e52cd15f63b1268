"""API URLs of courses."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.courses.api import views

urlpatterns: list[URLPattern] = [
    path("courses", views.Courses.as_view(), name="courses"),
    path("courses/<id:course>", views.OneCourse.as_view(), name="course"),
    path("courses/<id:course>/members", views.Members.as_view(), name="course-members"),
    path("courses/<id:course>/ranking", views.Ranking.as_view(), name="course-ranking"),
    path("courses/<id:course>/invitations", views.Invitations.as_view(), name="course-invitations"),
    path(
        "courses/<id:course>/invitations/<id:invitation>",
        views.OneInvitation.as_view(),
        name="course-invitation",
    ),
]
