"""Remote bots of the site that the browser visits: on a ladder, connected, and with tables of every state."""

from __future__ import annotations

from arena.features.remote.matching import table_open
from arena.features.remote.models import RemoteInvitation, RemoteTable
from arena.roster.services import player_of
from tests import factories
from tests.arena.features.play.tables import house
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, scored
from tests.arena.features.remote.runner.play import after, nothing, serve, serve_until_asked


def remote_bots() -> dict[str, str]:
    """Aya's bot is connected and has a rank; Ben's and Chie's have fewer tables. Their public ids by name."""
    kaede = a_bot(factories.aya(), "Kaede")
    first, second = a_version(kaede, label="torch 2"), connected(a_version(kaede), ladder="kakeya4")
    scored(first, [0.5, -1.0] * 12)
    scored(second, [1.5, 0.5, -0.5] * 16)
    momiji = a_version(a_bot(factories.ben(), "Momiji"))
    scored(momiji, [-1.5, -0.5] * 11)
    scored(connected(a_version(a_bot(factories.chie(), "Sumire")), is_slow=True), [2.5, -0.5], is_slow=True)
    house()
    over = table_open({1: second}, "kakeya4", is_rated=True, is_slow=False)
    serve(over, after(4, nothing))
    unrated = table_open({1: second, 2: momiji}, "kakeya4", is_rated=False, is_slow=False)
    serve(unrated)
    persons = {1: player_of(factories.ben())}
    played = table_open({2: second}, "kakeya4", is_rated=False, is_slow=False, persons=persons)
    serve_until_asked(played)
    live = a_table([connected(second, ladder="kakeya4")])
    void = a_table([second], state=RemoteTable.State.FAILED, failure_reason="The bots could not be started.")
    for inviting, invited in ((momiji, second), (second, momiji)):
        RemoteInvitation.objects.create(inviting=inviting, invited=invited, preset="kakeya4")
    return {
        "remote_bot": kaede.public_id,
        "remote_table": over.public_id,
        "live_remote_table": live.public_id,
        "unrated_remote_table": unrated.public_id,
        "person_remote_table": played.public_id,
        "void_remote_table": void.public_id,
    }
