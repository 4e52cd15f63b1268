"""Addresses: the API, the pages, the admin and the operator's end points."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("arena.api.urls")),
    path("admin/", admin.site.urls),
    path("", include("arena.web.urls")),
]
