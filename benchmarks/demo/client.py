"""A caller of the HTTP API with one token. Knows nothing of the database."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

TIMEOUT_S = 30.0
STREAM_S = 60.0
"""Longest silence of a stream; the server gives a sign of life four times as often."""
logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every call would hide the output
EPOCH = (1980, 1, 1, 0, 0, 0)


class Refused(Exception):
    """The API said no, or could not be reached; the message is what it answered."""

    def __init__(self, message: str, status: int = 0, code: str = "") -> None:
        self.status = status
        self.code = code
        super().__init__(message)


class Client:
    """Calls the API of one site as the holder of one token; closes with its ``with`` block."""

    def __init__(self, url: str, token: str = "") -> None:
        self._token = token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(
            base_url=f"{url}api/v1/", headers=headers, timeout=TIMEOUT_S, trust_env=False
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def moved(self, url: str) -> Client:
        """The same caller of a site that has another address by now."""
        return Client(url, self._token)

    def get(self, path: str, **query: str) -> Any:
        """What the address answers, as plain values."""
        # None, not an empty mapping: that would drop the query an address of a next page brings along.
        return self._call("GET", path, params=query or None).json()

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request that changes something; returns the answer."""
        return self._call("POST", path, json=body or {}).json()

    def download(self, path: str) -> bytes:
        """The bytes of a file."""
        return self._call("GET", path).content

    def upload(self, bot: str, filename: str, data: bytes) -> dict[str, Any]:
        """Send a bundle as a new version of a bot."""
        answer = self._call("POST", f"bots/{bot}/versions", files={"bundle": (filename, data)}).json()
        assert isinstance(answer, dict)
        return answer

    def all(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        page = self.get(path, page_size="200", **query)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.get(page["next"])

    def changes(self, tournament: str) -> Iterator[str]:
        """The version of a tournament whenever it changes, until it is over."""
        path = f"tournaments/{tournament}/events"
        with self._http.stream("GET", path, timeout=STREAM_S) as answer:
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    yield line.removeprefix("id: ")

    def _call(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **kwargs)
        except httpx.HTTPError as error:
            raise Refused(f"{method} {path}: {error}") from error
        if answer.is_success:
            return answer
        try:
            problem = answer.json()
        except ValueError:
            problem = {}
        message = problem.get("detail") or problem.get("title") or answer.text[:200]
        raise Refused(
            f"{method} {path}: {answer.status_code} {message}",
            answer.status_code,
            str(problem.get("code", "")),
        )


def folder_zip(folder: Path) -> bytes:
    """A bot's folder as an archive; equal folders give equal bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = str(path.relative_to(folder))
                archive.writestr(zipfile.ZipInfo(name, EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
