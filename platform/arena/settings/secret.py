"""The installation's secret key: ``SECRET_KEY``, else one that is made once and kept in the data folder,
readable by its owner only."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from arena.common.durable import file_sync, folder_sync

VARIABLE = "SECRET_KEY"
MIN_CHARACTERS = 24
"""A shorter one could be guessed; whoever has it can sign in as anybody."""


def configured_secret_key(environment: Mapping[str, str]) -> str:
    """The key that ``SECRET_KEY`` names; empty: none.

    Raises:
        SystemExit: it is too short.
    """
    key = environment.get(VARIABLE, "").strip()
    if key and len(key) < MIN_CHARACTERS:
        raise SystemExit(
            f"rensho: {VARIABLE} has {len(key)} characters; {MIN_CHARACTERS} are the least. "
            "Make one: openssl rand -hex 32. Or leave it out: then one is made in the data folder."
        )
    return key


def load_or_create_secret_key(data: Path) -> str:
    """The key kept in ``data``, made now if there is none; two processes that start at once agree on one.

    Raises:
        SystemExit: the data folder cannot be used, or what is kept there is no key. Every command comes here
            first, so the operator reads this one sentence and no traceback.
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
        raise SystemExit(f"rensho: {path} is no text. {_replacement_advice(path)}") from None
    except OSError as error:
        raise SystemExit(
            f"rensho: the data folder {data} cannot be used ({error.strerror}: {error.filename}). "
            "Give it to the user who runs this, or set RENSHO_DATA to another folder."
        ) from None
    if len(key) < MIN_CHARACTERS:
        raise SystemExit(
            f"rensho: {path} has {len(key)} characters; {MIN_CHARACTERS} are the least. "
            f"{_replacement_advice(path)}"
        )
    return key


def _replacement_advice(path: Path) -> str:
    """How a key that cannot be used is replaced."""
    return (
        f"Put another in: openssl rand -hex 32 > {path}. Or remove the file: then one is made. "
        "Either signs everybody out."
    )
