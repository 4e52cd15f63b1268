"""The formats there are: every module here that has a ``FORMAT``. Adding one edits nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from league.errors import FormatError
from league.stage import Format


@cache
def all_formats() -> dict[str, Format]:
    """Every format by key, sorted."""
    found: dict[str, Format] = {}
    for module in pkgutil.iter_modules(__path__):
        format_: Format = importlib.import_module(f"{__name__}.{module.name}").FORMAT
        found[format_.key] = format_
    return dict(sorted(found.items()))


@cache
def offered_formats() -> dict[str, Format]:
    """The formats that organisers may choose, by key, sorted."""
    return {key: format_ for key, format_ in all_formats().items() if format_.is_offered}


def format_named(key: str) -> Format:
    """The format of this key.

    Raises:
        FormatError: there is none; the message lists the keys.
    """
    formats = all_formats()
    if key not in formats:
        raise FormatError(f"unknown format {key!r}; formats: {', '.join(offered_formats())}")
    return formats[key]
