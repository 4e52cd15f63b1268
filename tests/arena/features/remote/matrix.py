"""Who may open which page of remote bots, and do what with them over the API."""

from __future__ import annotations

from arena.features.remote.models import RemoteBot, RemoteInvitation
from tests.arena.api.roles import ALL, Row, by
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished
from tests.arena.web import roles as pages
from tests.factories import aya, ben

OWNER = pages.by(pages.SIGN_IN, 403, aya=pages.DONE)
"""Not even staff may answer for a bot."""
PAGES: list[pages.Page] = [
    ("GET", "/remote", pages.ALL),
    ("GET", "/remote/ladders/kakeya4", pages.ALL),
    ("GET", "/remote/bots/{remote_bot}", pages.ALL),
    ("POST", "/remote/bots/{remote_bot}/unpause", OWNER),
    ("POST", "/remote/bots/{remote_bot}/retire", OWNER),
    ("POST", "/remote/bots/{remote_bot}/invite", pages.by(pages.SIGN_IN, 404)),
    ("POST", "/remote/invitations/{remote_invitation}/accept", pages.by(pages.SIGN_IN, 404, aya=pages.DONE)),
    ("POST", "/remote/invitations/{remote_invitation}/decline", pages.by(pages.SIGN_IN, 404, aya=pages.DONE)),
    ("GET", "/remote/tables/{remote_table}", pages.ALL),
    ("GET", "/remote/tables/{live_remote_table}", pages.ALL),
    ("POST", "/remote/bots/{remote_bot}/play", pages.by(pages.SIGN_IN, 400)),
    ("POST", "/remote/tables/{live_remote_table}/act", pages.by(pages.SIGN_IN, 404)),
    ("GET", "/remote/tables/{live_remote_table}/events", pages.by(404, 404)),
]

ROWS: list[Row] = [
    ("GET remote bots", "remote/bots", {}, ALL),
    ("POST remote bots", "remote/bots", {"name": "far", "game": "kakeya"}, by(401, 201)),
    ("GET remote bot", "remote/bots/{remote_bot}", {}, ALL),
    ("POST remote unpause", "remote/bots/{remote_bot}/unpause", {}, by(401, 403, aya=200)),
    ("POST remote retire", "remote/bots/{remote_bot}/retire", {}, by(401, 403, aya=200)),
    ("GET versions of a remote bot", "remote/bots/{remote_bot}/versions", {}, ALL),
    (
        "POST versions of a remote bot",
        "remote/bots/{remote_bot}/versions",
        {"label": "x"},
        by(401, 403, aya=201),
    ),
    ("GET remote versions", "remote/versions", {}, ALL),
    ("GET remote version", "remote/versions/{remote_version}", {}, ALL),
    ("GET remote stream without a version", "remote/stream", {}, by(401, 400)),
    ("POST alive of no version", "remote/alive", {"version": "none", "generation": 1}, by(401, 404)),
    ("GET live remote table", "remote/tables/{live_remote_table}", {}, by(404, 404, aya=200, sota=200)),
    ("GET remote table", "remote/tables/{remote_table}", {}, ALL),
    (
        "POST answers",
        "remote/tables/{live_remote_table}/answers",
        {"id": "00", "action": "7C"},
        by(401, 404, aya=409),
    ),
    ("GET remote invitations", "remote/invitations", {}, by(401, 200)),
    (
        "POST remote invitations",
        "remote/invitations",
        {"inviting": "{remote_version}", "invited": "{remote_version}", "preset": "kakeya4"},
        by(401, 403, aya=409),
    ),
    ("GET remote invitation", "remote/invitations/{remote_invitation}", {}, by(401, 404, aya=200, ben=200)),
    (
        "POST decline of a remote invitation",
        "remote/invitations/{remote_invitation}/decline",
        {},
        by(401, 404, aya=200, ben=200),
    ),
    (
        "POST accept of a remote invitation",
        "remote/invitations/{remote_invitation}/accept",
        {},
        by(401, 404, aya=409, ben=403),
    ),
    ("GET remote ladder", "remote/ladders/kakeya4", {}, ALL),
]


def page_things() -> dict[str, str]:
    """A connected bot of Aya's with a table in play and a finished one."""
    bot: RemoteBot = a_bot(aya(), "Kaede")
    version = connected(a_version(bot, label="first"), ladder="kakeya4")
    over = finished(a_table([version]), 1.5)
    other = a_version(a_bot(ben(), "Momiji"))
    invitation = RemoteInvitation.objects.create(inviting=other, invited=version, preset="kakeya4")
    return {
        "remote_invitation": invitation.public_id,
        "remote_bot": bot.public_id,
        "remote_table": over.public_id,
        "live_remote_table": a_table([version]).public_id,
    }


def things(names: dict[str, str]) -> dict[str, str]:
    """A connected bot of Aya's with a table in play and a finished one."""
    bot = a_bot(aya())
    version = connected(a_version(bot), ladder="kakeya4")
    other = a_version(a_bot(ben()))
    invitation = RemoteInvitation.objects.create(inviting=other, invited=version, preset="kakeya4")
    return {
        "remote_invitation": invitation.public_id,
        "remote_bot": bot.public_id,
        "remote_version": version.public_id,
        "remote_table": finished(a_table([version]), 1.5).public_id,
        "live_remote_table": a_table([version]).public_id,
    }
