"""ASGI entry point for uvicorn. Server-sent events need ASGI; WSGI would drain the stream first."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from arena.common.database import pool_connections  # noqa: E402
from arena.common.reporting import reporting_start  # noqa: E402
from arena.common.serving import BoundedHandler  # noqa: E402
from arena.web.base.unavailable import busy_response  # noqa: E402

# Read now: the first requests would wait for it together.
set(get_resolver().url_patterns)
pool_connections()
reporting_start()
application = BoundedHandler(busy_response, connections=settings.DATABASE_POOL, unbounded=("/healthz",))
