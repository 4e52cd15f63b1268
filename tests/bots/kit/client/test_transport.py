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
from bots.kit.client.errors import NotLoggedIn, Refused, SealedYet, ServerUnable
from bots.kit.errors import InputUnusable
from tests.bots.kit.server.peer import page, peer, plain, problem


def asking(url, token="t", waits=None):
    return Client(url, token, sleep=(waits if waits is not None else []).append)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            problem(401, "token_refused", "This token has expired."),
            NotLoggedIn,
            "This token has expired. Log in",
        ),
        (problem(403, "not_yours", "It is somebody else's."), Refused, "It is somebody else's."),
        (problem(404, "table_missing", "There is no table 'x'."), Refused, "There is no table 'x'."),
        (problem(423, "sealed", "This log is sealed."), SealedYet, "This log is sealed."),
        (problem(429, "throttled", **{"Retry-After": "3600"}), ServerUnable, "try again in 3600 s"),
        (problem(500, "internal", "This is our fault."), ServerUnable, "This is our fault. (500)"),
        (page(502), ServerUnable, "cannot answer now (502)"),
        (page(200), ServerUnable, "not as a Rensho server (200 text/html)"),
        (page(404), ServerUnable, "not as a Rensho server (404 text/html)"),
        (page(301, Location="https://new.example"), ServerUnable, "has moved to https://new.example"),
    ],
)
def test_every_refusal_is_one_sentence(answer, kind, words):
    with peer(answer) as server, asking(server.url) as client:
        with pytest.raises(kind) as refusal:
            client.get("me")
        assert words in str(refusal.value)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ({}, "it lacks 'results'"),
        ([], "it is no object"),
        (None, "it is no object"),
        ({"results": 5, "next": None}, "it is no list"),
        ({"results": [7], "next": None}, "it is no object"),
        ({"results": [{"id": "x"}], "next": None}, "it lacks 'name'"),
    ],
)
def test_json_of_another_shape_is_no_fault_of_ours(answer, what):
    with peer(plain(answer)) as server, asking(server.url) as client:
        with pytest.raises(ServerUnable) as error:
            [bot["name"] for bot in client.bots()]
        assert str(error.value).startswith(
            f"{server.url} answers, but not as a Rensho server of this release"
        )
        assert f"({what})" in str(error.value)


def test_one_thing_of_another_shape_is_no_fault_of_ours_either():
    with peer(plain([{}])) as server, asking(server.url) as client:
        asked = [
            client.me,
            lambda: client.games()[0]["key"],
            lambda: client.bot_create({"name": "kita", "game": "kakeya"}),
            lambda: client.tournament_change("x", {"name": "Cup"}),
            lambda: client.version_upload("x", "bot.py", b""),
        ]
        for ask in asked:
            with pytest.raises(ServerUnable, match="not as a Rensho server of this release"):
                ask()


def test_without_a_token_one_is_told_to_log_in():
    with peer(problem(401, "not_signed_in")) as server, asking(server.url, "") as client:
        with pytest.raises(NotLoggedIn, match=r"you are not logged in .*rensho login"):
            client.get("me")
        assert "Authorization" not in server.asked[0][2]


def test_reading_is_tried_again_and_waits_as_long_as_it_is_told():
    answers = [page(503), problem(429, "throttled", **{"Retry-After": "7"}), plain({"a": 1})]
    waits = []
    with peer(*answers) as server, asking(server.url, waits=waits) as client:
        assert client.get("me") == {"a": 1}
        assert len(server.asked) == 3
    assert waits == [0.5, 7]


def test_the_server_may_name_the_date_to_wait_for():
    answers = [
        problem(429, "throttled", **{"Retry-After": email.utils.formatdate(time.time() + 19, usegmt=True)}),
        problem(429, "throttled", **{"Retry-After": "in a while"}),
        plain({"a": 1}),
    ]
    waits = []
    with peer(*answers) as server, asking(server.url, waits=waits) as client:
        assert client.get("me") == {"a": 1}
    assert 15 <= waits[0] <= 19
    assert waits[1] == 1.0


def test_reading_is_not_tried_for_ever():
    with peer(page(503)) as server, asking(server.url) as client:
        with pytest.raises(ServerUnable):
            client.get("me")
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    "answer",
    [
        page(503),
        problem(429, "throttled", **{"Retry-After": "1"}),
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


def test_what_is_refused_or_breaks_is_no_reason_to_send_it_again():
    for answer in (problem(409, "wrong_state"), problem(500, "internal")):
        with peer(answer) as server, asking(server.url) as client:
            with pytest.raises((Refused, ServerUnable)):
                client.post("bots", {"name": "kita"})
            assert len(server.asked) == 1


def test_nothing_is_taken_back_twice():
    with peer(page(503)) as server, asking(server.url) as client:
        with pytest.raises(ServerUnable):
            client.delete("tokens/x")
        assert len(server.asked) == 1


def test_a_refusal_tells_code_state_and_what_is_allowed():
    body = {
        "code": "wrong_state",
        "detail": "It is draft.",
        "state": "draft",
        "allowed_now": ["open", "cancel"],
    }
    with (
        peer(plain(body, 409)) as server,
        asking(server.url) as client,
        pytest.raises(Refused) as refusal,
    ):
        client.post("tournaments/x/lock")
    error = refusal.value
    assert str(error) == "It is draft. Allowed now: open, cancel."
    assert (error.code, error.state, error.allowed_now) == ("wrong_state", "draft", ("open", "cancel"))
    assert (error.http_status, error.problem) == (409, body)


def test_every_wrong_field_is_named_in_one_line():
    errors = [{"field": "name", "detail": "Too long."}, {"field": "stages.0", "detail": "No\nsuch."}]
    answer = plain({"code": "invalid", "detail": "name: Too long.", "errors": errors}, 400)
    with peer(answer) as server, asking(server.url) as client, pytest.raises(Refused) as refusal:
        client.post("tournaments")
    assert str(refusal.value) == "name: Too long.; stages.0: No such."


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
        assert client.record_unless("t", '"ab"') is None
        assert server.asked[0][2]["If-None-Match"] == '"ab"'


def test_a_file_that_breaks_off_is_no_file():
    with peer((200, {"Content-Type": "application/zip"}, b"PK")) as server, asking(server.url) as client:
        server.cut = 10
        got = []
        with pytest.raises(ServerUnable, match="cannot reach"):
            save(client, got)
    assert got == [12, b"PK"]


def save(client, got):
    with client.download("x") as file:
        got.append(file.length_bytes)
        got.extend(file.chunks)


def test_nobody_there_is_said_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with asking(url) as client, pytest.raises(ServerUnable, match=r"cannot reach .* the server is up"):
            client.get("me")


def test_a_name_that_leads_nowhere_is_said_so():
    with asking("http://rensho.invalid") as client, pytest.raises(ServerUnable, match=r"rensho\.invalid"):
        client.get("me")


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
    with asking(encrypted, waits=waits) as client, pytest.raises(ServerUnable) as refusal:
        client.get("me")
    assert "is not safe" in str(refusal.value)
    assert "SSL_CERT_FILE" in str(refusal.value)
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
    with pytest.raises(InputUnusable, match="write one like https"):
        server_url(text)


class TestBounds:
    def test_an_answer_that_unpacks_to_too_much(self, monkeypatch):
        monkeypatch.setattr(transport, "ANSWER_BYTES", 1 << 20)
        packed = gzip.compress(b"[" + b" " * (2 << 20) + b"]")
        answer = (200, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, packed)
        with peer(answer) as server, asking(server.url) as client:
            with pytest.raises(ServerUnable, match="more than 1 MiB"):
                client.get("me")
            with pytest.raises(ServerUnable, match="more than 1 MiB"):
                client.content("me")

    def test_a_refusal_that_is_too_long(self, monkeypatch):
        monkeypatch.setattr(transport, "ANSWER_BYTES", 1 << 20)
        with (
            peer(page(404, b"x" * (2 << 20))) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="more than 1 MiB"),
        ):
            client.get("me")

    def test_a_download_that_does_not_end(self, monkeypatch):
        monkeypatch.setattr(transport, "DOWNLOAD_BYTES", 1 << 20)
        with (
            peer(page(200, bytes(2 << 20))) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="more than 1 MiB"),
            client.download("x") as download,
        ):
            list(download.chunks)

    def test_what_is_packed_in_another_way_is_not_unpacked(self):
        answer = (200, {"Content-Type": "application/json", "Content-Encoding": "br"}, b"\x0b\x02\x80{}\x03")
        with (
            peer(answer) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="packed as 'br'"),
        ):
            client.get("me")
        assert server.asked[0][2]["Accept-Encoding"] == "gzip"

    def test_what_is_packed_as_asked_is_unpacked(self):
        packed = gzip.compress(b'{"a": 1}')
        answer = (
            200,
            {"Content-Type": "application/json", "Content-Encoding": "gzip", "ETag": '"e"'},
            packed,
        )
        with peer(answer) as server, asking(server.url) as client:
            assert client.get("me") == {"a": 1}

    @pytest.mark.parametrize("ways", [["?cursor=b"], ["?cursor=b", "?cursor=c"]])
    def test_pages_that_go_round(self, ways):
        pages = [plain({"results": [], "next": f"http://x.example/{way}"}) for way in ways * 3]
        with (
            peer(*pages) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="twice"),
        ):
            list(client.rows(dict, "list"))
        assert len(server.asked) == len(ways) + 1

    def test_pages_without_end(self, monkeypatch):
        monkeypatch.setattr(transport, "PAGES_MOST", 5)
        pages = [plain({"results": [], "next": f"?cursor={number}"}) for number in range(9)]
        with (
            peer(*pages) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="more than 5 pages"),
        ):
            list(client.rows(dict, "list"))
        assert len(server.asked) == 5

    def test_the_next_page_is_asked_of_the_same_server(self):
        answers = [
            plain({"results": [], "next": "https://other.example/?cursor=b"}),
            plain({"results": [], "next": None}),
        ]
        with peer(*answers) as server, asking(server.url) as client:
            assert list(client.rows(dict, "list")) == []
        assert [path for _, path, *_ in server.asked][1].endswith("list?cursor=b")

    def test_parts_of_one_answer_that_go_round(self):
        with (
            peer(plain({"rows": [], "next_first": 1})) as server,
            asking(server.url) as client,
            pytest.raises(ServerUnable, match="twice"),
        ):
            client.whole(dict, "list", "rows")
