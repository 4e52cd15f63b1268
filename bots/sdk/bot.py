"""The loop of a bot: ``rensho/1`` over standard input and output."""

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
    """A player. Derive, give it a ``name``, write ``act``, call ``run``.

    ``skip_forced = True`` asks the referee not to send requests with one legal action;
    ``events = True`` asks for ``on_event``.
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
        """The answer to one request: one of ``request.legal``, or an ``Answer`` with remarks."""
        raise NotImplementedError(f"{type(self).__name__} has no act(self, request): write it")

    def on_hello(self, hello: Hello) -> None:
        """Called once before the first request; ``self.hello`` is set. Start-up time is on the clock."""

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Called for every event, if ``events`` is true, before the request it came with."""

    def on_bye(self) -> None:
        """Called when the table is over."""

    @property
    def hello(self) -> Hello:
        """What the referee said first.

        Raises:
            ProtocolError: it has not said it yet.
        """
        if self._hello is None:
            raise ProtocolError("no hello has come yet: use self.hello from on_hello() on")
        return self._hello

    @property
    def rng(self) -> Random:
        """A generator for the whole table, seeded by hello's ``rng``; ``request.rng`` is one a request."""
        if self._rng is None:
            self._rng = seeded(self.hello.rng)
        return self._rng

    @property
    def parameters(self) -> Mapping[str, float]:
        """The numbers below ``[parameters]`` of the bot's ``rensho.toml`` by name, whole ones as int.

        At an event these are the defaults; ``rensho play --param`` and ``rensho tune`` vary them. Read once,
        when first asked for, from the folder of the file that has ``act``, or the next one above it.

        Raises:
            ProtocolError: there is no ``rensho.toml`` there.
        """
        if self._parameters is None:
            from bots.sdk.parameters import parameters_beside

            self._parameters = parameters_beside(type(self).act.__code__.co_filename)
        return self._parameters

    @property
    def is_over(self) -> bool:
        """Whether the referee has said bye."""
        return self._is_over

    def log(self, *parts: object) -> None:
        """Write a line to the bot's log (standard error), which its owner can read."""
        sys.stderr.write(" ".join(map(str, parts)) + "\n")
        sys.stderr.flush()

    def reply_to(self, line: bytes | str) -> bytes | None:
        """The line that answers one line of the referee, without line feed; None if it wants no answer.

        This is the whole bot without its pipes: a test can call it directly.

        Raises:
            ProtocolError: the line is no JSON object, or ``act`` returned something else than an action.
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
        """Answer until bye or end of input, then return.

        ``print`` goes to the log meanwhile, so that it cannot spoil the protocol. An exception of
        ``act`` ends the bot, with its traceback in the log: the verdict is CRASHED.
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
