"""All tournament formats: every module in this folder that has a ``FORMAT``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from league.errors import FormatError
from league.stage import Format


@cache
def all_formats() -> dict[str, Format]:
    formats: dict[str, Format] = {}
    for module in pkgutil.iter_modules(__path__):
        format_: Format = importlib.import_module(f"{__name__}.{module.name}").FORMAT
        formats[format_.key] = format_
    return dict(sorted(formats.items()))


@cache
def offered_formats() -> dict[str, Format]:
    """Return the formats that organisers may choose, by key, sorted."""
    return {key: format_ for key, format_ in all_formats().items() if format_.is_offered}


def format_named(key: str) -> Format:
    """Return the format with this key, or raise ``FormatError`` with a list of the keys."""
    formats = all_formats()
    if key not in formats:
        raise FormatError(f"unknown format {key!r}; formats: {', '.join(offered_formats())}")
    return formats[key]
