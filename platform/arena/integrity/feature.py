"""What integrity gives to the core."""

from __future__ import annotations

from arena.common.features import Feature
from arena.integrity.reading import sets_changed
from arena.integrity.tasks import reports_ask

INTEGRITY = Feature(name="integrity", tick=[reports_ask], results_changed=sets_changed)
