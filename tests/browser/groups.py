"""The two processes in which the tests of the pages run side by side, each with a site and a browser."""

from __future__ import annotations

import pytest

FIRST = pytest.mark.xdist_group("browser-1")
SECOND = pytest.mark.xdist_group("browser-2")
"""They take about as long: whoever adds much to one looks at both."""
