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
    MAX_QUOTED_CHARS,
    NotLoggedIn,
    Refused,
    ServerUnavailable,
    StillSealed,
    parse_problem,
    problem_text,
)
from bots.kit.client.retry_after import retry_after_s
from bots.kit.client.sse import ServerEvent, parse_events
from bots.kit.errors import InvalidInput
from engine.refusals import quoted

CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 30.0
STREAM_TIMEOUT_S = 45.0
"""Longest silence of a stream; the server says something every 15 s."""
MAX_TRIES = 3
"""How often a request that may be repeated is sent before giving up."""
RETRY_DELAY_S = 0.5
"""Before the second try; twice that before the third."""
MAX_RETRY_AFTER_S = 30
"""A server that wants us to wait longer is taken to have said no."""
PAGE_SIZE = 200
MAX_PAGES = 10_000
"""Of one list."""
MAX_ANSWER_BYTES = 128 << 20
"""Of one answer, unpacked; twice the largest record."""
MAX_DOWNLOAD_BYTES = 16 << 30
"""Of one file, unpacked; twice the records that an export may hold."""
OVERLOADED = (502, 503, 504)
MAX_CACHED_ANSWERS = 256
MAX_CACHED_BYTES = 1 << 16
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


class _CachedAnswer(NamedTuple):
    etag: str
    answer: httpx.Response


class _AnswerObject(dict[str, Any]):
    """An object of an answer. A field that it lacks is a fault of the server, and not of who reads it.

    That goes for ``[]`` alone: a shape may have fields that only some servers send, asked for with ``get``.
    """

    def __init__(self, values: Mapping[str, Any], url: str) -> None:
        super().__init__(values)
        self._url = url

    def __missing__(self, name: str) -> NoReturn:
        raise _unexpected_answer(self._url, f"it lacks {quoted(name)}")


class Transport:
    """HTTP requests to the API of one server, with the token of one account or without a token.

    Every method raises Refused if the server rejects the request, and ServerUnavailable if it does not
    answer.
    Requests are retried after a broken connection and when the server is overloaded, if a repetition is
    harmless: all
    but DELETE. A POST carries an Idempotency-Key. Waits as long as Retry-After asks, up to
    ``longest_wait_s``.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        token_variable: str = "",
        longest_wait_s: float = MAX_RETRY_AFTER_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.has_token = bool(token)
        self.token_variable = token_variable
        """The variable of the environment that the token comes from; empty if from none."""
        self.longest_wait_s = longest_wait_s
        self.sleep = sleep
        self._cache: OrderedDict[str, _CachedAnswer] = OrderedDict()
        self._http = httpx.Client(
            base_url=f"{url}{API}/",
            # What gzip unpacks is at most a thousand times as long; other methods have no such bound.
            headers={"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})},
            timeout=httpx.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
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
        url = str(self._http.build_request("GET", path, params=_query_parameters(query)).url)
        kept = self._cache.get(url)
        headers = {"If-None-Match": kept.etag} if kept else {}
        answer = self._request("GET", path, params=_query_parameters(query), headers=headers)
        if answer.status_code == 304 and kept:
            self._cache.move_to_end(url)
            return self._decoded(kept.answer)
        etag = answer.headers.get("etag", "")
        if etag and len(answer.content) <= MAX_CACHED_BYTES:
            self._cache[url] = _CachedAnswer(etag, answer)
            while len(self._cache) > MAX_CACHED_ANSWERS:
                self._cache.popitem(last=False)
        return self._decoded(answer)

    def fetch(self, shape: type[Row], path: str, **query: Query) -> Row:
        """One thing; ``shape`` says what it is, an object or a list."""
        return self._require_shape(shape, self.get(path, **query))

    def fetch_with_rows(self, shape: type[Row], path: str, rows_name: str, **query: Query) -> Row:
        """One thing with all its rows: those that did not fit into the first answer come in further ones."""
        found: Any = self.fetch(shape, path, **query)
        seen = set[str]()
        while first := found.get("next_first"):
            self._require_new_page(str(first), seen, path)
            part: Any = self.fetch(shape, path, **query, first=first)
            found[rows_name] += part[rows_name]
            found["next_first"] = part.get("next_first")
        thing: Row = found
        return thing

    def post_typed(
        self, shape: type[Row], path: str, body: Mapping[str, Any] | None = None, **query: Query
    ) -> Row:
        """Make a request, carried out once however often it is sent; gives its answer in this shape."""
        return self._require_shape(shape, self.post(path, body, **query))

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Query) -> Any:
        """Make a request, carried out once however often it is sent; gives its answer."""
        return self._decoded(
            self._request("POST", path, json=dict(body or {}), params=_query_parameters(query))
        )

    def patch(self, shape: type[Row], path: str, body: Mapping[str, Any]) -> Row:
        """Set fields, and give the answer in this shape."""
        return self._require_shape(shape, self._decoded(self._request("PATCH", path, json=dict(body))))

    def delete(self, path: str) -> None:
        self._request("DELETE", path)

    def upload(self, shape: type[Row], path: str, field: str, name: str, data: bytes, **fields: str) -> Row:
        """Send a file in a form, once however often it is sent; gives the answer in this shape."""
        answer = self._request("POST", path, files={field: (name, data)}, data=fields)
        return self._require_shape(shape, self._decoded(answer))

    def content(self, path: str, **query: Query) -> bytes:
        """The bytes of a small file."""
        return self._request("GET", path, params=_query_parameters(query)).content

    def content_if_changed(self, path: str, etag: str, **query: Query) -> tuple[bytes, str] | None:
        """The bytes of a small file and its ETag; None if it is the one with this ETag."""
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._request("GET", path, params=_query_parameters(query), headers=headers)
        return None if answer.status_code == 304 else (answer.content, answer.headers.get("etag", ""))

    def rows(self, shape: type[Row], path: str, **query: Query) -> Iterator[Row]:
        """Every row of a list, page by page; ``shape`` says what a row is."""
        for page in self.pages(path, {"page_size": PAGE_SIZE, **query}):
            for row in self._require_shape(list[Any], self._require_shape(dict[str, Any], page)["results"]):
                yield self._require_shape(shape, row)

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
            self._require_new_page(next_query, seen, path)
            for name, value in parse_qsl(next_query, keep_blank_values=True):
                further.setdefault(name, []).append(value)
            asked = {**further}

    @contextmanager
    def download(self, path: str, **query: Query) -> Iterator[Download]:
        """A file of any size, piece by piece. A connection that breaks off raises ServerUnavailable."""
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
        request: dict[str, Any] = {"params": _query_parameters(query), "is_streamed": True}
        if body is not None:
            request["json"] = dict(body)
        headers = {"Idempotency-Key": key} if key else {}
        with self._translate_errors():
            try:
                answer = self._request(method, path, headers=headers, **request)
            except Refused as refusal:
                if refusal.code != KEY_REFUSED or key:
                    raise
                answer = self._request(method, path, is_repeatable=False, **request)
            try:
                length = answer.headers.get("content-length", "")
                # What is packed on the way has another length than what comes out of it.
                is_known = length.isdigit() and "content-encoding" not in answer.headers
                yield Download(
                    int(length) if is_known else None,
                    answer.headers.get("etag", ""),
                    self._limited_chunks(answer, MAX_DOWNLOAD_BYTES),
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
        timeout = httpx.Timeout(STREAM_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        request = {"params": _query_parameters(query), "headers": headers, "timeout": timeout}
        with self._translate_errors(), self._http.stream("GET", path, **request) as answer:
            if answer.status_code == 204:
                yield None
                return
            self._require_encoding(answer)
            if not answer.is_success:
                self._raise_refusal(self._read_body(answer))
            yield parse_events(_until_broken(answer.iter_bytes()), last_id)

    def _request(
        self, method: str, path: str, *, is_streamed: bool = False, **request: Any
    ) -> httpx.Response:
        """One request and its answer, perhaps after some tries."""
        headers = dict(request.pop("headers", None) or {})
        is_repeatable = request.pop("is_repeatable", True)
        if method == "POST" and is_repeatable:
            headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        # A DELETE that was carried out, its answer lost, would be refused when it comes again.
        tries = MAX_TRIES if is_repeatable and method != "DELETE" else 1
        for tried in range(1, tries + 1):
            pause_s = RETRY_DELAY_S * 2 ** (tried - 1)
            try:
                with self._translate_errors():
                    ready = self._http.build_request(method, path, headers=headers, **request)
                    answer = self._http.send(ready, stream=True)
                    self._require_encoding(answer)
                    if not is_streamed or not answer.is_success:
                        answer = self._read_body(answer)
            except ServerUnavailable as error:
                if tried == tries or not isinstance(error.__cause__, httpx.TransportError):
                    raise
            else:
                if answer.is_success or (answer.status_code == 304 and "If-None-Match" in headers):
                    return answer
                wait_s = retry_after_s(answer)
                if not _is_transient(answer) or tried == tries or wait_s > self.longest_wait_s:
                    self._raise_refusal(answer)
                pause_s = max(pause_s, wait_s)
            self.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def _read_body(self, answer: httpx.Response) -> httpx.Response:
        """The answer with its whole body, unpacked.

        Raises:
            ServerUnavailable: it has more than ``MAX_ANSWER_BYTES``.
        """
        try:
            body = b"".join(self._limited_chunks(answer, MAX_ANSWER_BYTES))
        finally:
            answer.close()
        headers = [
            (name, value)
            for name, value in answer.headers.multi_items()
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        ]
        return httpx.Response(answer.status_code, headers=headers, content=body, request=answer.request)

    def _limited_chunks(self, answer: httpx.Response, most_bytes: int) -> Iterator[bytes]:
        count = 0
        for chunk in answer.iter_bytes():
            count += len(chunk)
            if count > most_bytes:
                raise ServerUnavailable(
                    f"{self.url} answers with more than {most_bytes >> 20} MiB: check the address"
                )
            yield chunk

    def _require_encoding(self, answer: httpx.Response) -> None:
        """Refuse an answer packed in another way than was asked for."""
        packed = answer.headers.get("content-encoding", "identity")
        if packed not in ("identity", "gzip"):
            answer.close()
            raise ServerUnavailable(
                f"{self.url} answers packed as {quoted(packed)}, which nobody asked for: check the address"
            )

    def _require_new_page(self, page: str, seen: set[str], path: str) -> None:
        """Refuse a list that has a page twice, or too many of them."""
        if page in seen:
            raise _unexpected_answer(
                self.url, f"the pages of {path} name {quoted(page)} twice as the next one"
            )
        seen.add(page)
        if len(seen) >= MAX_PAGES:
            raise _unexpected_answer(self.url, f"{path} has more than {MAX_PAGES} pages")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turns what goes wrong on the way into one sentence."""
        try:
            yield
        except httpx.TimeoutException as error:
            raise ServerUnavailable(f"{self.url} did not answer in time: try again later") from error
        except httpx.TransportError as error:
            if _has_cause(error, ssl.SSLError):
                raise ServerUnavailable(
                    f"the connection to {self.url} is not safe ({_first_line(error)}): check the address; "
                    "for a server with a certificate of its own, name its file in SSL_CERT_FILE"
                ) from None  # without a passing cause: trying again would not help
            raise ServerUnavailable(
                f"cannot reach {self.url} ({_first_line(error)}): "
                "check the address, and that the server is up"
            ) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InvalidInput(f"{self.url} is no address of a server: {error}") from None

    def _decoded(self, answer: httpx.Response) -> Any:
        if answer.status_code == 204:
            return None
        try:
            return answer.json(object_hook=lambda values: _AnswerObject(values, self.url))
        except (ValueError, RecursionError):
            self._raise_other_server(answer)

    def _require_shape(self, shape: type[Row], found: Any) -> Row:
        """An answer that is to have this shape. Only looked at is that it is an object, or a list, of objects
        where they are to be some: a server of another release may send more fields or fewer.
        """
        kind = get_origin(shape) or shape
        if kind is list:
            rows = shape.__args__[0]  # type: ignore[attr-defined]
            if not isinstance(found, list):
                raise _unexpected_answer(self.url, "it is no list")
            if rows is not Any:
                for row in found:
                    self._require_shape(rows, row)
        elif not isinstance(found, dict):
            raise _unexpected_answer(self.url, "it is no object")
        shaped: Row = found
        return shaped

    def _raise_other_server(self, answer: httpx.Response) -> NoReturn:
        raise ServerUnavailable(
            f"{self.url} answers, but not as a Rensho server ({answer.status_code} "
            f"{answer.headers.get('content-type', 'without content')}): check the address"
        )

    def _raise_refusal(self, answer: httpx.Response) -> NoReturn:
        """Raises what an answer that is no success means."""
        status = answer.status_code
        if 300 <= status < 400:
            target = answer.headers.get("location", "another address")
            raise ServerUnavailable(f"{self.url} has moved to {target}: log in there with rensho login")
        problem = parse_problem(answer)
        if problem is None:
            if status in (*OVERLOADED, 500):
                raise ServerUnavailable(f"{self.url} cannot answer now ({status}): try again later")
            self._raise_other_server(answer)
        code, detail = problem["code"], problem_text(problem)
        if status == 401:
            words = f"{detail} Log in again with: rensho login {self.url}"
            if self.token_variable:
                words = f"{detail} It comes from {self.token_variable}: change that variable or unset it"
            if not self.has_token:
                words = f"you are not logged in to {self.url}: rensho login {self.url}"
            raise NotLoggedIn(words, status, code, problem)
        if status == 423:
            raise StillSealed(detail, status, code, problem)
        if status == 429:
            wait_s = retry_after_s(answer)
            raise ServerUnavailable(
                f"too many requests for {self.url}: try again in {wait_s or 'a few'} s", code
            )
        if status >= 500:
            raise ServerUnavailable(f"{self.url}: {detail} ({status})", code)
        raise Refused(detail, status, code, problem)


def _unexpected_answer(url: str, what: str) -> ServerUnavailable:
    """The error of an answer in JSON that is not what one of ours is."""
    return ServerUnavailable(
        f"{url} answers, but not as a Rensho server of this release ({what}): check the address, and that "
        "rensho here and the server are of the same release"
    )


def _query_of(address: object) -> str:
    try:
        return urlsplit(str(address)).query
    except ValueError:
        return ""


def _query_parameters(query: Mapping[str, Query]) -> Any:
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


def _is_transient(answer: httpx.Response) -> bool:
    if answer.status_code == 409:
        problem = parse_problem(answer)
        return problem is not None and problem["code"] == IN_PROGRESS
    return answer.status_code in OVERLOADED or answer.status_code == 429


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, kind):
            return True
        at = at.__cause__ or at.__context__
    return False


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:MAX_QUOTED_CHARS]
