"""What goes wrong on the way to a server, each in one sentence; patience where repeating does no harm."""

import email.utils
import gzip
import socket
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bots.kit.client import Client, server_url, transport
from bots.kit.client.errors import NotLoggedIn, Refused, ServerUnavailable, StillSealed
from bots.kit.errors import InvalidInput
from tests.bots.kit.server.peer import page, peer, plain, problem


def asking(url, token="t", waits=None):
    return Client(url, token, sleep=(waits if waits is not None else []).append)


def raised(kind, call, *names):
    """What a call raises, whose message is one line with these texts."""
    with pytest.raises(kind) as refusal:
        call()
    message = str(refusal.value)
    assert "\n" not in message
    assert [name for name in names if name not in message] == []
    return refusal.value


@pytest.mark.parametrize(
    ("answer", "kind", "names"),
    [
        (problem(401, "invalid_token", "Told."), NotLoggedIn, "Told."),
        (problem(403, "not_owner", "Told."), Refused, "Told."),
        (problem(404, "table_not_found", "Told."), Refused, "Told."),
        (problem(423, "sealed", "Told."), StillSealed, "Told."),
        (problem(429, "rate_limited", **{"Retry-After": "3600"}), ServerUnavailable, "3600 s"),
        (problem(500, "internal_error", "Told."), ServerUnavailable, "Told. (500)"),
        (page(502), ServerUnavailable, "(502)"),
        (page(200), ServerUnavailable, "(200 text/html)"),
        (page(404), ServerUnavailable, "(404 text/html)"),
        (page(301, Location="https://new.example"), ServerUnavailable, "https://new.example"),
    ],
)
def test_every_refusal_is_one_sentence(answer, kind, names):
    with peer(answer) as server, asking(server.url) as client:
        raised(kind, lambda: client.get("me"), names)


@pytest.mark.parametrize(
    ("answer", "culprit"),
    [
        ({}, "'results'"),
        ([], "object"),
        (None, "object"),
        ({"results": 5, "next": None}, "list"),
        ({"results": [7], "next": None}, "object"),
        ({"results": [{"id": "x"}], "next": None}, "'name'"),
    ],
)
def test_json_of_another_shape_is_no_fault_of_ours(answer, culprit):
    with peer(plain(answer)) as server, asking(server.url) as client:
        raised(ServerUnavailable, lambda: [bot["name"] for bot in client.bots()], server.url, culprit)


@pytest.mark.parametrize(
    "ask",
    [
        Client.me,
        lambda client: client.games()[0]["key"],
        lambda client: client.bot_create({"name": "kita", "game": "kakeya"}),
        lambda client: client.tournament_change("x", {"name": "Cup"}),
        lambda client: client.version_upload("x", "bot.py", b""),
    ],
)
def test_one_thing_of_another_shape_is_no_fault_of_ours_either(ask):
    with peer(plain([{}])) as server, asking(server.url) as client:
        raised(ServerUnavailable, lambda: ask(client), server.url)


def test_without_a_token_one_is_told_to_log_in():
    with peer(problem(401, "not_signed_in")) as server, asking(server.url, "") as client:
        raised(NotLoggedIn, lambda: client.get("me"), "rensho login")
        assert "Authorization" not in server.asked[0][2]


def test_reading_is_tried_again_and_waits_as_long_as_it_is_told():
    answers = [page(503), problem(429, "rate_limited", **{"Retry-After": "7"}), plain({"a": 1})]
    waits = []
    with peer(*answers) as server, asking(server.url, waits=waits) as client:
        assert client.get("me") == {"a": 1}
        assert len(server.asked) == 3
    assert waits == [0.5, 7]


def test_the_server_may_name_the_date_to_wait_for():
    answers = [
        problem(
            429,
            "rate_limited",
            **{"Retry-After": email.utils.formatdate(time.time() + 19, usegmt=True)},
        ),
        problem(429, "rate_limited", **{"Retry-After": "in a while"}),
        plain({"a": 1}),
    ]
    waits = []
    with peer(*answers) as server, asking(server.url, waits=waits) as client:
        assert client.get("me") == {"a": 1}
    assert 15 <= waits[0] <= 19
    assert waits[1] == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        page(503),
        problem(429, "rate_limited", **{"Retry-After": "1"}),
        problem(409, "idempotency_key_in_progress"),
    ],
)
def test_a_request_is_sent_again_under_the_same_key(answer):
    with peer(answer, plain({}), plain({})) as server, asking(server.url) as client:
        client.post("bots", {"name": "kita"})
        client.post("bots", {"name": "minami"})
        first, again, other = (asked[2]["Idempotency-Key"] for asked in server.asked)
        assert first == again != other
        assert server.asked[0][3] == server.asked[1][3]


@pytest.mark.parametrize(
    ("answer", "ask", "times"),
    [
        (page(503), lambda client: client.get("me"), 3),
        (problem(409, "wrong_state"), lambda client: client.post("bots", {"name": "kita"}), 1),
        (problem(500, "internal_error"), lambda client: client.post("bots", {"name": "kita"}), 1),
        (page(503), lambda client: client.delete("tokens/x"), 1),
    ],
)
def test_reading_alone_is_tried_again_but_not_for_ever(answer, ask, times):
    with peer(answer) as server, asking(server.url) as client:
        raised((Refused, ServerUnavailable), lambda: ask(client))
        assert len(server.asked) == times


def test_a_refusal_tells_code_state_and_what_is_allowed():
    body = {"code": "wrong_state", "detail": "It is draft.", "state": "draft"}
    body |= {"allowed_actions": ["open", "cancel"]}
    with peer(plain(body, 409)) as server, asking(server.url) as client:
        error = raised(Refused, lambda: client.post("tournaments/x/lock"), "It is draft.", "open, cancel")
    assert (error.code, error.state, error.allowed_actions) == ("wrong_state", "draft", ("open", "cancel"))
    assert (error.http_status, error.problem) == (409, body)


def test_every_wrong_field_is_named_in_one_line():
    errors = [{"field": "name", "detail": "Long."}, {"field": "stages.0", "detail": "No\nsuch."}]
    answer = plain({"code": "invalid", "detail": "name: Long.", "errors": errors}, 400)
    with peer(answer) as server, asking(server.url) as client:
        raised(Refused, lambda: client.post("tournaments"), "name: Long.; stages.0: No such.")


def test_what_has_an_etag_is_sent_once():
    marked = plain({"id": "v"}, ETag='"a"')
    with peer(marked, (304, {"ETag": '"a"'}, b""), plain({"id": "w"}, ETag='"b"')) as server:
        with asking(server.url) as client:
            assert [client.get("versions/v")["id"] for _ in range(3)] == ["v", "v", "w"]
            client.get("versions/v", other="x")
        known = [asked[2].get("If-None-Match") for asked in server.asked]
        assert known == [None, '"a"', '"a"', None]


def test_a_file_one_has_is_not_sent_again():
    with peer((304, {"ETag": '"ab"'}, b"")) as server, asking(server.url) as client:
        assert client.record_if_changed("t", '"ab"') is None
        assert server.asked[0][2]["If-None-Match"] == '"ab"'


def test_a_file_that_breaks_off_is_no_file():
    got = []

    def save():
        with client.download("x") as file:
            got.append(file.length_bytes)
            got.extend(file.chunks)

    with peer((200, {"Content-Type": "application/zip"}, b"PK")) as server, asking(server.url) as client:
        server.cut = 10
        raised(ServerUnavailable, save)
    assert got == [12, b"PK"]


def test_nobody_there_is_said_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        for url in (f"http://127.0.0.1:{taken.getsockname()[1]}", "http://rensho.invalid"):
            with asking(url) as client:
                raised(ServerUnavailable, lambda: client.get("me"), url.removeprefix("http://"))


@pytest.fixture
def encrypted(tmp_path):
    """A server whose certificate nobody knows."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    subprocess.run(
        ["openssl", *words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"https://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_certificate_nobody_knows_is_told_with_the_remedy_and_not_tried_again(encrypted):
    waits = []
    with asking(encrypted, waits=waits) as client:
        raised(ServerUnavailable, lambda: client.get("me"), "SSL_CERT_FILE")
    assert waits == []


def test_a_list_is_followed_from_page_to_page():
    with peer(plain({}), plain({})) as server, asking(server.url) as client:
        server.answers[:] = [
            plain({"next": "http://inside:8000/api/v1/bots?cursor=x", "results": [{"id": "a"}]}),
            plain({"next": None, "results": [{"id": "b"}]}),
        ]
        assert [row["id"] for row in client.bots(owner="aya")] == ["a", "b"]
        assert [asked[1] for asked in server.asked] == [
            "/api/v1/bots?page_size=200&owner=aya",
            "/api/v1/bots?cursor=x",
        ]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://rensho.example/", "https://rensho.example"),
        (" http://localhost:8000/api/v1/ ", "http://localhost:8000"),
        ("https://example.org/rensho", "https://example.org/rensho"),
    ],
)
def test_an_address_has_one_spelling(text, url):
    assert server_url(text) == url


@pytest.mark.parametrize(
    "text", ["", "rensho.example", "ftp://x", "http://", "http://x:99999", "http://a:b@x", "https://x/?a=b"]
)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(InvalidInput, match="https"):
        server_url(text)


class TestBounds:
    JSON = {"Content-Type": "application/json"}

    @pytest.mark.parametrize(
        ("bound", "answer"),
        [
            ("MAX_ANSWER_BYTES", (200, JSON | {"Content-Encoding": "gzip"}, gzip.compress(bytes(2 << 20)))),
            ("MAX_ANSWER_BYTES", page(404, bytes(2 << 20))),
            ("MAX_DOWNLOAD_BYTES", page(200, bytes(2 << 20))),
        ],
    )
    def test_what_is_too_long_is_given_up(self, monkeypatch, bound, answer):
        monkeypatch.setattr(transport, bound, 1 << 20)

        def downloaded():
            with client.download("x") as download:
                return list(download.chunks)

        asked = [downloaded]
        if bound == "MAX_ANSWER_BYTES":
            asked = [lambda: client.get("me"), lambda: client.content("me")]
        with peer(answer) as server, asking(server.url) as client:
            for ask in asked:
                raised(ServerUnavailable, ask, "1 MiB")

    def test_what_is_packed_in_another_way_is_not_unpacked(self):
        answer = (200, self.JSON | {"Content-Encoding": "br"}, b"\x0b\x02\x80{}\x03")
        with peer(answer) as server, asking(server.url) as client:
            raised(ServerUnavailable, lambda: client.get("me"), "'br'")
        assert server.asked[0][2]["Accept-Encoding"] == "gzip"

    def test_what_is_packed_as_asked_is_unpacked(self):
        headers = {"Content-Encoding": "gzip", "ETag": '"e"'}
        answer = (200, self.JSON | headers, gzip.compress(b'{"a": 1}'))
        with peer(answer) as server, asking(server.url) as client:
            assert client.get("me") == {"a": 1}

    @pytest.mark.parametrize(
        ("cursors", "asked"), [("bb", 2), ("bcb", 3), ("bcdefghij", 5)], ids=["one", "two", "without end"]
    )
    def test_pages_that_go_round_or_do_not_end(self, monkeypatch, cursors, asked):
        monkeypatch.setattr(transport, "MAX_PAGES", 5)
        pages = [plain({"results": [], "next": f"http://x.example/?cursor={cursor}"}) for cursor in cursors]
        with peer(*pages) as server, asking(server.url) as client:
            raised(ServerUnavailable, lambda: list(client.rows(dict, "list")))
        assert len(server.asked) == asked

    def test_parts_of_one_answer_that_go_round(self):
        with peer(plain({"rows": [], "next_first": 1})) as server, asking(server.url) as client:
            raised(ServerUnavailable, lambda: client.fetch_with_rows(dict, "list", "rows"))
