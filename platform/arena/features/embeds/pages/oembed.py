"""oEmbed (https://oembed.com): describes the frame of a board's or table's page to other sites."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils import translation
from django.views.decorators.http import require_safe

from arena.common.errors import ArenaError, Invalid, NotFound, quoted
from arena.features.embeds.pages.frames import VISITOR
from arena.features.embeds.panels.framing import (
    SIZES,
    Framed,
    address_language,
    frame_code,
    framed_board,
    framed_table,
)
from arena.matches.board_tables import board_set_visible
from arena.matches.selectors import table_get
from arena.web.account.site_origin import site_address

MAX_URL_CHARACTERS = 500
CACHE_AGE_S = 3600
_POSITION = re.compile(r"[0-9a-z]{1,24}")


@require_safe
def describe(request: HttpRequest) -> HttpResponseBase:
    """Describe ``?url=``; ``maxwidth`` and ``maxheight`` limit the frame, ``lang`` is its language.

    Only JSON. Limits below every frame give the type ``link``, which has no size.
    """
    try:
        with translation.override(address_language(request)):
            answer = JsonResponse(_description(request))
    except ArenaError as error:
        answer = JsonResponse({"code": error.code, "detail": error.message}, status=error.status)
    answer["Cache-Control"] = f"public, max-age={CACHE_AGE_S if answer.status_code == 200 else 60}"
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


def _description(request: HttpRequest) -> dict[str, Any]:
    if request.GET.get("format", "json") != "json":
        raise FormatUnsupported("Only the format json is available.", "format_unsupported", field="format")
    site = site_address(request)
    framed = _framed(request.GET.get("url", ""), {site, f"{request.scheme}://{request.get_host()}"})
    common = {
        "version": "1.0",
        "title": framed.title,
        "provider_name": "Rensho",
        "provider_url": site,
        "cache_age": CACHE_AGE_S,
    }
    width, height = (_maximum(request, name) for name in ("maxwidth", "maxheight"))
    size = next((size for size in SIZES if size[0] <= width and size[1] <= height), None)
    if size is None:
        return {**common, "type": "link"}
    code = frame_code(site, framed, size)
    return {**common, "type": "rich", "width": size[0], "height": size[1], "html": code}


class FormatUnsupported(Invalid):
    status = 501


def _maximum(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise Invalid(f"{name} {quoted(text, 20)} is not a number of pixels.", "invalid", field=name)
    return int(text) if text else SIZES[0][0] + SIZES[0][1]


def _framed(url: str, origins: set[str]) -> Framed:
    """Return the frame of a page. Raises NotFound ``page_not_embeddable``, and as the selectors."""
    match, query = None, ""
    try:
        parts = urlsplit(url if len(url) <= MAX_URL_CHARACTERS else "")
        if f"{parts.scheme}://{parts.netloc}" in origins:
            match, query = resolve(parts.path), parts.query
    except (ValueError, Resolver404):
        pass
    values = match.kwargs if match else {}
    if match and match.view_name == "web:board":
        board_set = board_set_visible(values["public_id"], VISITOR)
        return framed_board(board_set, values["number"])
    if match and match.view_name == "web:table":
        key = parse_qs(query).get("at", [""])[0]
        table = table_get(values["public_id"], VISITOR)
        return framed_table(table, key if _POSITION.fullmatch(key) else "")
    raise NotFound(
        f"{quoted(url, 100)} is not the address of a board or a table of this site.", "page_not_embeddable"
    )
