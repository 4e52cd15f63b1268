"""The installation's secret key: made once, kept in the data folder, readable by its owner only."""

import os
import secrets
from pathlib import Path


def secret_key_of(data: Path) -> str:
    """The key kept in ``data``, made now if there is none; two processes that start at once agree on one."""
    path = data / "secret_key"
    if not path.exists():
        data.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f"secret_key.{os.getpid()}")
        own.touch(mode=0o600)
        own.write_text(secrets.token_urlsafe(48))
        try:
            os.link(own, path)
        except FileExistsError:
            pass
        finally:
            own.unlink()
    return path.read_text().strip()
