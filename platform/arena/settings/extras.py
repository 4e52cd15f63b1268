"""Optional packages: a setting that needs one names the extra that installs it."""

from __future__ import annotations

import importlib.util


def require_extra(module: str, variable: str, extra: str) -> None:
    """Raise SystemExit if the module that a setting needs is not installed."""
    try:
        is_installed = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a parent package
        is_installed = False
    if not is_installed:
        raise SystemExit(
            f"rensho: {variable} is set, but {module.partition('.')[0]} is not installed. Run "
            f"make setup EXTRAS=1 or pip install 'rensho[{extra}]', or remove the setting."
        )
