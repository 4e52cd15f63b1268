"""The pages that the browser visits. A new page gets a row here; the tests do the rest.

The names in braces are facts of the site: ``{KEY}`` is an event, and ``{KEY}_set``, ``_fixture``, ``_table``
and ``_round`` (stage and number, ``1/2``) are of its first round. KEY is a preset (``kakeya4``, ``kakeya6``,
``etori_simple``, ``etori_meiji``, ``kakkuri2`` to ``kakkuri8``, with ``_league`` and ``_nakayoshi`` where
there are such, ``kakeya4_game`` and ``kakkuri_game`` for game boards) or an event of
``tests/browser/events.py``; ``sealed`` is the open round of ``running``.
"""

from __future__ import annotations

from typing import NamedTuple

STRANGER = ""
AUTHOR = "aya"
ORGANISER = "odo"
STAFF = "sota"


class Row(NamedTuple):
    """A page and who looks at it."""

    name: str
    address: str
    who: str = STRANGER
    status: int = 200
    """What the server answers with."""


PAGES = (
    Row("home", "/"),
    Row("home of an author", "/", AUTHOR),
    Row("tournaments", "/tournaments"),
    Row("draft", "/tournaments/{draft}", ORGANISER),
    Row("registration", "/tournaments/{registration}"),
    Row("registration for an author", "/tournaments/{registration}", AUTHOR),
    Row("locked", "/tournaments/{locked}"),
    Row("running", "/tournaments/{running}"),
    Row("running for its organiser", "/tournaments/{running}", ORGANISER),
    Row("paused", "/tournaments/{paused}"),
    Row("cancelled", "/tournaments/{cancelled}"),
    Row("large", "/tournaments/{large}"),
    Row("large standings", "/tournaments/{large}/standings"),
    Row("large standings, found", "/tournaments/{large}/standings?find=a"),
    Row("own standings", "/tournaments/{kakeya4}/standings?mine=1", AUTHOR),
    Row("large crosstable", "/tournaments/{large}/crosstable"),
    Row("crosstable of groups", "/tournaments/{groups}/crosstable?stage=1"),
    Row("large entries", "/tournaments/{large}/entries"),
    Row("large round", "/tournaments/{large}/rounds/{large_round}"),
    Row("knockout", "/tournaments/{elimination}"),
    Row("double elimination", "/tournaments/{double_elimination}"),
    Row("groups", "/tournaments/{groups}"),
    Row("movement", "/tournaments/{movement}"),
    Row("final", "/tournaments/{kakeya4}"),
    Row("final of three sides", "/tournaments/{kakeya6}"),
    Row("final of eight sides", "/tournaments/{kakkuri8}"),
    Row("challenge", "/tournaments/{challenge}", AUTHOR),
    Row("closed round", "/tournaments/{kakeya4}/rounds/{kakeya4_round}"),
    Row("open round", "/tournaments/{running}/rounds/1/2"),
    Row("table", "/tables/{kakeya4_table}"),
    Row("table at a position", "/tables/{kakeya4_table}?at=b1t7p2#b1t7p2"),
    Row("table as seen by a seat", "/tables/{kakeya6_table}?at=b2t3&seat=2"),
    Row("table of Etori", "/tables/{etori_meiji_table}"),
    Row("table of two", "/tables/{kakkuri2_table}?at=b1t0"),
    Row("table of five", "/tables/{kakkuri5_table}"),
    Row("table of eight", "/tables/{kakkuri8_table}?at=b1t1"),
    Row("table of a game", "/tables/{kakkuri_game_table}"),
    Row("sealed table", "/tables/{sealed_table}", status=423),
    Row("board", "/boards/{kakeya4_set}/1"),
    Row("board of three sides", "/boards/{kakeya6_set}/1"),
    Row("board of eight sides", "/boards/{kakkuri8_set}/1"),
    Row("board of games", "/boards/{kakeya4_game_set}/1"),
    Row("board of a large round", "/boards/{large_set}/1"),
    Row("sealed board", "/boards/{sealed_set}/1", status=423),
    Row("fixture", "/fixtures/{kakeya4_fixture}"),
    Row("fixture of eight sides", "/fixtures/{kakkuri8_fixture}"),
    Row("sealed fixture", "/fixtures/{sealed_fixture}"),
    Row("deals", "/tournaments/{kakeya4}/deals"),
    Row("deals of a long table", "/tournaments/{long_table}/deals"),
    Row("table of 32 boards", "/tables/{long_table_table}?at=b17t4"),
    Row("faulty table", "/tables/{faults_table}"),
    Row("cups", "/cups"),
    Row("cup", "/cups/{cup}", AUTHOR),
    Row("resting cup", "/cups/{paused_cup}"),
    Row("bots", "/bots", AUTHOR),
    Row("bot", "/bots/{bot}", AUTHOR),
    Row("bot of many versions", "/bots/{bot_many}", AUTHOR),
    Row("suspended bot", "/bots/{bot_suspended}", AUTHOR),
    Row("version", "/versions/{version}", AUTHOR),
    Row("own version", "/versions/{bot_many_version}", AUTHOR),
    Row("own bots", "/me/bots", AUTHOR),
    Row("own bots, none", "/me/bots", STAFF),
    Row("new bot", "/me/bots/new", AUTHOR),
    Row("changed bot", "/bots/{bot_many}/change", AUTHOR),
    Row("submit", "/bots/{bot_many}/submit", AUTHOR),
    Row("editor", "/bots/{bot_bare}/write", AUTHOR),
    Row("editor of a version without text", "/bots/{bot_many}/write", AUTHOR),
    Row("entering", "/tournaments/{registration}/enter", AUTHOR),
    Row("challenging", "/bots/{bot_many}/challenge", AUTHOR),
    Row("own notes", "/versions/{bot_many_version}/notes", AUTHOR),
    Row("faults", "/versions/{faults_version}/faults", AUTHOR),
    Row("fault", "/versions/{faults_version}/faults/{fault}", AUTHOR),
    Row("desk", "/desk", AUTHOR),
    Row("desk of an organiser", "/desk", ORGANISER),
    Row("empty desk", "/desk", STAFF),
    Row("notices", "/notices", AUTHOR),
    Row("crosstable", "/tournaments/{large}/crosstable"),
    Row("entries", "/tournaments/{large}/entries"),
    Row("rounds", "/tournaments/{large}/rounds"),
    Row("player for herself", "/players/aya", AUTHOR),
    Row("all bots again", "/bots"),
    Row("search for a bot", "/search?q=bot"),
    Row("search for markup", "/search?q=%3Cscript%3E"),
    Row("rules", "/rules"),
    Row("rules of kakeya", "/rules/kakeya"),
    Row("rules of kakkuri", "/rules/kakkuri"),
    Row("preset", "/rules/presets/kakeya4.league"),
    Row("docs", "/docs"),
    Row("docs of the protocol", "/docs/bot-protocol"),
    Row("docs of the API", "/docs/api"),
    Row("API reference", "/api/v1/docs"),
    Row("sign in", "/sign-in"),
    Row("sign up", "/sign-up"),
    Row("new password", "/reset"),
    Row("own account", "/me", AUTHOR),
    Row("own password", "/me/password", AUTHOR),
    Row("own address", "/me/email", AUTHOR),
    Row("own passkeys", "/me/passkeys", AUTHOR),
    Row("own tokens", "/me/tokens", AUTHOR),
    Row("own end", "/me/delete", AUTHOR),
    Row("invitations", "/me/invitations", STAFF),
    Row("organise", "/organise", ORGANISER),
    Row("new event", "/organise/new?template=groups-final", ORGANISER),
    Row("draft to change", "/organise/events/{draft}", ORGANISER),
    Row("pause an event", "/organise/events/{running}/pause", ORGANISER),
    Row("open an event", "/organise/events/{draft}/open", ORGANISER),
    Row("rule on a fixture", "/organise/fixtures/{sealed_fixture}", ORGANISER),
    Row("a table again", "/organise/tables/{sealed_table}", ORGANISER),
    Row("invite many", "/organise/events/{registration}/bulk", ORGANISER),
    Row("new cup", "/organise/cups/new", ORGANISER),
    Row("running to change", "/organise/events/{running}", ORGANISER),
    Row("play", "/play"),
    Row("play for an author", "/play?preset=kakkuri", AUTHOR),
    Row("table to play at", "/play/{play}", AUTHOR),
    Row("table that was played at", "/play/{play_over}", "ben"),
    Row("fairness", "/fairness"),
    Row("rules of Etori", "/rules/etori"),
    Row("glossary", "/rules/glossary"),
    Row("document of the kit", "/docs/kit"),
    Row("document of error codes", "/docs/problems"),
    Row("reference", "/docs/reference"),
    Row("reference of tournaments", "/docs/reference/tournaments"),
    Row("no such page", "/tournaments/nosuchevent", status=404),
)
