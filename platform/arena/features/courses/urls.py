"""Page URLs of courses."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.courses.pages import accounts, joining, managing, views

urlpatterns: list[URLPattern] = [
    path("courses", views.courses, name="courses"),
    path("courses/new", managing.course_new, name="course-new"),
    path("courses/join/<secret:secret>", joining.join, name="course-join"),
    path("courses/invited/<id:invitation>", joining.answer, name="course-invited"),
    path("courses/<id:public_id>", views.course_page, name="course"),
    path("courses/<id:public_id>/edit", managing.course_edit, name="course-edit"),
    path("courses/<id:public_id>/ranking", views.ranking, name="course-ranking"),
    path("courses/<id:public_id>/grades.csv", managing.grades, name="course-grades"),
    path("courses/<id:public_id>/leave", joining.leave, name="course-leave"),
    path("courses/<id:public_id>/members", views.members, name="course-members"),
    path("courses/<id:public_id>/members/<id:account>", managing.member_edit, name="course-member"),
    path("courses/<id:public_id>/accounts", accounts.accounts, name="course-accounts"),
    path("courses/<id:public_id>/accounts/links", accounts.renew, name="course-links"),
    path("courses/<id:public_id>/accounts/lists/<id:account_list>", accounts.confirm, name="course-list"),
    path("courses/<id:public_id>/invitations", managing.invitations, name="course-invitations"),
    path(
        "courses/<id:public_id>/invitations/<id:invitation>/revoke",
        managing.revoke,
        name="course-invitation-revoke",
    ),
]
