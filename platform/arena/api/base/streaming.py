"""Responses sent in chunks: files, and lines that are generated while sending."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import chain
from typing import IO

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from rest_framework.request import Request

from arena.api.base.caching import file_headers
from arena.common.serving import ReadingStream

CHUNK_BYTES = 64 << 10
"""Approximate size of a chunk in bytes."""


def file_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its current position, and close it."""
    with file:
        while piece := file.read(CHUNK_BYTES):
            yield piece


def ndjson_response(request: Request, lines: Iterator[bytes], filename: str) -> ReadingStream:
    """Return lines of JSON as a file, generated while sending. An error before the first line becomes a
    problem.
    """
    pieces = join_lines(chain((next(lines),), lines))
    headers = file_headers(request, "application/x-ndjson", filename)
    return ReadingStream(server_iterator(request._request, pieces), **headers)


def join_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Join lines to larger chunks, as sending each line would cost more than generating it."""
    buffer, size = [], 0
    for line in lines:
        buffer.append(line)
        size += len(line)
        if size >= CHUNK_BYTES:
            yield b"".join(buffer)
            buffer, size = [], 0
    if buffer:
        yield b"".join(buffer)


def server_iterator(request: HttpRequest, pieces: Iterator[bytes]) -> Iterator[bytes] | AsyncIterator[bytes]:
    """Return the chunks as an async iterator if the server is asynchronous.

    Django would read a synchronous iterator to its end before sending anything.
    """
    return _iterate_async(pieces) if isinstance(request, ASGIRequest) else pieces


async def _iterate_async(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece
