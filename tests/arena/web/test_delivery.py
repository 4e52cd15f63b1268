"""How pages travel: 304 for what the reader has, gzip for text, never for streams and secrets."""

from __future__ import annotations

import gzip

import pytest
from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from arena.web.base.conditional_gzip import (
    FAST_LEVEL_BYTES,
    MAX_COMPRESSED_BYTES,
    MAX_PADDING_BYTES,
    ConditionalGzipMiddleware,
    accepts_gzip,
)
from tests import factories

GZIP = {"HTTP_ACCEPT_ENCODING": "gzip, deflate, br"}
TEXT = "Everybody plays the same cards. " * 200


def delivered(
    response: HttpResponse | StreamingHttpResponse, method: str = "GET", **headers: str
) -> HttpResponse:
    """What becomes of an answer to somebody who takes gzip."""
    request = RequestFactory().generic(method, "/", **(GZIP | headers))
    found = ConditionalGzipMiddleware(lambda _: response).process_response(request, response)
    assert isinstance(found, HttpResponse | StreamingHttpResponse)
    return found  # type: ignore[return-value]


def test_a_page_is_compressed_and_the_same_again() -> None:
    answer = delivered(HttpResponse(TEXT))
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert answer["Content-Length"] == str(len(answer.content))
    assert len(answer.content) < len(TEXT) / 10
    assert gzip.decompress(answer.content).decode() == TEXT


@pytest.mark.parametrize(
    "kind", ["application/json", "application/problem+json", "image/svg+xml", "text/plain"]
)
def test_other_text_is_compressed_too(kind: str) -> None:
    assert delivered(HttpResponse(TEXT, content_type=kind)).has_header("Content-Encoding")


@pytest.mark.parametrize(
    "kind", ["application/octet-stream", "application/zip", "text/event-stream", "image/png"]
)
def test_what_is_no_text_goes_as_it_is(kind: str) -> None:
    assert delivered(HttpResponse(TEXT, content_type=kind)).content == TEXT.encode()


def test_a_stream_is_never_compressed() -> None:
    answer = delivered(StreamingHttpResponse(iter([TEXT.encode()]), content_type="text/html"))
    assert not answer.has_header("Content-Encoding")
    assert not answer.has_header("ETag")


def test_an_answer_to_a_form_or_a_change_is_not_compressed() -> None:
    assert delivered(HttpResponse(TEXT), method="POST").content == TEXT.encode()


@pytest.mark.parametrize(
    ("size", "is_packed"), [(100, False), (FAST_LEVEL_BYTES + 1, True), (MAX_COMPRESSED_BYTES + 1, False)]
)
def test_too_short_and_too_long_answers_go_as_they_are(size: int, is_packed: bool) -> None:
    answer = delivered(HttpResponse(b"x" * size, content_type="application/json"))
    assert answer.has_header("Content-Encoding") == is_packed


def test_the_length_of_a_compressed_page_says_nothing_exact() -> None:
    lengths = {len(delivered(HttpResponse(TEXT)).content) for _ in range(50)}
    assert len(lengths) > 5
    assert max(lengths) - min(lengths) < MAX_PADDING_BYTES


@pytest.mark.parametrize(
    ("accepted", "is_taken"),
    [
        ("gzip", True),
        ("br;q=1.0, gzip;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip;q=0.0, br", False),
        ("", False),
        ("br", False),
        ("notgzip", False),
        ("gzipped", False),
    ],
)
def test_only_who_takes_gzip_gets_it(accepted: str, is_taken: bool) -> None:
    assert accepts_gzip(accepted) == is_taken
    answer = delivered(HttpResponse(TEXT), HTTP_ACCEPT_ENCODING=accepted)
    assert answer.has_header("Content-Encoding") == is_taken
    assert "Accept-Encoding" in answer["Vary"]


def test_a_strong_etag_becomes_weak_with_the_compression() -> None:
    answer = delivered(HttpResponse(TEXT, content_type="application/json", headers={"ETag": '"abc"'}))
    assert answer["ETag"] == 'W/"abc"'


@pytest.mark.django_db
def test_a_page_known_already_is_not_sent_again(client: Client) -> None:
    first = client.get("/fairness")
    assert first["Cache-Control"] == "no-cache"
    assert first.content
    assert "Accept-Language" in first["Vary"]
    again = client.get("/fairness", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]


@pytest.mark.django_db
def test_what_is_asked_by_head_is_told_as_by_get(client: Client) -> None:
    got, told = client.get("/tournaments"), client.head("/tournaments")
    assert told["ETag"] == got["ETag"]
    known = client.head("/tournaments", headers={"If-None-Match": got["ETag"]})
    assert known.status_code == 304
    assert known["Vary"] == got["Vary"]
    assert "Accept-Encoding" in known["Vary"]


@pytest.mark.django_db
def test_the_page_of_somebody_signed_in_is_known_again_though_its_tokens_differ(client: Client) -> None:
    client.force_login(factories.aya())
    client.get("/fairness")
    first, second = client.get("/fairness"), client.get("/fairness")
    assert first.content != second.content, "tokens are masked anew"
    assert first["ETag"] == second["ETag"]
    assert "private" in first["Cache-Control"]
    assert client.get("/fairness", headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_the_page_of_one_is_not_that_of_another(client: Client) -> None:
    anonymous = client.get("/fairness")
    client.force_login(factories.aya())
    client.get("/fairness")
    ayas = client.get("/fairness")
    client.logout()
    client.force_login(factories.ben())
    bens = client.get("/fairness", headers={"If-None-Match": ayas["ETag"]})
    assert bens.status_code == 200
    assert len({anonymous["ETag"], ayas["ETag"], bens["ETag"]}) == 3


@pytest.mark.django_db
def test_a_copy_whose_tokens_are_void_is_not_known_again(client: Client) -> None:
    client.force_login(factories.aya())
    client.get("/fairness")
    first = client.get("/fairness")
    client.cookies[settings.CSRF_COOKIE_NAME] = "x" * 32
    assert client.get("/fairness", headers={"If-None-Match": first["ETag"]}).status_code == 200


@pytest.mark.django_db
def test_errors_and_what_must_not_be_stored_have_no_etag(client: Client) -> None:
    assert not client.get("/nowhere").has_header("ETag")
    assert (
        not client.get("/sign-in").has_header("ETag")
        or "no-store" not in client.get("/sign-in")["Cache-Control"]
    )
    client.force_login(factories.sota())
    admin = client.get("/admin/")
    assert admin.status_code == 200
    assert not admin.has_header("ETag")
