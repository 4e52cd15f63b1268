"""Imports what the runtime does not have."""

import tensorflow  # noqa: F401
