"""In maintenance mode, requests that change something get 503, except those that sign in and out."""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from arena.common.errors import Unavailable
from arena.common.maintenance import RETRY_S, maintenance_known
from arena.web.base.unavailable import API_PREFIX, unavailable_response

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
EXEMPT = re.compile(r"/(sign-in|sign-in/.*|sign-out|admin/.*|operate/.*|play/[0-9a-z]{1,16}/.*)")
"""Paths that work in maintenance mode: signing in and out, staff's pages, and play at tables that exist."""


class MaintenanceMiddleware(MiddlewareMixin):
    """Needs neither the session nor the database."""

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        if request.method in SAFE_METHODS or (state := maintenance_known()) is None:
            return None
        if EXEMPT.fullmatch(request.path):
            return None
        if request.path.startswith(API_PREFIX):
            text = "The site is in maintenance mode and accepts no changes."
        else:
            text = gettext("The site is being maintained. Changes are not possible at the moment.")
        detail = f"{text} {state.message}" if state.message else text
        response = unavailable_response(request.path, Unavailable(detail, "maintenance", RETRY_S))
        response._has_been_logged = True  # type: ignore[attr-defined]  # Django would log an error
        return response
