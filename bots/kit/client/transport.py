"""HTTP requests to the API of one server, with retries, caching and error messages."""

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
from bots.kit.client.sse import ServerEvent, parse_events, parse_lines
from bots.kit.errors import InvalidInput
from engine.refusals import quoted

CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 30.0
STREAM_TIMEOUT_S = 45.0
"""Maximum seconds without data on an event stream; the server sends a heartbeat every 15 s."""
MAX_TRIES = 3
RETRY_DELAY_S = 0.5
"""Seconds before the second try; doubled before each further try."""
MAX_RETRY_AFTER_S = 30
"""Maximum Retry-After that is waited for, in seconds."""
PAGE_SIZE = 200
MAX_PAGES = 10_000
MAX_ANSWER_BYTES = 128 << 20
"""Maximum bytes of an uncompressed answer: twice the largest record."""
MAX_DOWNLOAD_BYTES = 16 << 30
"""Maximum bytes of an uncompressed file: twice the records of an export."""
OVERLOADED = (502, 503, 504)
MAX_CACHED_ANSWERS = 256
MAX_CACHED_BYTES = 1 << 16
"""Maximum bytes of a cached answer. Callers store records themselves."""
IN_PROGRESS = "idempotency_key_in_progress"
KEY_REFUSED = "idempotency_key_unsupported"

Query = str | int | bool | Sequence[str] | None
"""Value of a query parameter. None omits it, a sequence repeats it."""
Row = TypeVar("Row")

logging.getLogger("httpx").setLevel(logging.WARNING)  # one line per request would hide the output


class Download(NamedTuple):
    length_bytes: int | None
    etag: str
    chunks: Iterator[bytes]
    kind: str = ""
    """Media type without parameters; empty for an answer without a body."""


class _CachedAnswer(NamedTuple):
    etag: str
    answer: httpx.Response


class _AnswerObject(dict[str, Any]):
    """JSON object of an answer; subscription of a missing field raises ServerUnavailable."""

    def __init__(self, values: Mapping[str, Any], url: str) -> None:
        super().__init__(values)
        self._url = url

    def __missing__(self, name: str) -> NoReturn:
        raise _unexpected_answer(self._url, f"the field {quoted(name)} is missing")


class Transport:
    """HTTP requests to the API of one server, with the token of one account or without a token.

    Raises Refused if the server rejects the request, ServerUnavailable if it does not answer. Requests except
    DELETE are retried after a broken connection and when the server is overloaded, up to
    ``max_retry_after_s``; a POST carries an Idempotency-Key.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        token_variable: str = "",
        max_retry_after_s: float = MAX_RETRY_AFTER_S,
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.has_token = bool(token)
        self.token_variable = token_variable
        """Environment variable of the token, or empty."""
        self.max_retry_after_s = max_retry_after_s
        self.sleep = sleep
        self._cache: OrderedDict[str, _CachedAnswer] = OrderedDict()
        self._http = httpx.Client(
            base_url=f"{url}{API}/",
            # gzip expands at most a thousandfold; other encodings are not bounded.
            headers={"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})},
            timeout=httpx.Timeout(answer_timeout_s, connect=min(answer_timeout_s, CONNECT_TIMEOUT_S)),
            trust_env=not is_loopback(url),
            # Loading certificates takes longer than most requests, and http on this machine needs none.
            verify=not (is_loopback(url) and url.startswith("http:")),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, /, **query: Query) -> Any:
        """Return the JSON of a GET request. Answers with an ETag are cached and revalidated."""
        url = str(self._http.build_request("GET", path, params=_query_parameters(query)).url)
        cached = self._cache.get(url)
        headers = {"If-None-Match": cached.etag} if cached else {}
        answer = self._request("GET", path, params=_query_parameters(query), headers=headers)
        if answer.status_code == 304 and cached:
            self._cache.move_to_end(url)
            return self._decoded(cached.answer)
        etag = answer.headers.get("etag", "")
        if etag and len(answer.content) <= MAX_CACHED_BYTES:
            self._cache[url] = _CachedAnswer(etag, answer)
            while len(self._cache) > MAX_CACHED_ANSWERS:
                self._cache.popitem(last=False)
        return self._decoded(answer)

    def fetch(self, shape: type[Row], path: str, **query: Query) -> Row:
        """Return the object or list of a GET request, checked against ``shape``."""
        return self._require_shape(shape, self.get(path, **query))

    def fetch_with_rows(self, shape: type[Row], path: str, rows_name: str, **query: Query) -> Row:
        """Return an object with all its rows; further rows are fetched with further requests."""
        document: Any = self.fetch(shape, path, **query)
        seen_pages = set[str]()
        while first := document.get("next_first"):
            self._require_new_page(str(first), seen_pages, path)
            part: Any = self.fetch(shape, path, **query, first=first)
            document[rows_name] += part[rows_name]
            document["next_first"] = part.get("next_first")
        thing: Row = document
        return thing

    def post_typed(
        self, shape: type[Row], path: str, body: Mapping[str, Any] | None = None, **query: Query
    ) -> Row:
        """Send an idempotent POST and return its answer, checked against ``shape``."""
        return self._require_shape(shape, self.post(path, body, **query))

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Query) -> Any:
        """Send an idempotent POST and return the JSON of its answer."""
        return self._decoded(
            self._request("POST", path, json=dict(body or {}), params=_query_parameters(query))
        )

    def patch(self, shape: type[Row], path: str, body: Mapping[str, Any]) -> Row:
        return self._require_shape(shape, self._decoded(self._request("PATCH", path, json=dict(body))))

    def delete(self, path: str) -> None:
        self._request("DELETE", path)

    def upload(self, shape: type[Row], path: str, field: str, name: str, data: bytes, **fields: str) -> Row:
        """Send a file as multipart form data with an idempotent POST."""
        answer = self._request("POST", path, files={field: (name, data)}, data=fields)
        return self._require_shape(shape, self._decoded(answer))

    def content(self, path: str, **query: Query) -> bytes:
        """Return the body of a small file."""
        return self._request("GET", path, params=_query_parameters(query)).content

    def content_if_changed(self, path: str, etag: str, **query: Query) -> tuple[bytes, str] | None:
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._request("GET", path, params=_query_parameters(query), headers=headers)
        return None if answer.status_code == 304 else (answer.content, answer.headers.get("etag", ""))

    def rows(self, shape: type[Row], path: str, **query: Query) -> Iterator[Row]:
        """Yield the rows of a paginated list, each checked against ``shape``."""
        for page in self.pages(path, {"page_size": PAGE_SIZE, **query}):
            for row in self._require_shape(list[Any], self._require_shape(dict[str, Any], page)["results"]):
                yield self._require_shape(shape, row)

    def pages(self, path: str, query: Mapping[str, Query]) -> Iterator[Any]:
        parameters = dict(query)
        seen_pages = set[str]()
        while True:
            page = self.get(path, **parameters)
            yield page
            if not page["next"]:
                return
            # Only its query is taken: behind a proxy the server may not know its own address, and the token
            # goes to no other.
            further: dict[str, list[str]] = {}
            next_query = _query_of(page["next"])
            self._require_new_page(next_query, seen_pages, path)
            for name, value in parse_qsl(next_query, keep_blank_values=True):
                further.setdefault(name, []).append(value)
            parameters = {**further}

    @contextmanager
    def download(self, path: str, **query: Query) -> Iterator[Download]:
        """Open a file of any size. A broken connection raises ServerUnavailable."""
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
        """Send any request and stream its answer. ``key`` is an Idempotency-Key.

        Requests that reveal a secret accept no key: they are sent again without the random key.
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
                # The length of a compressed body is not that of its content.
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
        """Open a stream of server-sent events after ``last_id``; None if there will be no more events.

        The iterator ends when the connection does. The caller then opens the stream again.
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

    @contextmanager
    def lines(self, path: str, silence_s: float, **query: Query) -> Iterator[Iterator[str]]:
        """Open a stream of lines, which end when the connection does.

        Raise ``ServerUnavailable`` after ``silence_s`` without data.
        """
        timeout = httpx.Timeout(silence_s, connect=CONNECT_TIMEOUT_S)
        request = {"params": _query_parameters(query), "timeout": timeout}
        with self._translate_errors(), self._http.stream("GET", path, **request) as answer:
            self._require_encoding(answer)
            if not answer.is_success:
                self._raise_refusal(self._read_body(answer))
            yield parse_lines(answer.iter_bytes())

    def _request(
        self, method: str, path: str, *, is_streamed: bool = False, **request: Any
    ) -> httpx.Response:
        headers = dict(request.pop("headers", None) or {})
        is_repeatable = request.pop("is_repeatable", True)
        if method == "POST" and is_repeatable:
            headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        # The retry of a DELETE whose answer was lost would be rejected.
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
                if not _is_transient(answer) or tried == tries or wait_s > self.max_retry_after_s:
                    self._raise_refusal(answer)
                pause_s = max(pause_s, wait_s)
            self.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def _read_body(self, answer: httpx.Response) -> httpx.Response:
        """Return the answer with its uncompressed body of at most ``MAX_ANSWER_BYTES``."""
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

    def _limited_chunks(self, answer: httpx.Response, max_bytes: int) -> Iterator[bytes]:
        count = 0
        for chunk in answer.iter_bytes():
            count += len(chunk)
            if count > max_bytes:
                raise ServerUnavailable(
                    f"the answer of {self.url} has more than {max_bytes >> 20} MiB: check the address"
                )
            yield chunk

    def _require_encoding(self, answer: httpx.Response) -> None:
        """Reject an answer with a content encoding that was not requested."""
        packed = answer.headers.get("content-encoding", "identity")
        if packed not in ("identity", "gzip"):
            answer.close()
            raise ServerUnavailable(
                f"{self.url} uses the content encoding {quoted(packed)}, which was not requested: "
                "check the address"
            )

    def _require_new_page(self, page: str, seen_pages: set[str], path: str) -> None:
        """Reject a list that repeats a page or has too many pages."""
        if page in seen_pages:
            raise _unexpected_answer(self.url, f"{path} repeats the page {quoted(page)}")
        seen_pages.add(page)
        if len(seen_pages) >= MAX_PAGES:
            raise _unexpected_answer(self.url, f"{path} has more than {MAX_PAGES} pages")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Translate errors of httpx into errors of the kit with a remedy."""
        try:
            yield
        except httpx.TimeoutException as error:
            raise ServerUnavailable(f"{self.url} did not answer in time: try again later") from error
        except httpx.TransportError as error:
            if _has_cause(error, ssl.SSLError):
                raise ServerUnavailable(
                    f"the connection to {self.url} is not safe ({_first_line(error)}): check the address; "
                    "for a private certificate, name its file in SSL_CERT_FILE"
                ) from None  # without a transport error as its cause: a retry would not help
            raise ServerUnavailable(
                f"cannot reach {self.url} ({_first_line(error)}): "
                "check the address, and that the server is up"
            ) from error
        except RuntimeError as error:
            if not self._http.is_closed:
                raise
            raise ServerUnavailable("the connection was closed by another thread") from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InvalidInput(f"{self.url} is not a server address: {error}") from None

    def _decoded(self, answer: httpx.Response) -> Any:
        if answer.status_code == 204:
            return None
        try:
            return answer.json(object_hook=lambda values: _AnswerObject(values, self.url))
        except (ValueError, RecursionError):
            self._raise_other_server(answer)

    def _require_shape(self, shape: type[Row], value: Any) -> Row:
        """Check that an answer is an object or a list, not its fields, which depend on the release."""
        kind = get_origin(shape) or shape
        if kind is list:
            rows = shape.__args__[0]  # type: ignore[attr-defined]
            if not isinstance(value, list):
                raise _unexpected_answer(self.url, "it is not a list")
            if rows is not Any:
                for row in value:
                    self._require_shape(rows, row)
        elif not isinstance(value, dict):
            raise _unexpected_answer(self.url, "it is not an object")
        shaped: Row = value
        return shaped

    def _raise_other_server(self, answer: httpx.Response) -> NoReturn:
        raise ServerUnavailable(
            f"{self.url} is not a Rensho server ({answer.status_code} "
            f"{answer.headers.get('content-type', 'without content')}): check the address"
        )

    def _raise_refusal(self, answer: httpx.Response) -> NoReturn:
        """Raise the error that an unsuccessful answer means."""
        status = answer.status_code
        if 300 <= status < 400:
            target = answer.headers.get("location", "another address")
            raise ServerUnavailable(f"{self.url} has moved to {target}: log in to it with rensho login")
        problem = parse_problem(answer)
        if problem is None:
            if status in (*OVERLOADED, 500):
                raise ServerUnavailable(f"{self.url} cannot answer now ({status}): try again later")
            self._raise_other_server(answer)
        code, detail = problem["code"], problem_text(problem)
        if status == 401:
            message = f"{detail} Log in again with: rensho login {self.url}"
            if self.token_variable:
                message = (
                    f"{detail} The token comes from {self.token_variable}: change that variable or unset it"
                )
            if not self.has_token:
                message = f"you are not logged in to {self.url}: rensho login {self.url}"
            raise NotLoggedIn(message, status, code, problem)
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


def _unexpected_answer(url: str, reason: str) -> ServerUnavailable:
    return ServerUnavailable(
        f"{url} gave an unexpected answer ({reason}): check the address, and that rensho and the server "
        "have the same release"
    )


def _query_of(address: object) -> str:
    try:
        return urlsplit(str(address)).query
    except ValueError:
        return ""


def _query_parameters(query: Mapping[str, Query]) -> Any:
    """Return the parameters, or None: an empty dictionary would delete the query of the URL."""
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
    current: BaseException | None = error
    while current is not None:
        if isinstance(current, kind):
            return True
        current = current.__cause__ or current.__context__
    return False


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:MAX_QUOTED_CHARS]
