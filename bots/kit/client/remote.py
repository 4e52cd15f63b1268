"""API calls: remote bots, their stream of requests, and their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from bots.kit.client.shapes import (
    Accepted,
    Alive,
    AliveIn,
    AnswerIn,
    RemoteBot,
    RemoteBotIn,
    RemoteTable,
    RemoteVersion,
    RemoteVersionIn,
)
from bots.kit.client.transport import Row, Transport

ANSWER_TIMEOUT_S = 10.0
"""Maximum seconds until the server confirms an answer, after which it is sent again."""
SILENCE_S = 25.0
"""Maximum seconds without a line of the stream; the server sends a heartbeat every 10 s."""


class RemoteCalls(Transport):
    def remote_bots(self, *, owner: str | None = None) -> Iterator[RemoteBot]:
        """Yield remote bots, newest first."""
        return self.rows(RemoteBot, "remote/bots", owner=owner)

    def remote_bot_create(self, fields: RemoteBotIn) -> RemoteBot:
        return self.post_typed(RemoteBot, "remote/bots", fields)

    def remote_versions(self, bot_id: str) -> Iterator[RemoteVersion]:
        """Yield the versions of a remote bot, newest first."""
        return self.rows(RemoteVersion, f"remote/bots/{bot_id}/versions")

    def remote_version_create(self, bot_id: str, fields: RemoteVersionIn) -> RemoteVersion:
        return self.post_typed(RemoteVersion, f"remote/bots/{bot_id}/versions", fields)

    def remote_table(self, table_id: str) -> RemoteTable:
        return self.fetch(RemoteTable, f"remote/tables/{table_id}")

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

    def remote_answer(self, table_id: str, answer: AnswerIn) -> Accepted:
        """Send an answer, once. The caller repeats it after ``ServerUnavailable``: the server accepts the
        same answer twice.
        """
        return self._post_once(Accepted, f"remote/tables/{table_id}/answers", answer)

    def remote_alive(self, fields: AliveIn) -> Alive:
        """Report, once, that the client of a stream is alive."""
        return self._post_once(Alive, "remote/alive", fields)

    def _post_once(self, shape: type[Row], path: str, body: Mapping[str, Any]) -> Row:
        answer = self._request("POST", path, json=dict(body), is_repeatable=False, timeout=ANSWER_TIMEOUT_S)
        return self._require_shape(shape, self._decoded(answer))
