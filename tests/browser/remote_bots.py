"""Remote bots of the site that the browser visits: on a ladder, connected, and with tables of every state."""

from __future__ import annotations

from arena.features.remote.models import RemoteSeat, RemoteTable
from tests import factories
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished, scored


def remote_bots() -> dict[str, str]:
    """Aya's bot is connected and has a rank; Ben's and Chie's have fewer tables. Their public ids by name."""
    kaede = a_bot(factories.aya(), "Kaede")
    first, second = a_version(kaede, label="torch 2"), connected(a_version(kaede), ladder="kakeya4")
    scored(first, [0.5, -1.0] * 12)
    scored(second, [1.5, 0.5, -0.5] * 16)
    momiji = a_version(a_bot(factories.ben(), "Momiji"))
    scored(momiji, [-1.5, -0.5] * 11)
    scored(connected(a_version(a_bot(factories.chie(), "Sumire")), is_slow=True), [2.5, -0.5], is_slow=True)
    live = a_table([second])
    over = finished(a_table([second]), -3.5, is_forfeit=True)
    RemoteSeat.objects.filter(table=over).update(
        answers=[["1", "ab" * 8, 640], ["2", "cd" * 8, 2100], ["3", "", 5300]],
        verdict="OUT_OF_TIME",
        log="hearts look good\n",
    )
    void = a_table([second], state=RemoteTable.State.FAILED, failure_reason="The bots could not be started.")
    return {
        "remote_bot": kaede.public_id,
        "remote_table": over.public_id,
        "live_remote_table": live.public_id,
        "void_remote_table": void.public_id,
    }
