"""ASGI entry point for uvicorn. Server-sent events need ASGI; WSGI would drain the stream first."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")

application = get_asgi_application()
