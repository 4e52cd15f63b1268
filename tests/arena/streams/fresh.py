"""A hub of its own for a test."""

from __future__ import annotations

import pytest

from arena.streams import live
from arena.streams.changes import TournamentSource
from arena.streams.events import EventSource
from arena.streams.hub import Hub


def no_interval(seconds: float) -> float:
    return 0.0


def fresh_hub(monkeypatch: pytest.MonkeyPatch, poll_s: float = 0.01, heartbeat_s: float = 5) -> Hub:
    """Put a new hub in the place of the process' own until the test is over."""
    tournaments, log = TournamentSource(no_interval), EventSource()
    hub = Hub((tournaments, log), poll_s=poll_s, heartbeat_s=heartbeat_s)
    monkeypatch.setattr(live, "tournaments", tournaments)
    monkeypatch.setattr(live, "log", log)
    monkeypatch.setattr(live, "hub", hub)
    return hub
