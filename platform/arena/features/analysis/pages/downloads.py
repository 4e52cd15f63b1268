"""Files that pages offer as downloads."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.http import content_disposition_header


def download(data: bytes, content_type: str, name: str) -> HttpResponse:
    answer = HttpResponse(data, content_type=content_type)
    answer["Content-Disposition"] = content_disposition_header(True, name)
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
