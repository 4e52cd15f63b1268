"""The installation's secret key: made once, kept in the data folder, readable by its owner only."""

import os
import secrets
from pathlib import Path


def secret_key_of(data: Path) -> str:
    """The key kept in ``data``, made now if there is none; two processes that start at once agree on one.

    Raises:
        SystemExit: the data folder cannot be used. Every command comes here first, so the operator
            reads this one sentence and no traceback.
    """
    path = data / "secret_key"
    try:
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
    except OSError as error:
        raise SystemExit(
            f"rensho: the data folder {data} cannot be used ({error.strerror}: {error.filename}). "
            "Give it to the user who runs this, or set RENSHO_DATA to another folder."
        ) from None
