"""Bodies that are no JSON, or more of it than anybody needs, are refused before they cost anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from hypothesis import example, given
from hypothesis import strategies as st

from arena.api.base.parsers import MAX_JSON_BYTES, MAX_JSON_DEPTH, MAX_JSON_VALUES, BodyRefused, check_limits
from arena.common.serving import BoundedHandler
from arena.web.base.unavailable import busy_response
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.chance import examples
from tests.factories import aya, odo

pytestmark = pytest.mark.django_db
JSON = "application/json"
BOT = b'{"name": "kita", "game": "kakeya", "visibility": %s}'


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"[" * 100_000, 400, "body_too_deep"),
        (b'{"a":' * 50_000, 400, "body_too_deep"),
        (b"[" * (MAX_JSON_DEPTH + 1) + b"]" * (MAX_JSON_DEPTH + 1), 400, "body_too_deep"),
        (b"[" * MAX_JSON_DEPTH + b"]" * MAX_JSON_DEPTH, 400, "invalid"),
        (b'"' + b"x" * MAX_JSON_BYTES + b'"', 413, "body_too_large"),
        (b"[" + b"0," * MAX_JSON_VALUES + b"0]", 400, "body_too_many_values"),
        (b'{"name": 1, "name": 2}', 400, "duplicate_key"),
        (b'{"a": {"name": 1, "name": 1}}', 400, "duplicate_key"),
        (BOT % (b"9" * 5000), 400, "invalid_number"),
        (BOT % b"NaN", 400, "invalid_number"),
        (BOT % b"-Infinity", 400, "invalid_number"),
        (BOT % b"1e999", 400, "invalid_number"),
        (BOT % rb'"\u0000"', 400, "invalid_text"),
        (BOT % rb'"\ud800"', 400, "invalid_text"),
        (BOT % rb'{"\udfff": 1}', 400, "invalid_text"),
        (BOT % b'"\xff"', 400, "malformed_request"),
        (b"", 400, "invalid"),
        (b"\xef\xbb\xbf{}", 400, "malformed_request"),
        ('{"name": "x"}'.encode("utf-16"), 400, "malformed_request"),
        (b"{'name': 1}", 400, "malformed_request"),
    ],
)
def test_a_body_out_of_bounds_is_refused(body: bytes, status: int, code: str) -> None:
    answer = caller(aya()).generic("POST", "/api/v1/bots", body, content_type=JSON)
    found = check(answer, status, code)
    assert len(found["detail"]) <= 500
    assert len(answer.content) < 2000


def test_a_text_that_cannot_be_stored_is_located() -> None:
    body = {"name": "x", "preset": "kakeya4", "stages": [{"format": "swiss"}, {"format": "a\0"}]}
    answer = caller(odo()).generic("POST", "/api/v1/tournaments", json.dumps(body), content_type=JSON)
    assert check(answer, 400, "invalid_text")["errors"][0]["field"] == "stages.1.format"


@pytest.mark.parametrize(
    ("path", "field", "value", "located", "choices"),
    [
        ("tournaments", "fault_policy", "kind", "fault_policy", "substitute, strict"),
        ("tournaments", "scoring", "kind", "scoring", "match_points, board_score"),
        (
            "tournaments",
            "tie_breaks",
            ["wins", "kind"],
            "tie_breaks.1",
            "head_to_head, buchholz, sonneborn_berger",
        ),
        ("tokens", "scopes", ["read", "kind"], "scopes.1", "read, bots, organise, tokens"),
    ],
)
def test_a_value_that_is_no_choice_is_refused_with_the_choices(
    path: str, field: str, value: Any, located: str, choices: str
) -> None:
    body = {"name": "x", **({"preset": "kakeya4"} if path == "tournaments" else {}), field: value}
    found = check(caller(odo()).post(f"/api/v1/{path}", body), 400, "invalid")
    (error,) = found["errors"]
    assert (error["field"], error["code"]) == (located, "invalid_choice")
    assert choices in error["detail"]


def test_a_whole_pair_of_surrogates_is_a_character() -> None:
    body = rb'{"name": "\ud83c\udccf", "game": "kakeya"}'
    assert (
        caller(aya()).generic("POST", "/api/v1/bots", body, content_type=JSON).json()["name"] == "\U0001f0cf"
    )


@pytest.mark.parametrize(
    "kind",
    [
        "application/json; charset=utf-16",
        "application/json; charset=no-such-charset",
        "text/plain; charset=idna",
        "application/json" + "; a=b" * 200,
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_only_utf8_is_read(kind: str, method: str) -> None:
    answer = caller(aya()).generic(method, "/api/v1/bots?name=x", b'{"a": 1}', content_type=kind)
    check(answer, 415, "unsupported_media_type")
    page = caller(aya()).generic(method, "/?page=1", b'{"a": 1}', content_type=kind)
    assert (page.status_code, page["Content-Type"]) == (415, "text/plain")


@pytest.mark.parametrize(
    "kind",
    [
        b"application/json; charset=bz2",
        b"application/json; charset=rot13",
        b"multipart/form-data; boundary=x; charset=zlib",
        b"application/json" + b';"' * 20_000,
        b"application/json; charset=\xff",
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/games", "/fairness"])
def test_no_charset_keeps_the_server_from_answering(kind: bytes, path: str) -> None:
    """Django itself would decode the query by whatever codec a request names, and fail in it."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"name=x",
        "scheme": "http",
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"localhost"), (b"content-type", kind)],
    }

    served = BoundedHandler(busy_response, connections=8)

    async def asked() -> dict[str, Any]:
        connection = ApplicationCommunicator(served, scope)
        await connection.send_input({"type": "http.request", "body": b"", "more_body": False})
        answer: dict[str, Any] = await connection.receive_output(timeout=20)
        await connection.wait()
        return answer

    assert async_to_sync(asked)()["status"] == 415


def test_a_charset_of_utf8_is_taken() -> None:
    kind = "application/json; charset=UTF-8"
    body = b'{"name": "kita", "game": "kakeya"}'
    assert caller(aya()).generic("POST", "/api/v1/bots", body, content_type=kind).status_code == 201


@pytest.mark.parametrize(
    ("extra", "status", "code"),
    [
        ({"HTTP_CONTENT_ENCODING": "gzip"}, 415, "unsupported_media_type"),
        ({"HTTP_CONTENT_ENCODING": "x" * 5000}, 415, "unsupported_media_type"),
        ({"CONTENT_LENGTH": "many"}, 400, "malformed_request"),
        ({"CONTENT_LENGTH": "-1"}, 400, "malformed_request"),
        ({"CONTENT_LENGTH": "9" * 5000}, 400, "malformed_request"),
        ({"HTTP_IF_NONE_MATCH": ", ".join(['"x"'] * 100_000)}, 431, "header_too_large"),
        ({"HTTP_ACCEPT": ",".join(["a/b"] * 100_000)}, 431, "header_too_large"),
        ({"HTTP_LAST_EVENT_ID": "9" * 100_000}, 431, "header_too_large"),
        ({"HTTP_COOKIE": "a=" + "x" * 100_000}, 431, "header_too_large"),
        ({"HTTP_" + "X" * 5000: "y" * 100_000}, 431, "header_too_large"),
        ({"QUERY_STRING": "a&" * 50_000}, 414, "query_too_long"),
        ({"QUERY_STRING": "a&" * 500}, 400, "too_many_parameters"),
        ({"PATH_INFO": "/api/v1/" + "a" * 5000}, 414, "address_too_long"),
    ],
)
def test_addresses_and_headers_are_bounded(extra: dict[str, Any], status: int, code: str) -> None:
    body = b'{"name": "kita", "game": "kakeya"}'
    answer = caller(aya()).generic("POST", "/api/v1/bots", body, content_type=JSON, **extra)
    found = check(answer, status, code)
    assert len(found["detail"]) <= 500
    assert len(answer.content) < 1000


def test_a_body_in_chunks_is_not_taken_for_none() -> None:
    """Without a Content-Length a body would be passed over."""
    client = caller(aya())
    extra = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
    check(client.generic("POST", "/api/v1/bots", b"", content_type=JSON, **extra), 411, "length_required")
    assert client.get("/api/v1/bots", HTTP_TRANSFER_ENCODING="chunked").status_code == 200


@pytest.mark.parametrize(
    "accept",
    [
        "text/event-stream",
        "application/json;q=x",
        ",".join(["a/b;c=d"] * 900),
        "*/*;" * 1000,
        "\xff/\xfe",
        '"',
    ],
)
def test_any_accept_header_has_an_answer(accept: str) -> None:
    answer = caller(aya()).get("/api/v1/bots", HTTP_ACCEPT=accept)
    assert answer.status_code in (200, 406)


def test_a_form_is_bounded_too() -> None:
    client = caller(aya())
    bot = client.post("/api/v1/bots", {"name": "k", "game": "kakeya"}).json()["id"]
    path = f"/api/v1/bots/{bot}/versions"
    for fields in ({f"f{number}": "x" for number in range(2000)}, {"notes": "x" * (2 << 20)}):
        answer = client.post(path, fields, format="multipart")
        found = check(answer, answer.status_code, answer.json()["code"])
        assert answer.status_code in (400, 413)
        assert len(found["detail"]) <= 500
    for tail in ("", "; boundary=" + "x" * 200, "; boundary=x", "; boundary=\xff"):
        answer = client.generic("POST", path, b"--x\r\n\xff" * 500, content_type=f"multipart/form-data{tail}")
        check(answer, 400, answer.json()["code"])


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=30,
)


@examples(200)
@given(value=NESTED)
@example(value=[[[]]])
def test_what_passes_the_limits_can_be_written_again(value: Any) -> None:
    try:
        check_limits(value)
    except BodyRefused as refused:
        is_short = len(str(refused)) <= 500
    else:
        is_short = bool(json.dumps(value, ensure_ascii=False).encode())
    assert is_short
