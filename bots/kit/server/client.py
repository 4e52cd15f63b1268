"""A caller of the API of one server: patient where repeating does no harm, plain about what went wrong."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpx

from bots.kit.errors import InputUnusable
from bots.kit.server.errors import NotLoggedIn, Refused, SealedYet, ServerUnable

API = "/api/v1"
CONNECT_S = 10.0
ANSWER_S = 30.0
SILENCE_S = 45.0
"""Longest silence of a stream; the server says something every 15 s."""
TRIES = 3
"""How often a request that changes nothing is sent before giving up."""
PAUSE_S = 0.5
"""Before the second try; twice that before the third."""
LONGEST_WAIT_S = 30
"""A server that wants us to wait longer is taken to have said no."""
PAGE_SIZE = "200"
OVERLOADED = (502, 503, 504)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_QUOTED_CHARACTERS = 200

logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every call would bury what is shown


def server_url(text: str) -> str:
    """The address of a server in one spelling: no slash at the end, no ``/api/v1``.

    Raises:
        InputUnusable: it is no web address.
    """
    url = text.strip().rstrip("/").removesuffix(API)
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or parts.username:
        raise InputUnusable(f"{text!r} is no address of a server: write one like https://rensho.example")
    return url


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in LOOPBACK


class Client:
    """Calls one server as the holder of one token, or as nobody; closes with its ``with`` block.

    Every method raises Refused if the server says no, and ServerUnable if there is none or it cannot.
    """

    def __init__(self, url: str, token: str = "", *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = url
        self.has_token = bool(token)
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=f"{url}{API}/",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            trust_env=not is_loopback(url),
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **query: str) -> Any:
        """What the address answers, as plain values; asked again if the server cannot answer now."""
        # No query at all where none is given: an empty one would take away that of the address itself.
        return self._plain(self._call("GET", path, params=query or None))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Do a deed, once, and give the answer."""
        return self._plain(self._call("POST", path, json=dict(body or {})))

    def delete(self, path: str) -> None:
        """Undo something."""
        self._call("DELETE", path)

    def upload(self, path: str, field: str, name: str, data: bytes, **fields: str) -> Any:
        """Send a file in a form."""
        return self._plain(self._call("POST", path, files={field: (name, data)}, data=fields))

    def download(self, path: str, **query: str) -> bytes:
        """The bytes of a file."""
        return self._call("GET", path, params=query or None).content

    def rows(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        page = self.get(path, page_size=PAGE_SIZE, **query)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.get(page["next"])

    @contextmanager
    def stream(self, path: str) -> Iterator[Iterator[str] | None]:
        """The data of server-sent events as they come; None if there will be no more.

        The iterator ends when the stream does, for whatever reason; then it is time to ask again.
        """
        timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S)
        headers = {"Accept": "text/event-stream"}
        with self._telling("GET"), self._http.stream("GET", path, headers=headers, timeout=timeout) as answer:
            if answer.status_code == 204:
                yield None
                return
            if not answer.is_success:
                answer.read()
                self._refuse(answer)
            yield _data_of(answer.iter_lines())

    def _call(self, method: str, path: str, **request: Any) -> httpx.Response:
        """One request and its answer; repeated if it changes nothing and the server cannot answer now."""
        tries = TRIES if method == "GET" else 1
        for tried in range(1, tries + 1):
            pause = PAUSE_S * 2 ** (tried - 1)
            try:
                with self._telling(method):
                    answer = self._http.request(method, path, **request)
            except ServerUnable as error:
                if tried == tries or not isinstance(error.__cause__, httpx.TransportError):
                    raise
            else:
                if answer.is_success:
                    return answer
                wait_s = _retry_after(answer)
                is_passing = answer.status_code in OVERLOADED or answer.status_code == 429
                if not is_passing or tried == tries or wait_s > LONGEST_WAIT_S:
                    self._refuse(answer)
                pause = max(pause, wait_s)
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _telling(self, method: str) -> Iterator[None]:
        """Turns what goes wrong on the way into one sentence."""
        try:
            yield
        except httpx.TimeoutException as error:
            raise ServerUnable(f"{self.url} did not answer in time: try again later") from error
        except httpx.TransportError as error:
            if _has_cause(error, ssl.SSLError):
                raise ServerUnable(
                    f"the connection to {self.url} is not safe ({_first_words(error)}): check the address; "
                    "for a server with a certificate of its own, name its file in SSL_CERT_FILE"
                ) from None  # without a passing cause: trying again would not help
            raise ServerUnable(
                f"cannot reach {self.url} ({_first_words(error)}): "
                "check the address, and that the server is up"
            ) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InputUnusable(f"{self.url} is no address of a server: {error}") from None

    def _plain(self, answer: httpx.Response) -> Any:
        if answer.status_code == 204:
            return None
        try:
            return answer.json()
        except ValueError:
            self._not_ours(answer)

    def _not_ours(self, answer: httpx.Response) -> NoReturn:
        raise ServerUnable(
            f"{self.url} answers, but not as a Rensho server ({answer.status_code} "
            f"{answer.headers.get('content-type', 'without content')}): check the address"
        )

    def _refuse(self, answer: httpx.Response) -> NoReturn:
        """Raises what an answer that is no success means."""
        status = answer.status_code
        if 300 <= status < 400:
            target = answer.headers.get("location", "another address")
            raise ServerUnable(f"{self.url} has moved to {target}: log in there with rensho login")
        try:
            problem = answer.json()
        except ValueError:
            problem = None
        if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
            if status in (*OVERLOADED, 500):
                raise ServerUnable(f"{self.url} cannot answer now ({status}): try again later")
            self._not_ours(answer)
        detail = str(problem.get("detail") or problem.get("title") or status)[:_QUOTED_CHARACTERS]
        code = problem["code"]
        if status == 401:
            if self.has_token:
                raise NotLoggedIn(f"{detail} Log in again with: rensho login {self.url}", status, code)
            raise NotLoggedIn(f"you are not logged in to {self.url}: rensho login {self.url}", status, code)
        if status == 423:
            raise SealedYet(detail, status, code)
        if status == 429:
            wait_s = _retry_after(answer)
            raise ServerUnable(f"too many requests for {self.url}: try again in {wait_s or 'a few'} s")
        if status >= 500:
            raise ServerUnable(f"{self.url}: {detail} ({status})")
        raise Refused(detail, status, code)


def _data_of(lines: Iterator[str]) -> Iterator[str]:
    """The data of each event of a stream; ends when the stream breaks off."""
    try:
        for line in lines:
            if line.startswith("data:"):
                yield line.removeprefix("data:").strip()
    except httpx.TransportError:
        return


def _retry_after(answer: httpx.Response) -> int:
    """Seconds the server wants us to wait; 0 if it does not say."""
    text = answer.headers.get("retry-after", "")
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether an error of this kind is behind another."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, kind):
            return True
        at = at.__cause__ or at.__context__
    return False


def _first_words(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:_QUOTED_CHARACTERS]
