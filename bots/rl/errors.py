"""Errors of environments. Each message has one line and names the culprit and the remedy.

RlError              an argument or an action cannot be used
└── MissingExtra     a library of the extra ``rl`` is not installed

Names of environments and policy files raise ``layouts.LayoutError``.
"""

from __future__ import annotations


class RlError(ValueError):
    pass


class MissingExtra(RlError, ImportError):
    pass
