"""The recipes of runtimes: each module here exports a ``RUNTIME``. Adding one edits nothing else.

``referee.runtimes`` finds them. Source: docs/runtimes.md#adding-a-runtime.
"""
