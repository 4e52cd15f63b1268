"""What integrity gives to the core."""

from __future__ import annotations

from arena.common.features import Feature
from arena.features.integrity.reading import sets_changed
from arena.features.integrity.tasks import reports_ask

INTEGRITY = Feature(
    name="integrity",
    urls="arena.features.integrity.urls",
    api_urls="arena.features.integrity.api_urls",
    tick=[reports_ask],
    results_changed=sets_changed,
)
