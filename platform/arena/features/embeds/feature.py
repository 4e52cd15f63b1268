"""Feature descriptor of embeds."""

from __future__ import annotations

from arena.common.features import Feature

EMBEDS = Feature(name="embeds", urls="arena.features.embeds.urls")
