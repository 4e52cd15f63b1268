"""The protocol loop of a bot: ``rensho/1`` over standard input and output."""

from __future__ import annotations

import sys

from bots.sdk.errors import ProtocolError
from bots.sdk.lines import decoded, encoded
from bots.sdk.messages import Hello, Request, answer_of, seeded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random
    from typing import Any, BinaryIO  # Any: fields of decoded JSON have no narrower type

    from bots.sdk.messages import Answer

PROTOCOL = 1
QUOTED_CHARACTERS = 200


class Bot:
    """Base class of a bot. Subclasses set ``name`` and define ``act``; the program calls ``run``.

    ``skip_forced = True`` asks the referee not to send requests with one legal action; ``events = True``
    asks for events, which ``on_event`` receives.
    """

    name = "bot"
    events = False
    skip_forced = False

    def __init__(self) -> None:
        self._hello: Hello | None = None
        self._ruleset: Mapping[str, Any] = {}
        self._rng: Random | None = None
        self._parameters: Mapping[str, float] | None = None
        self._is_over = False

    def act(self, request: Request) -> str | Answer:
        """Return the answer to a request: one of ``request.legal``, or an ``Answer`` with remarks."""
        raise NotImplementedError(f"{type(self).__name__} has no act(self, request): write it")

    def on_hello(self, hello: Hello) -> None:
        """Prepare for a table: called once before the first request, with ``self.hello`` set, within the
        start time.
        """

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Receive an event, before the request that it came with; called only if ``events`` is true."""

    def on_bye(self) -> None:
        """Clean up: called when the table is over."""

    @property
    def hello(self) -> Hello:
        """The first message of the referee. Raise ``ProtocolError`` if it has not arrived yet."""
        if self._hello is None:
            raise ProtocolError("no hello has come yet: use self.hello from on_hello() on")
        return self._hello

    @property
    def rng(self) -> Random:
        """A generator for the whole table, seeded by hello's ``rng``; ``request.rng`` is one per request."""
        if self._rng is None:
            self._rng = seeded(self.hello.rng)
        return self._rng

    @property
    def parameters(self) -> Mapping[str, float]:
        """The ``[parameters]`` of the bot's ``rensho.toml`` by name; whole numbers are int.

        In tournaments, these are the defaults; ``rensho play --param`` and ``rensho tune`` vary them. The
        file is read once, on first use, from the folder of the module that defines ``act`` or the nearest
        folder above it. Raise ``ProtocolError`` if there is none.
        """
        if self._parameters is None:
            from bots.sdk.parameters import parameters_beside

            self._parameters = parameters_beside(type(self).act.__code__.co_filename)
        return self._parameters

    @property
    def is_over(self) -> bool:
        return self._is_over

    def log(self, *parts: object) -> None:
        """Write a line to standard error: the bot's log, which its owner can read."""
        sys.stderr.write(" ".join(map(str, parts)) + "\n")
        sys.stderr.flush()

    def reply_to(self, line: bytes | str) -> bytes | None:
        """Return the reply to a line of the referee, without line feed; None if the line needs no reply.

        This is the complete bot without its pipes, for tests. Raise ``ProtocolError`` if the line is not a
        JSON object, or ``act`` did not return an action.
        """
        try:
            message = decoded(line)
            kind = message.get("type")
        except (ValueError, AttributeError):
            raise ProtocolError(
                f"not a JSON object: {line[:QUOTED_CHARACTERS]!r}; the referee sends one object a line"
            ) from None
        if kind == "request":
            request = Request(message, self._ruleset)
            return encoded(answer_of(self.act(request), request).as_message(request.id))
        if kind == "event":
            self.on_event(message)
        elif kind == "hello":
            self._hello = Hello(message)
            self._ruleset = self._hello.ruleset
            self._rng = None
            if self._hello.protocol != PROTOCOL:
                raise ProtocolError(f"the referee speaks rensho/{self._hello.protocol}, this SDK rensho/1")
            self.on_hello(self._hello)
            ready = {
                "type": "ready",
                "name": self.name,
                "events": self.events,
                "skip_forced": self.skip_forced,
            }
            return encoded(ready)
        elif kind == "bye":
            self._is_over = True
            self.on_bye()
        return None

    def run(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Answer until bye or the end of input. ``print`` then writes to the log.

        An exception in ``act`` ends the bot with a traceback in the log and the verdict CRASHED.
        """
        source = sys.stdin.buffer if stdin is None else stdin
        sink = sys.stdout.buffer if stdout is None else stdout
        kept_stdout, sys.stdout = sys.stdout, sys.stderr
        try:
            while not self._is_over and (line := source.readline()):
                reply = self.reply_to(line)
                if reply is not None:
                    sink.write(reply + b"\n")
                    sink.flush()
        except BrokenPipeError:
            return
        finally:
            sys.stdout = kept_stdout
