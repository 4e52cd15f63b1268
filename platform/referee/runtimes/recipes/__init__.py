"""Recipes of the runtimes, one module each, with a ``RUNTIME``. ``referee.runtimes`` discovers them.

A new runtime edits no other file. Source: docs/runtimes.md#adding-a-runtime.
"""
