"""Records the browsers in which an account is signed in, for the owner's list of sessions."""

from __future__ import annotations

import time

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from arena.accounts.browser_sessions import LAST_SEEN_RESOLUTION_S, session_touch
from arena.accounts.models import User
from arena.common.client_address import client_address

NOTED_AT_KEY = "seen_at"


class SessionActivityMiddleware(MiddlewareMixin):
    """Records a session when it is new, and every five minutes of use. Other requests cost no query."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        session = request.session
        has_changed = session.modified or settings.SESSION_COOKIE_NAME in request.COOKIES
        if response.status_code >= 500 or not (session.accessed and has_changed):
            return response
        if SESSION_KEY not in session or not isinstance(request.user, User):
            return response
        key, now = session.session_key or "", time.time()
        noted_key, noted_at = session.get(NOTED_AT_KEY) or ("", 0)
        if key and (noted_key != key or now - noted_at >= LAST_SEEN_RESOLUTION_S):
            user_agent = request.META.get("HTTP_USER_AGENT", "")
            session_touch(request.user, key, user_agent, client_address(request))
            session[NOTED_AT_KEY] = [key, now]
        return response
