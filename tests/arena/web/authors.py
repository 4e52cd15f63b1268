"""What tests of authors' pages share: archives, and what their forms are sent with."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.accounts.models import User
from arena.roster.models import Bot, BotVersion
from tests.arena.web.forms import once_in, page_of

MANIFEST = b'name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n'
PROGRAM = b"print('a bot')\n"
HOSTILE = '"></textarea><script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe'


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of these files, by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def upload(data: bytes = b"", name: str = "kita.zip") -> SimpleUploadedFile:
    """An archive as a browser sends it; a good one if nothing is said."""
    return SimpleUploadedFile(name, data or zipped({"rensho.toml": MANIFEST, "main.py": PROGRAM}))


def submit_form(client: Client, bot: Bot, **fields: Any) -> dict[str, Any]:
    """What the page for an archive would be sent with."""
    page = page_of(client.get(f"/bots/{bot.public_id}/submit"))
    return {"bundle": upload(), "notes": "", "once": once_in(page), **fields}


def write_form(client: Client, bot: Bot, source: str, **fields: Any) -> dict[str, Any]:
    """What the editor would be sent with."""
    page = page_of(client.get(f"/bots/{bot.public_id}/write"))
    hidden = {
        name: page.partition(f'name="{name}" value="')[2].partition('"')[0] for name in ("base", "newest")
    }
    return {"source": source, "notes": "", "once": once_in(page), **hidden, **fields}


def versions(user: User) -> list[BotVersion]:
    """All versions of an account, oldest first."""
    return list(BotVersion.objects.filter(bot__owner__user=user).order_by("pk"))
