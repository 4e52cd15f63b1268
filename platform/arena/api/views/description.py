"""Endpoint: the OpenAPI schema, which is the same for everyone and generated once per process."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, ClassVar

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.views import ApiView


@functools.cache
def _api_description(version: str) -> Any:
    generator = SpectacularAPIView.generator_class(api_version=version)
    return generator.get_schema(request=None, public=True)


class _DescriptionBase(ApiView):
    """Applies rates like every endpoint. Errors are JSON problems, whatever format was requested."""

    def handle_exception(self, exc: Exception) -> Response:
        answer = super().handle_exception(exc)
        renderer = JSONRenderer()
        self.request.accepted_renderer, self.request.accepted_media_type = renderer, renderer.media_type
        return answer


class _FormatNegotiation(DefaultContentNegotiation):
    """Supports ``?format=json`` and ``yaml`` besides ``Accept``, because many tools accept only a URL."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> Any:
        requested_format = request.query_params.get("format")
        renderers = list(renderers)
        formats = sorted({str(renderer.format) for renderer in renderers})
        if requested_format is not None and requested_format not in formats:
            raise ValidationError({"format": [f"{' or '.join(formats)}, not {requested_format[:20]!r}."]})
        return super().select_renderer(request, renderers, format_suffix or requested_format)


@extend_schema(exclude=True)
class DescriptionView(_DescriptionBase, SpectacularAPIView):
    """The OpenAPI document, as YAML or JSON. It contains no account data and nothing of the admin."""

    parameters: ClassVar[tuple[str, ...]] = ("format", "lang", "version")
    content_negotiation_class = _FormatNegotiation
    api_version = "v1"

    def _get_schema_response(self, request: Request) -> Response:
        filename = self._get_filename(request, self.api_version)
        return Response(
            _api_description(self.api_version),
            headers={"Content-Disposition": f'inline; filename="{filename}"'},
        )


@extend_schema(exclude=True)
class ReferenceRedirectView(_DescriptionBase):
    """Redirects to the API reference of the site."""

    def get(self, request: Request) -> Response:
        return Response(status=302, headers={"Location": reverse("web:reference")})
