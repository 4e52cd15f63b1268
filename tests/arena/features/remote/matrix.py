"""Who may open which page of remote bots."""

from __future__ import annotations

from arena.features.remote.models import RemoteBot
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished
from tests.arena.web import roles as pages
from tests.factories import aya

OWNER = pages.by(pages.SIGN_IN, 403, aya=pages.DONE)
"""Not even staff may answer for a bot."""
PAGES: list[pages.Page] = [
    ("GET", "/remote", pages.ALL),
    ("GET", "/remote/ladders/kakeya4", pages.ALL),
    ("GET", "/remote/bots/{remote_bot}", pages.ALL),
    ("POST", "/remote/bots/{remote_bot}/unpause", OWNER),
    ("POST", "/remote/bots/{remote_bot}/retire", OWNER),
    ("GET", "/remote/tables/{remote_table}", pages.ALL),
    ("GET", "/remote/tables/{live_remote_table}", pages.ALL),
]


def page_things() -> dict[str, str]:
    """A connected bot of Aya's with a table in play and a finished one."""
    bot: RemoteBot = a_bot(aya(), "Kaede")
    version = connected(a_version(bot, label="first"), ladder="kakeya4")
    over = finished(a_table([version]), 1.5)
    return {
        "remote_bot": bot.public_id,
        "remote_table": over.public_id,
        "live_remote_table": a_table([version]).public_id,
    }
