"""Addresses: the API, the pages, the admin and the operator's end points."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from arena.api.base.views import UnknownAddressView

urlpatterns = [
    path("api/v1/", include("arena.api.urls")),
    # No slash is appended to what lies beside the API: its errors stay problems, never a redirect to one.
    re_path(r"^api(?:/|\Z)", UnknownAddressView.as_view()),
    # One door for all: the admin's own form would let anybody guess as often as they like.
    path("admin/login/", RedirectView.as_view(pattern_name="web:sign-in", query_string=True)),
    path("admin/", admin.site.urls),
    path("", include("arena.web.urls")),
]

handler400 = "arena.web.base.errors.handle_bad_request"
handler404 = "arena.web.base.errors.handle_not_found"
handler500 = "arena.web.base.unavailable.handle_server_error"
