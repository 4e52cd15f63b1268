"""Feature descriptor of remote bots."""

from __future__ import annotations

from arena.common.features import Feature

REMOTE = Feature(name="remote", urls="arena.features.remote.urls")
