"""Accepts ``X-Forwarded-Proto`` only from trusted proxies."""

from __future__ import annotations

import logging

from django.conf import settings
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

from arena.common.client_address import is_trusted_proxy, network_of

log = logging.getLogger(__name__)

LOOPBACK = ("", "127.0.0.1", "::1")


class ForwardedProtoMiddleware(MiddlewareMixin):
    """Removes the header of untrusted clients. Runs before any middleware that checks for HTTPS.

    While ``RENSHO_TRUSTED_PROXIES`` is empty, a proxy on this machine is trusted for the scheme. All its
    clients then count as one address, which is logged once.
    """

    has_warned = False

    def process_request(self, request: HttpRequest) -> None:
        peer = request.META.get("REMOTE_ADDR", "")
        is_near = peer in LOOPBACK or network_of(peer) in LOOPBACK
        is_unnamed = not settings.TRUSTED_PROXIES and is_near
        if is_unnamed and "HTTP_X_FORWARDED_FOR" in request.META and not ForwardedProtoMiddleware.has_warned:
            ForwardedProtoMiddleware.has_warned = True
            log.warning(
                "a proxy on this machine forwards requests, and RENSHO_TRUSTED_PROXIES does not name it: all "
                "its visitors count as one address. Set RENSHO_TRUSTED_PROXIES=127.0.0.1,::1"
            )
        if not (is_unnamed or is_trusted_proxy(peer)):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
