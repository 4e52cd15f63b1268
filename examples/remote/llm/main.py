"""A language model plays: any server with the route ``/chat/completions`` of OpenAI's API.

Set ``OPENAI_BASE_URL``, such as http://localhost:11434/v1, ``OPENAI_MODEL`` and, if the server needs one,
``OPENAI_API_KEY``. Only the standard library and Rensho's own packages are used.

The model gets the position as text and the legal actions with numbers. An unusable reply is explained to it
once; after that, the first legal action is played.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from bots.sdk import Answer, Bot, Request
from viewer.seat_view import seat_view_of

TIMEOUT_S = 60.0
"""Maximum seconds for a reply; less if the clock has less time."""
SHARE_OF_CLOCK = 0.3
"""Maximum share of the remaining time that one reply may take."""
MIN_TIMEOUT_S = 2.0
MAX_REPLY_BYTES = 1 << 20
MAX_REPEATED_CHARS = 2000
"""Maximum characters of an unusable reply that the model gets back with the reason."""
QUOTED_CHARS = 200
START_TIMEOUT_S = 100.0
"""Maximum seconds for the first reply, before which the server may have to load the model."""
BUSY = (408, 429)
"""Statuses below 500 that another request may not get."""
SYSTEM = (
    "You play a card game. You get the rules in short, the position, and numbered actions. "
    "Think briefly, then end your reply with the line: ACTION: <number>"
)
RULES = {
    "kakeya": "Kakeya is a trick-taking game for pairs with 52 cards. Follow suit if you can. The highest "
    "trump, or else the highest card of the suit led, wins the trick; one card, the Rensho, beats all. "
    "Your pair wins stones by capturing pictures (A K Q J) in tricks.",
    "kakkuri": "Kakkuri is a shedding game. Play single cards or triples whose value equals or follows the "
    "value on the table by one; 2D and AC are wild. The first player without cards wins the pot.",
}
_ACTION = re.compile(r"ACTION\W{0,5}(\d{1,4})", re.IGNORECASE)


class Unusable(Exception):
    """The server gave no usable reply. The message is for the log and, if it was a reply, for the model."""


class Refused(Unusable):
    """No reply is to be expected from this address, with this model and key."""


class Reply(NamedTuple):
    text: str
    tokens: int


class LanguageModel:
    """Client of ``/chat/completions``."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        url = environment.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise SystemExit(
                f"OPENAI_BASE_URL is {url!r}: write an address such as http://localhost:11434/v1"
            )
        self.url = f"{url}/chat/completions"
        self.model = environment.get("OPENAI_MODEL", "")
        if not self.model:
            raise SystemExit("OPENAI_MODEL is not set: name a model of the server")
        key = environment.get("OPENAI_API_KEY", "")
        self._headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }

    def reply(self, messages: Sequence[Mapping[str, str]], timeout_s: float) -> Reply:
        """Return the reply to a conversation. Raise ``Unusable`` after ``timeout_s`` or for another error."""
        # No limit of tokens: it would cut the thoughts of a model, and servers have two names for it.
        body = {"model": self.model, "messages": list(messages)}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), self._headers)
        outcome: queue.SimpleQueue[bytes | Unusable] = queue.SimpleQueue()
        # In a thread, since the timeout of a socket limits each read, but not a reply that drips.
        arguments = (request, timeout_s, outcome)
        threading.Thread(target=_fetch, args=arguments, daemon=True).start()
        try:
            data = outcome.get(timeout=timeout_s)
        except queue.Empty:
            raise Unusable(f"the server did not answer within {timeout_s:.0f} s") from None
        if isinstance(data, Unusable):
            raise data
        try:
            document = json.loads(data)
            text = document["choices"][0]["message"]["content"]
            usage = document.get("usage")
            tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            raise Unusable("the server's reply is not a chat completion") from None
        if not isinstance(text, str):
            raise Unusable("the reply has no text")
        return Reply(text, tokens if isinstance(tokens, int) else 0)

    def check(self) -> None:
        """Ask for a short reply. Raise ``SystemExit`` if the server refuses it or cannot be reached."""
        try:
            self.reply([{"role": "user", "content": "Reply with the line: ACTION: 1"}], START_TIMEOUT_S)
        except Refused as error:
            raise SystemExit(
                f"{self.url}: {error}. Check OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"
            ) from None
        except Unusable as error:
            print(f"first reply: {error}", file=sys.stderr)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are errors: they would carry the key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _fetch(
    request: urllib.request.Request, timeout_s: float, outcome: queue.SimpleQueue[bytes | Unusable]
) -> None:
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=timeout_s) as response:
            data = response.read(MAX_REPLY_BYTES + 1)
        is_small = len(data) <= MAX_REPLY_BYTES
        outcome.put(data if is_small else Unusable(f"the reply has more than {MAX_REPLY_BYTES} bytes"))
    except urllib.error.HTTPError as error:
        kind = Refused if error.code < 500 and error.code not in BUSY else Unusable
        outcome.put(kind(f"the server answered {error.code}: {_detail(error, request)!r}"))
    except urllib.error.URLError as error:
        outcome.put(Refused(f"no connection to the server: {type(error.reason).__name__}"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        outcome.put(Unusable(f"the server did not answer: {type(error).__name__}"))


def _detail(error: urllib.error.HTTPError, request: urllib.request.Request) -> str:
    """Return the beginning of an error's text, without the key, which a server may repeat."""
    text = ""
    with suppress(OSError, http.client.HTTPException):
        text = error.read(MAX_REPEATED_CHARS).decode(errors="replace")
    key = (request.get_header("Authorization") or "").removeprefix("Bearer ")
    return (text.replace(key, "***") if key else text)[:QUOTED_CHARS]


def position_text(request: Request) -> str:
    """Return the position as the viewer describes it, with the finished tricks or plays."""
    observation = request.observation
    seats = range(1, int(observation["seats"]) + 1)
    names = {seat: f"seat {seat}" for seat in seats if seat != observation["seat"]}
    view = seat_view_of(observation, legal=request.legal, names=names)
    hand, table, _ = view.spoken
    lines = [f"You are seat {observation['seat']} of {observation['seats']}.", hand, table]
    if observation["game"] == "kakeya":
        lines += [
            f"Your partner is seat {observation['partner']}.",
            f"Trumps: {observation['trump']}. Rensho: {observation['rensho']}.",
        ]
        for trick in observation["tricks"]:
            lines.append(
                f"Trick of seat {trick['winner']}, led by seat {trick['leader']}: {' '.join(trick['cards'])}"
            )
    else:
        hand_sizes = ", ".join(f"seat {seat} {count}" for seat, count in observation["hand_sizes"].items())
        lines.append(f"Cards in hand: {hand_sizes}. Stones in the pot: {observation['pot']}.")
        lines += [f"Seat {seat} played {meld}." for seat, meld in observation["plays"]]
    lines.append("Your actions:")
    for number, action in enumerate(request.legal, 1):
        lines.append(f"{number}. {view.choice_names.get(action, action)} ({action})")
    return "\n".join(lines)


def chosen_number(text: str, count: int) -> int:
    """Return the last number after ``ACTION``. Raise ``Unusable`` if there is none from 1 to ``count``."""
    numbers = _ACTION.findall(text)
    if not numbers:
        raise Unusable(f"Your reply has no line such as ACTION: 1. It ended with {text[-QUOTED_CHARS:]!r}.")
    number = int(numbers[-1])
    if not 1 <= number <= count:
        raise Unusable(f"{number} is not one of the actions 1 to {count}.")
    return number


class LanguageModelBot(Bot):
    name = "language-model"
    skip_forced = True

    def __init__(self, model: LanguageModel | None = None) -> None:
        super().__init__()
        self.model = model or LanguageModel(os.environ)
        self.tokens = self.retries = self.fallbacks = 0

    def act(self, request: Request) -> Answer:
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"{RULES[request.observation['game']]}\n\n{position_text(request)}"},
        ]
        timeout_s = self._timeout_s(request)
        for is_retry in (False, True):
            self.retries += is_retry
            text = ""
            try:
                text, tokens = self.model.reply(messages, timeout_s)
                self.tokens += tokens
                number = chosen_number(text, len(request.legal))
                return Answer(request.legal[number - 1], debug=self._counts())
            except Unusable as error:
                self.log(f"{request.id}: {error}")
                if text:
                    messages += [
                        {"role": "assistant", "content": text[-MAX_REPEATED_CHARS:]},
                        {"role": "user", "content": f"{error} Choose again, with the line ACTION: <number>"},
                    ]
        self.fallbacks += 1
        return Answer(request.legal[0], debug=f"first legal action; {self._counts()}")

    def on_bye(self) -> None:
        self.log(self._counts())

    def _timeout_s(self, request: Request) -> float:
        left_s = float(request.message["clock"]["bank_ms"]) / 1000
        return max(min(TIMEOUT_S, SHARE_OF_CLOCK * left_s), MIN_TIMEOUT_S)

    def _counts(self) -> str:
        return f"{self.tokens} tokens, {self.retries} retries, {self.fallbacks} fallbacks"


if __name__ == "__main__":
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    bot = LanguageModelBot()
    bot.model.check()
    bot.run()
