"""Secrets from files: each variable of ``SECRETS`` may be given as ``NAME_FILE``, the path of a file that has
its value.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

SECRETS = (
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "DATABASE_URL",
    "REDIS_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "RENSHO_EMAIL_URL",
    "RENSHO_METRICS",
    "RENSHO_OIDC_CLIENT_SECRET",
    "RENSHO_SENTRY_DSN",
)
MAX_SECRET_BYTES = 16_384


def file_variable(name: str) -> str:
    """Return the variable with the path of the file of a secret."""
    return f"{name}_FILE"


def secret_of(environment: Mapping[str, str], name: str) -> str:
    """Return a secret from its variable or from its file, without surrounding white space; empty if unset.

    A secret is one line. An empty variable is the same as none; an empty file is not.

    Raises:
        SystemExit: both are set, or the file cannot be used. The message does not contain the value.
    """
    value = environment.get(name, "").strip()
    variable = file_variable(name)
    path = environment.get(variable, "").strip()
    if not path:
        return value
    if value:
        raise SystemExit(f"rensho: {name} and {variable} are both set. Remove one of them.")
    try:
        text = _read(Path(path)).decode().strip()
        problem = "is empty" if not text else "" if text.isprintable() else "has more than one line"
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        problem = "is not UTF-8 text"
    except ValueError as error:
        problem = str(error)
    if problem:
        raise SystemExit(
            f"rensho: {variable}: {path[:200]!r} {problem}. Name a file that this user can read and that "
            f"contains only the value of {name}."
        )
    return text


def _read(path: Path) -> bytes:
    """Return the content of a regular file; a pipe or device could block, or have no end.

    Raises OSError, ValueError (with the rest of a sentence).
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("is not a regular file")
        content = file.read(MAX_SECRET_BYTES + 1)
    if len(content) > MAX_SECRET_BYTES:
        raise ValueError(f"has more than {MAX_SECRET_BYTES:,} bytes")
    return content
