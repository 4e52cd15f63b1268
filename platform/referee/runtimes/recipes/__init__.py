"""Recipes of the runtimes, one module each, with a ``RUNTIME``, found by ``referee.runtimes``.

Source: docs/runtimes.md#adding-a-runtime.
"""
