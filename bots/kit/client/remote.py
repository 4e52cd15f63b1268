"""API calls: remote bots, their stream of requests, and their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from bots.kit.client.transport import Transport

ANSWER_TIMEOUT_S = 10.0
"""Maximum seconds until the server confirms an answer, after which it is sent again."""
SILENCE_S = 25.0
"""Maximum seconds without a line of the stream; the server sends a heartbeat every 10 s."""


class RemoteCalls(Transport):
    def remote_bots(self, *, owner: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield remote bots, newest first."""
        return self.rows(dict[str, Any], "remote/bots", owner=owner)

    def remote_bot_create(self, name: str, game: str) -> dict[str, Any]:
        return self.post_typed(dict[str, Any], "remote/bots", {"name": name, "game": game})

    def remote_versions(self, bot_id: str) -> Iterator[dict[str, Any]]:
        """Yield the versions of a remote bot, newest first."""
        return self.rows(dict[str, Any], f"remote/bots/{bot_id}/versions")

    def remote_version_create(self, bot_id: str, label: str) -> dict[str, Any]:
        return self.post_typed(dict[str, Any], f"remote/bots/{bot_id}/versions", {"label": label})

    def remote_table(self, table_id: str) -> dict[str, Any]:
        return self.fetch(dict[str, Any], f"remote/tables/{table_id}")

    @contextmanager
    def remote_stream(
        self,
        version: str,
        *,
        tables: int,
        ladder: str | None,
        is_slow: bool,
        accept: Sequence[str],
    ) -> Iterator[Iterator[str]]:
        """Open the stream of a version. Its lines end when the connection does.

        Raise ``ServerUnavailable`` without a line for ``SILENCE_S``.
        """
        with self.lines(
            "remote/stream",
            SILENCE_S,
            version=version,
            tables=tables,
            ladder=ladder or None,
            slow=is_slow or None,
            accept=",".join(accept) or None,
        ) as lines:
            yield lines

    def remote_answer(self, table_id: str, answer: Mapping[str, Any]) -> None:
        """Send an answer, once. The caller repeats it after ``ServerUnavailable``: the server accepts the
        same answer twice.
        """
        self._request_once(f"remote/tables/{table_id}/answers", answer)

    def remote_alive(self, version: str, generation: int) -> None:
        """Report, once, that the client of a stream is alive."""
        self._request_once("remote/alive", {"version": version, "generation": generation})

    def _request_once(self, path: str, body: Mapping[str, Any]) -> None:
        self._request("POST", path, json=dict(body), is_repeatable=False, timeout=ANSWER_TIMEOUT_S)
