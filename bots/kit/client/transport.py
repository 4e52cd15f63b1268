"""Requests to the API of one server: patient where repeating does no harm, plain about what went wrong."""

from __future__ import annotations

import logging
import ssl
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn, Self, TypeVar, get_origin
from urllib.parse import parse_qsl, urlsplit

import httpx

from bots.kit.client.address import API, is_loopback
from bots.kit.client.errors import (
    QUOTED_CHARACTERS,
    NotLoggedIn,
    Refused,
    SealedYet,
    ServerUnable,
    problem_of,
    problem_text,
)
from bots.kit.client.retry_after import retry_after_s
from bots.kit.client.sse import ServerEvent, events_of
from bots.kit.errors import InputUnusable
from engine.refusals import quoted

CONNECT_S = 10.0
ANSWER_S = 30.0
SILENCE_S = 45.0
"""Longest silence of a stream; the server says something every 15 s."""
TRIES = 3
"""How often a request that may be repeated is sent before giving up."""
PAUSE_S = 0.5
"""Before the second try; twice that before the third."""
LONGEST_WAIT_S = 30
"""A server that wants us to wait longer is taken to have said no."""
PAGE_SIZE = 200
PAGES_MOST = 10_000
"""Of one list."""
ANSWER_BYTES = 128 << 20
"""Of one answer, unpacked; twice the largest record."""
DOWNLOAD_BYTES = 16 << 30
"""Of one file, unpacked; twice the records that an export may hold."""
OVERLOADED = (502, 503, 504)
KEPT_ANSWERS = 256
KEPT_BYTES = 1 << 16
"""Larger answers are not kept: a record is saved by whoever asked for it."""
IN_PROGRESS = "idempotency_key_in_progress"
KEY_REFUSED = "idempotency_key_refused"

Query = str | int | bool | Sequence[str] | None
"""A value of a query; None leaves it out, several are given one after the other."""
Row = TypeVar("Row")

logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every call would bury what is shown


class Download(NamedTuple):
    """A file on its way."""

    length_bytes: int | None
    """None if the server does not know beforehand."""
    etag: str
    chunks: Iterator[bytes]
    kind: str = ""
    """Its media type without parameters; empty if it has no body."""


class _Kept(NamedTuple):
    """An answer with its mark: asked for again, the server only says that it is the same."""

    etag: str
    answer: httpx.Response


class _Fields(dict[str, Any]):
    """An object of an answer. A field that it lacks is a fault of the server, and not of who reads it.

    That goes for ``[]`` alone: a shape may have fields that only some servers send, asked for with ``get``.
    """

    def __init__(self, values: Mapping[str, Any], url: str) -> None:
        super().__init__(values)
        self._url = url

    def __missing__(self, name: str) -> NoReturn:
        raise _unlike(self._url, f"it lacks {quoted(name)}")


class Transport:
    """Sends requests as the holder of one token, or as nobody; closes with its ``with`` block.

    Every method raises Refused if the server says no, and ServerUnable if there is none or it cannot answer.
    What changes nothing is repeated after a broken connection and when the server is overloaded; so is a
    POST, since it carries an Idempotency-Key by which the server knows it again. The
    server's Retry-After is kept to, up to ``longest_wait_s``.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        token_variable: str = "",
        longest_wait_s: float = LONGEST_WAIT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.has_token = bool(token)
        self.token_variable = token_variable
        """The variable of the environment that the token comes from; empty if from none."""
        self.longest_wait_s = longest_wait_s
        self.sleep = sleep
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._http = httpx.Client(
            base_url=f"{url}{API}/",
            # What gzip unpacks is at most a thousand times as long; other methods have no such bound.
            headers={"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})},
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            trust_env=not is_loopback(url),
            # Reading the certificates takes longer than most calls, and this machine's own http needs none.
            verify=not (is_loopback(url) and url.startswith("http:")),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, /, **query: Query) -> Any:
        """What the address answers, as plain values; what has an ETag is asked for once and kept."""
        url = str(self._http.build_request("GET", path, params=_asked(query)).url)
        kept = self._kept.get(url)
        headers = {"If-None-Match": kept.etag} if kept else {}
        answer = self._call("GET", path, params=_asked(query), headers=headers)
        if answer.status_code == 304 and kept:
            self._kept.move_to_end(url)
            return self._plain(kept.answer)
        etag = answer.headers.get("etag", "")
        if etag and len(answer.content) <= KEPT_BYTES:
            self._kept[url] = _Kept(etag, answer)
            while len(self._kept) > KEPT_ANSWERS:
                self._kept.popitem(last=False)
        return self._plain(answer)

    def one(self, shape: type[Row], path: str, **query: Query) -> Row:
        """One thing; ``shape`` says what it is, an object or a list."""
        return self._shaped(shape, self.get(path, **query))

    def whole(self, shape: type[Row], path: str, rows_name: str, **query: Query) -> Row:
        """One thing with all its rows: those that did not fit into the first answer come in further ones."""
        found: Any = self.one(shape, path, **query)
        seen = set[str]()
        while first := found.get("next_first"):
            self._require_new(str(first), seen, path)
            part: Any = self.one(shape, path, **query, first=first)
            found[rows_name] += part[rows_name]
            found["next_first"] = part.get("next_first")
        thing: Row = found
        return thing

    def act(self, shape: type[Row], path: str, body: Mapping[str, Any] | None = None, **query: Query) -> Row:
        """Make a request, carried out once however often it is sent; gives its answer in this shape."""
        return self._shaped(shape, self.post(path, body, **query))

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Query) -> Any:
        """Make a request, carried out once however often it is sent; gives its answer."""
        return self._plain(self._call("POST", path, json=dict(body or {}), params=_asked(query)))

    def patch(self, shape: type[Row], path: str, body: Mapping[str, Any]) -> Row:
        """Set fields, and give the answer in this shape."""
        return self._shaped(shape, self._plain(self._call("PATCH", path, json=dict(body))))

    def delete(self, path: str) -> None:
        """Undo something."""
        self._call("DELETE", path)

    def upload(self, shape: type[Row], path: str, field: str, name: str, data: bytes, **fields: str) -> Row:
        """Send a file in a form, once however often it is sent; gives the answer in this shape."""
        answer = self._call("POST", path, files={field: (name, data)}, data=fields)
        return self._shaped(shape, self._plain(answer))

    def content(self, path: str, **query: Query) -> bytes:
        """The bytes of a small file."""
        return self._call("GET", path, params=_asked(query)).content

    def content_unless(self, path: str, etag: str, **query: Query) -> tuple[bytes, str] | None:
        """The bytes of a small file and its ETag; None if it is the one with this ETag."""
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._call("GET", path, params=_asked(query), headers=headers)
        return None if answer.status_code == 304 else (answer.content, answer.headers.get("etag", ""))

    def rows(self, shape: type[Row], path: str, **query: Query) -> Iterator[Row]:
        """Every row of a list, page by page; ``shape`` says what a row is."""
        for page in self.pages(path, {"page_size": PAGE_SIZE, **query}):
            for row in self._shaped(list[Any], self._shaped(dict[str, Any], page)["results"]):
                yield self._shaped(shape, row)

    def pages(self, path: str, query: Mapping[str, Query]) -> Iterator[Any]:
        """The answers of a list, page by page."""
        asked = dict(query)
        seen = set[str]()
        while True:
            page = self.get(path, **asked)
            yield page
            if not page["next"]:
                return
            # Only its query is taken: behind a proxy the server may not know its own address, and the token
            # goes to no other.
            further: dict[str, list[str]] = {}
            next_query = _query_of(page["next"])
            self._require_new(next_query, seen, path)
            for name, value in parse_qsl(next_query, keep_blank_values=True):
                further.setdefault(name, []).append(value)
            asked = {**further}

    @contextmanager
    def download(self, path: str, **query: Query) -> Iterator[Download]:
        """A file of any size, piece by piece. A connection that breaks off raises ServerUnable."""
        with self.send("GET", path, query=query) as answer:
            yield answer

    @contextmanager
    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Query],
        body: Mapping[str, Any] | None = None,
        key: str = "",
    ) -> Iterator[Download]:
        """Any request and its answer of any size, piece by piece; ``key`` is an Idempotency-Key of one's own.

        A request that shows a secret takes no key: it is sent once more without the random one.
        """
        request: dict[str, Any] = {"params": _asked(query), "is_streamed": True}
        if body is not None:
            request["json"] = dict(body)
        headers = {"Idempotency-Key": key} if key else {}
        with self._telling():
            try:
                answer = self._call(method, path, headers=headers, **request)
            except Refused as refusal:
                if refusal.code != KEY_REFUSED or key:
                    raise
                answer = self._call(method, path, is_repeatable=False, **request)
            try:
                length = answer.headers.get("content-length", "")
                # What is packed on the way has another length than what comes out of it.
                is_known = length.isdigit() and "content-encoding" not in answer.headers
                yield Download(
                    int(length) if is_known else None,
                    answer.headers.get("etag", ""),
                    self._bounded(answer, DOWNLOAD_BYTES),
                    answer.headers.get("content-type", "").partition(";")[0].strip().lower(),
                )
            finally:
                answer.close()

    @contextmanager
    def events(self, path: str, last_id: str = "", **query: Query) -> Iterator[Iterator[ServerEvent] | None]:
        """Server-sent events as they come, from after ``last_id``; None if there will be no more.

        The iterator ends when the stream does, for whatever reason; then it is time to ask again.
        """
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
        timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S)
        request = {"params": _asked(query), "headers": headers, "timeout": timeout}
        with self._telling(), self._http.stream("GET", path, **request) as answer:
            if answer.status_code == 204:
                yield None
                return
            self._require_packed(answer)
            if not answer.is_success:
                self._refuse(self._read(answer))
            yield events_of(_until_broken(answer.iter_bytes()), last_id)

    def _call(self, method: str, path: str, *, is_streamed: bool = False, **request: Any) -> httpx.Response:
        """One request and its answer, perhaps after some tries."""
        headers = dict(request.pop("headers", None) or {})
        is_repeatable = request.pop("is_repeatable", True)
        if method == "POST" and is_repeatable:
            headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        # A DELETE that was carried out, its answer lost, would be refused when it comes again.
        tries = TRIES if is_repeatable and method != "DELETE" else 1
        for tried in range(1, tries + 1):
            pause_s = PAUSE_S * 2 ** (tried - 1)
            try:
                with self._telling():
                    ready = self._http.build_request(method, path, headers=headers, **request)
                    answer = self._http.send(ready, stream=True)
                    self._require_packed(answer)
                    if not is_streamed or not answer.is_success:
                        answer = self._read(answer)
            except ServerUnable as error:
                if tried == tries or not isinstance(error.__cause__, httpx.TransportError):
                    raise
            else:
                if answer.is_success or (answer.status_code == 304 and "If-None-Match" in headers):
                    return answer
                wait_s = retry_after_s(answer)
                if not _is_passing(answer) or tried == tries or wait_s > self.longest_wait_s:
                    self._refuse(answer)
                pause_s = max(pause_s, wait_s)
            self.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def _read(self, answer: httpx.Response) -> httpx.Response:
        """The answer with its whole body, unpacked.

        Raises:
            ServerUnable: it has more than ``ANSWER_BYTES``.
        """
        try:
            body = b"".join(self._bounded(answer, ANSWER_BYTES))
        finally:
            answer.close()
        headers = [
            (name, value)
            for name, value in answer.headers.multi_items()
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        ]
        return httpx.Response(answer.status_code, headers=headers, content=body, request=answer.request)

    def _bounded(self, answer: httpx.Response, most_bytes: int) -> Iterator[bytes]:
        """Its body, unpacked, up to so many bytes."""
        count = 0
        for chunk in answer.iter_bytes():
            count += len(chunk)
            if count > most_bytes:
                raise ServerUnable(
                    f"{self.url} answers with more than {most_bytes >> 20} MiB: check the address"
                )
            yield chunk

    def _require_packed(self, answer: httpx.Response) -> None:
        """Refuse an answer packed in another way than was asked for."""
        packed = answer.headers.get("content-encoding", "identity")
        if packed not in ("identity", "gzip"):
            answer.close()
            raise ServerUnable(
                f"{self.url} answers packed as {quoted(packed)}, which nobody asked for: check the address"
            )

    def _require_new(self, page: str, seen: set[str], path: str) -> None:
        """Refuse a list that has a page twice, or too many of them."""
        if page in seen:
            raise _unlike(self.url, f"the pages of {path} name {quoted(page)} twice as the next one")
        seen.add(page)
        if len(seen) >= PAGES_MOST:
            raise _unlike(self.url, f"{path} has more than {PAGES_MOST} pages")

    @contextmanager
    def _telling(self) -> Iterator[None]:
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
            return answer.json(object_hook=lambda values: _Fields(values, self.url))
        except (ValueError, RecursionError):
            self._not_ours(answer)

    def _shaped(self, shape: type[Row], found: Any) -> Row:
        """An answer that is to have this shape. Only looked at is that it is an object, or a list, of objects
        where they are to be some: a server of another release may send more fields or fewer.
        """
        kind = get_origin(shape) or shape
        if kind is list:
            rows = shape.__args__[0]  # type: ignore[attr-defined]
            if not isinstance(found, list):
                raise _unlike(self.url, "it is no list")
            if rows is not Any:
                for row in found:
                    self._shaped(rows, row)
        elif not isinstance(found, dict):
            raise _unlike(self.url, "it is no object")
        shaped: Row = found
        return shaped

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
        problem = problem_of(answer)
        if problem is None:
            if status in (*OVERLOADED, 500):
                raise ServerUnable(f"{self.url} cannot answer now ({status}): try again later")
            self._not_ours(answer)
        code, detail = problem["code"], problem_text(problem)
        if status == 401:
            words = f"{detail} Log in again with: rensho login {self.url}"
            if self.token_variable:
                words = f"{detail} It comes from {self.token_variable}: change that variable or unset it"
            if not self.has_token:
                words = f"you are not logged in to {self.url}: rensho login {self.url}"
            raise NotLoggedIn(words, status, code, problem)
        if status == 423:
            raise SealedYet(detail, status, code, problem)
        if status == 429:
            wait_s = retry_after_s(answer)
            raise ServerUnable(f"too many requests for {self.url}: try again in {wait_s or 'a few'} s", code)
        if status >= 500:
            raise ServerUnable(f"{self.url}: {detail} ({status})", code)
        raise Refused(detail, status, code, problem)


def _unlike(url: str, what: str) -> ServerUnable:
    """The error of an answer in JSON that is not what one of ours is."""
    return ServerUnable(
        f"{url} answers, but not as a Rensho server of this release ({what}): check the address, and that "
        "rensho here and the server are of the same release"
    )


def _query_of(address: object) -> str:
    try:
        return urlsplit(str(address)).query
    except ValueError:
        return ""


def _asked(query: Mapping[str, Query]) -> Any:
    """A query as it is sent; None where none is given: an empty one would take away the address's own."""
    given = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in query.items()
        if value is not None
    }
    return given or None


def _until_broken(chunks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from chunks
    except httpx.TransportError:
        return


def _is_passing(answer: httpx.Response) -> bool:
    """Whether the same request may be answered in a while."""
    if answer.status_code == 409:
        problem = problem_of(answer)
        return problem is not None and problem["code"] == IN_PROGRESS
    return answer.status_code in OVERLOADED or answer.status_code == 429


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether an error of this kind is behind another."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, kind):
            return True
        at = at.__cause__ or at.__context__
    return False


def _first_words(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:QUOTED_CHARACTERS]
