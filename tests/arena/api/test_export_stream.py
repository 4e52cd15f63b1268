"""The export as a server with ASGI sends it."""

from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from arena.api.base import streaming
from tests.arena.api.conftest import caller
from tests.arena.play import begun, play_out
from tests.factories import aya


@pytest.mark.django_db(transaction=True)
def test_under_asgi_lines_are_sent_as_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 1)
    event = begun(2)
    play_out(event)
    path = f"/api/v1/tournaments/{event.public_id}/export.ndjson"
    whole = caller().get(path).getvalue()

    async def read() -> list[bytes]:
        answer = await AsyncClient().get(path)
        assert answer.is_async
        return [piece async for piece in answer]

    pieces = async_to_sync(read)()
    assert b"".join(pieces) == whole
    assert len(pieces) == len(whole.splitlines())


@pytest.mark.django_db(transaction=True)
def test_no_cache_gives_the_export_of_one_reader_to_another() -> None:
    event = begun(2)
    play_out(event)
    for name in ("export", "export.ndjson"):
        path = f"/api/v1/tournaments/{event.public_id}/{name}"
        for user, rule in ((None, {"no-cache"}), (aya(), {"no-cache", "private"})):
            answer = caller(user).get(path)
            assert set(answer["Cache-Control"].split(", ")) == rule
            assert {"Authorization", "Cookie"} <= set(answer["Vary"].split(", "))
