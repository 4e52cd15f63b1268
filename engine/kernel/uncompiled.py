"""Replacement of the module ``cython`` where the kernel runs uncompiled and Cython is not installed."""

from __future__ import annotations

from contextlib import nullcontext

nogil = nullcontext()
