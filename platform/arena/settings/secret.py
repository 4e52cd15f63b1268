"""The installation's secret key: ``SECRET_KEY``, or a key generated once in the data folder, readable by its
owner only.
"""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from arena.common.durable import file_sync, folder_sync
from arena.settings.secret_files import secret_of

VARIABLE = "SECRET_KEY"
FALLBACKS = "SECRET_KEY_FALLBACKS"
MAX_FALLBACKS = 5
"""Maximum earlier keys; each is tried for values that the current key did not sign."""
MIN_CHARACTERS = 24
"""Minimum length of the key. Anybody who guesses it can sign in as any account."""


def configured_secret_key(environment: Mapping[str, str]) -> str:
    """Return ``SECRET_KEY``; empty if unset. Raise ``SystemExit`` if it is too short or cannot be read."""
    key = secret_of(environment, VARIABLE)
    if key and len(key) < MIN_CHARACTERS:
        raise SystemExit(
            f"rensho: {VARIABLE} has {len(key)} characters; at least {MIN_CHARACTERS} are required. "
            "Generate one: openssl rand -hex 32. Or leave it out to generate one in the data folder."
        )
    return key


def secret_key_fallbacks_of(environment: Mapping[str, str]) -> list[str]:
    """Return earlier keys that are still accepted, the newest first, or raise ``SystemExit``."""
    keys = secret_of(environment, FALLBACKS).replace(",", " ").split()
    if len(keys) > MAX_FALLBACKS:
        raise SystemExit(f"rensho: {FALLBACKS} has {len(keys)} keys; at most {MAX_FALLBACKS} are allowed.")
    for number, key in enumerate(keys, 1):
        if len(key) < MIN_CHARACTERS:
            raise SystemExit(
                f"rensho: {FALLBACKS}: key {number} has {len(key)} characters; keys have at least "
                f"{MIN_CHARACTERS}. Write earlier values of {VARIABLE}, separated by commas."
            )
    return keys


def load_or_create_secret_key(data: Path) -> str:
    """Return the key in ``data``, created if missing. Concurrent processes get the same key.

    Raises:
        SystemExit: the data folder is unusable, or the file is not a key. Every command reads the settings
        first, so the
            operator sees this message without a traceback.
    """
    path = data / "secret_key"
    try:
        if not path.exists():
            data.mkdir(parents=True, exist_ok=True)
            own = path.with_name(f"secret_key.{os.getpid()}")
            own.touch(mode=0o600)
            own.write_text(secrets.token_urlsafe(48))
            file_sync(own)
            try:
                os.link(own, path)
            except FileExistsError:
                pass
            finally:
                own.unlink()
            folder_sync(data)
        key = path.read_text().strip()
    except UnicodeDecodeError:
        raise SystemExit(f"rensho: {path} is not text. {_replacement_advice(path)}") from None
    except OSError as error:
        raise SystemExit(
            f"rensho: the data folder {data} cannot be used ({error.strerror}: {error.filename}). "
            "Give it to the user who runs this, or set RENSHO_DATA to another folder."
        ) from None
    if len(key) < MIN_CHARACTERS:
        raise SystemExit(
            f"rensho: {path} has {len(key)} characters; at least {MIN_CHARACTERS} are required. "
            f"{_replacement_advice(path)}"
        )
    return key


def _replacement_advice(path: Path) -> str:
    """Return how to replace an unusable key."""
    return (
        f"Replace the key: openssl rand -hex 32 > {path}. Or remove the file to generate a new one. "
        "Both sign out all accounts."
    )
