"""/metrics in Prometheus' text format, also while the database or the queue server is away.

Staff need the database for their session; networks and tokens are checked without it.
"""

from __future__ import annotations

import ipaddress
import logging

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from arena.common.client_address import client_address, is_trusted_proxy
from arena.server.process_metrics import scraped_registry
from arena.settings.metrics import MetricsAccess
from arena.web.site.metric_families.database import DatabaseCollector
from arena.web.site.metric_families.machine import MachineCollector
from arena.web.site.metric_families.queue import QueueCollector

log = logging.getLogger(__name__)

REFUSAL = (
    "Metrics are for staff and for clients that RENSHO_METRICS allows: public, networks such as 10.0.0.0/24, "
    "or token:SECRET, sent as Authorization: Bearer SECRET.\n"
)


def may_read(request: HttpRequest) -> bool:
    """Whether the settings, a token or the account allow the request."""
    access: MetricsAccess = settings.METRICS_ACCESS
    if access.is_public or _is_in_networks(request, access.networks):
        return True
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return any(constant_time_compare(given.strip(), token) for token in access.tokens)
    return bool(request.user.is_active and request.user.is_staff)


def _is_in_networks(request: HttpRequest, networks: tuple[str, ...]) -> bool:
    """Whether the client is in one of the networks; False behind a proxy that is not trusted."""
    is_forwarded = "HTTP_X_FORWARDED_FOR" in request.META
    if is_forwarded and not is_trusted_proxy(request.META.get("REMOTE_ADDR", "")):
        return False
    try:
        address = ipaddress.ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(network) for network in networks)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not may_read(request):
        log.info("metrics refused to %s", client_address(request))
        return HttpResponse(REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)


def metrics_text() -> bytes:
    database = DatabaseCollector()
    text = b""
    for make in (lambda: database, lambda: QueueCollector(database.queues), MachineCollector):
        registry = CollectorRegistry(auto_describe=False)
        registry.register(make())
        text += generate_latest(registry)
    return text + generate_latest(scraped_registry())
