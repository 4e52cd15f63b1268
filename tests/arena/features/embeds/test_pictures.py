"""Share pictures: of what visitors may see, small, bounded, and with names of any width."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from PIL import Image

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.features.embeds import drawing
from arena.features.embeds.drawing import MARGIN, PictureHand, PictureRow, board_picture, event_picture
from arena.features.embeds.pages import pictures
from arena.matches.models import BoardSet, Table

MAX_BYTES = 60_000


def drawn(data: bytes) -> Image.Image:
    assert len(data) <= MAX_BYTES
    image = Image.open(io.BytesIO(data))
    assert image.size == (1200, 630)
    return image.convert("RGB")


def is_framed(image: Image.Image) -> bool:
    """Whether nothing is drawn in the margins."""
    right = image.crop((1200 - MARGIN + 1, 12, 1200, 630))
    left = image.crop((0, 12, MARGIN - 2, 630))
    below = image.crop((0, 620, 1200, 630))
    return all(len(part.getcolors() or "many") == 1 for part in (right, left, below))


@pytest.mark.parametrize("character", ["W", "漢", "한", "\U0001f600", "م"])
def test_a_name_of_60_wide_characters_fits(character: str) -> None:
    name = character * 60
    rows = [PictureRow(f"{rank}. {name}", "+12 1/3") for rank in range(1, 6)]
    assert is_framed(drawn(event_picture(name, name, rows)))
    words = " ".join([character * 29] * 2)
    assert is_framed(drawn(board_picture(words, name, [])))


def test_without_a_font_for_its_characters_a_line_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "FONT_FILES", ())
    for cached in (drawing._fonts, drawing._has):
        cached.cache_clear()
    try:
        assert event_picture("漢字", "", []) == event_picture("", "", [])
        assert event_picture("kanji", "", []) != event_picture("", "", [])
    finally:
        monkeypatch.undo()
        for cached in (drawing._fonts, drawing._has):
            cached.cache_clear()


def test_hands_of_eight_seats_fit() -> None:
    hands = [
        PictureHand(f"Seat {seat}", [f"{rank}{suit}" for suit in "SHDC" for rank in "AT9"])
        for seat in range(8)
    ]
    assert is_framed(drawn(board_picture("Board 1", "facts", hands)))


@pytest.mark.django_db
def test_pictures_are_drawn_once_and_pages_name_them(
    event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_cache.clear()
    for page, picture in (
        (f"/tournaments/{event.public_id}", f"/pictures/tournaments/{event.public_id}.png"),
        (
            f"/boards/{table.fixture.board_set.public_id}/1",
            f"/pictures/boards/{table.fixture.board_set.public_id}/1.png",
        ),
    ):
        assert (
            f'property="og:image" content="http://testserver{picture}?v='
            in Client().get(page).content.decode()
        )
        answer = Client().get(picture)
        assert answer["Content-Type"] == "image/png"
        assert not answer.cookies
        drawn(answer.content)
        again = Client().get(picture, headers={"If-None-Match": answer["ETag"]})
        assert again.status_code == 304
    monkeypatch.setattr(pictures, "_draw_event", lambda _: pytest.fail("it is cached"))
    assert Client().get(f"/pictures/tournaments/{event.public_id}.png").status_code == 200


@pytest.mark.django_db
def test_a_picture_is_in_the_language_of_its_address(
    event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_cache.clear()
    board = f"/pictures/boards/{table.fixture.board_set.public_id}/1.png"
    for address in (board, f"/pictures/tournaments/{event.public_id}.png"):
        english, japanese = (Client().get(address + query).content for query in ("", "?lang=ja"))
        assert drawn(english) != drawn(japanese)
        reader = Client(headers={"Accept-Language": "ja"})
        for query in ("", "?lang=en", "?lang=xx"):
            assert reader.get(address + query).content == english
    monkeypatch.setattr(drawing, "FONT_FILES", ())
    for cached in (drawing._fonts, drawing._has):
        cached.cache_clear()
    try:
        assert Client().get(f"{board}?lang=ja").content == Client().get(board).content
    finally:
        monkeypatch.undo()
        for cached in (drawing._fonts, drawing._has):
            cached.cache_clear()


@pytest.mark.django_db
def test_a_private_event_has_no_picture_and_a_sealed_board_shows_nothing(
    event: Tournament, table: Table
) -> None:
    board = f"/pictures/boards/{table.fixture.board_set.public_id}/1.png"
    assert Client().get(board.replace("/1.png", "/99.png")).status_code == 404
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open", closed_seq=None)
    assert Client().get(board).status_code == 423
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    assert Client().get(board).status_code == 404
    assert Client().get(f"/pictures/tournaments/{event.public_id}.png").status_code == 404
    staff = Client()
    staff.force_login(event.organiser)
    assert "/pictures/" not in staff.get(f"/tournaments/{event.public_id}").content.decode()


@pytest.mark.django_db
def test_a_flood_gets_429_while_cached_pictures_are_served(
    event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_cache.clear()
    cached = f"/pictures/tournaments/{event.public_id}.png"
    other = f"/pictures/boards/{table.fixture.board_set.public_id}/1.png"
    assert Client().get(cached).status_code == 200
    for _ in range(pictures.MAX_WAITING):
        assert pictures._places.acquire(blocking=False)
    try:
        refused = Client().get(other)
        assert refused.status_code == 429
        assert int(refused["Retry-After"]) > 0
        assert Client().get(cached).status_code == 200
    finally:
        for _ in range(pictures.MAX_WAITING):
            pictures._places.release()
    monkeypatch.setattr(pictures, "rate_consume", lambda name, whose: type("Usage", (), {"wait_s": 7.0}))
    assert Client().get(other)["Retry-After"] == "7"
    monkeypatch.undo()
    assert Client().get(other).status_code == 200
