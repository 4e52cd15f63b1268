"""Feature descriptor of integrity."""

from __future__ import annotations

from arena.common.features import Feature
from arena.features.integrity.ingest import sets_mark_due
from arena.features.integrity.tasks import reports_request

INTEGRITY = Feature(
    name="integrity",
    urls="arena.features.integrity.urls",
    api_urls="arena.features.integrity.api_urls",
    tick=[reports_request],
    results_changed=sets_mark_due,
)
