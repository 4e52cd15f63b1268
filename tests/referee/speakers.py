"""Bots without pipes for the in-process driver: honest ones, and one for each way to misbehave."""

from __future__ import annotations

import json
import random
import time


def encoded(message):
    return json.dumps(message).encode()


class Honest:
    """Plays what the referee would play in its place: DEFER, else the first legal action."""

    ready = {"type": "ready", "name": "honest", "events": False}

    def __init__(self):
        self.heard = []
        self.requests = 0

    def __call__(self, line):
        message = json.loads(line)
        self.heard.append(message)
        if message["type"] == "hello":
            return self.on_hello(message)
        if message["type"] == "request":
            self.requests += 1
            return self.on_request(message)
        return None

    def on_hello(self, hello):
        return encoded(self.ready)

    def on_request(self, request):
        return encoded({"id": request["id"], "action": self.choose(request)})

    def choose(self, request):
        return "DEFER" if "DEFER" in request["legal"] else request["legal"][0]


class Seeded(Honest):
    """Plays at random, as its hello and the request's id say: the same again at every attempt."""

    def on_hello(self, hello):
        self.rng = hello["rng"]
        return encoded(self.ready)

    def choose(self, request):
        return random.Random(self.rng + request["id"]).choice(request["legal"])


class Slowed(Seeded):
    """The same, slower, though within its time."""

    def on_request(self, request):
        time.sleep(0.001)
        return super().on_request(request)


class WithEvents(Honest):
    ready = {"type": "ready", "events": True}


class SkipsForced(Honest):
    ready = {"type": "ready", "skip_forced": True}


class Remarks(Honest):
    """Adds debug and policy to every answer."""

    def on_request(self, request):
        action = self.choose(request)
        policy = dict.fromkeys(request["legal"], 1 / len(request["legal"]))
        debug = "\x1b[31mthinking\x1b[0m " + "x" * 2000
        return encoded({"id": request["id"], "action": action, "debug": debug, "policy": policy})


class Sometimes(Honest):
    """Misbehaves at these of its requests, counted from 1, and is honest at all others."""

    def __init__(self, misbehave, *, at):
        super().__init__()
        self.misbehave = misbehave
        self.at = at

    def on_request(self, request):
        honest = super().on_request(request)
        return self.misbehave(request, honest) if self.requests in self.at else honest


def silent(request, honest):
    return None


def too_slow(request, honest):
    end = time.thread_time() + 0.06
    while time.thread_time() < end:
        pass
    return honest


def wrong_id(request, honest):
    return encoded({"id": "0" * 16, "action": request["legal"][0]})


def no_id(request, honest):
    return encoded({"action": request["legal"][0]})


def illegal_card(request, honest):
    deck = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
    return encoded({"id": request["id"], "action": next(c for c in deck if c not in request["legal"])})


def no_card(request, honest):
    return encoded({"id": request["id"], "action": "the best one"})


def garbage(request, honest):
    return b"I am thinking ..."


def chatty(request, honest):
    return b"let me see\n" + honest


def twice(request, honest):
    return honest + b"\n" + honest


def invalid_utf8(request, honest):
    return b'{"id": "\xff\xfe"}'


def endless_line(request, honest):
    return b"x" * 5000


def crash(request, honest):
    raise ValueError(f"no idea what to do with {request['id']}")


def leave(request, honest):
    raise SystemExit(0)


class NotReady(Honest):
    """Answers hello with this instead of ready."""

    def __init__(self, reply):
        super().__init__()
        self.reply = reply

    def on_hello(self, hello):
        return self.reply


class Heard:
    """A bot whose every line is kept."""

    def __init__(self, speak):
        self.speak = speak
        self.lines = []

    def __call__(self, line):
        self.lines.append(line)
        return self.speak(line)
