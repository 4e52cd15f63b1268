"""Accounts, retention and health of remote bots, and what their owners may do on pages."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import pytest_django
from django.test import Client
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.common.blobs import blob_put
from arena.common.models import Blob
from arena.features.remote.feature import REMOTE
from arena.features.remote.models import RemoteBot, RemoteInvitation, RemoteSeat, RemoteTable
from arena.features.remote.prune import tables_prune
from arena.features.remote.selectors import online_versions
from arena.features.remote.services import bot_create, version_create
from arena.operations.account_deletion import account_delete
from tests.arena.features.remote.rows import a_bot, a_table, a_version, aged, connected, finished
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db
DAYS = 31


def test_the_export_has_bots_tables_and_invitations_of_the_account_alone() -> None:
    mine, other = a_version(a_bot(aya(), "Kaede")), a_version(a_bot(ben(), "Momiji"))
    table = finished(a_table([mine, other], is_rated=False))
    RemoteSeat.objects.filter(table=table).update(log="secret thoughts")
    RemoteInvitation.objects.create(inviting=other, invited=mine, preset="kakeya4")
    assert REMOTE.own_data is not None
    data = REMOTE.own_data(aya())
    assert [bot["name"] for bot in data["remote_bots"]] == ["Kaede"]
    assert [(row["table"], row["log"]) for row in data["remote_seats"]] == [
        (table.public_id, "secret thoughts")
    ]
    assert len(data["remote_invitations"]) == 1
    assert "Momiji" not in repr(data)


def test_a_deleted_account_leaves_tables_without_its_names() -> None:
    bot = bot_create(aya(), name="Kaede of aya", game="kakeya")
    version = connected(version_create(bot, aya(), label="torch 9"), ladder="kakeya4")
    other = a_version(a_bot(ben(), "Momiji"))
    table = a_table([version, other], is_rated=False)
    RemoteSeat.objects.filter(version=version).update(log="thoughts of Kaede of aya")
    invitation = RemoteInvitation.objects.create(inviting=other, invited=version, preset="kakeya4")
    generation = version.generation
    account_delete(aya())
    for row in (bot, version, table, invitation):
        row.refresh_from_db()
    assert bot.retired_at is not None
    assert (version.label, version.ladder, version.generation) == ("", "", generation + 1)
    assert not online_versions().filter(pk=version.pk).exists()
    assert invitation.state == RemoteInvitation.State.EXPIRED
    assert [seat["label"] for seat in table.seats][:2] == ["(deleted)", "Momiji v1"]
    shown = Client().get(f"/remote/tables/{table.public_id}").content.decode()
    audited = repr(list(AuditEvent.objects.values_list("before", "after")))
    logs = repr(list(RemoteSeat.objects.values_list("log", flat=True)))
    for name in ("Kaede", "torch 9"):
        assert name not in shown + audited + logs + repr(list(RemoteBot.objects.values()))
    assert "Momiji" in shown


def test_old_unrated_and_void_tables_are_deleted_with_their_blobs_and_rated_ones_stay(
    settings: pytest_django.Settings,
) -> None:
    version = a_version(a_bot(aya()))
    shared, only = (blob_put(text, Blob.Kind.VIEW) for text in (b"shared", b"only"))
    casual = aged(finished(a_table([version], is_rated=False), view_sha256=only), DAYS)
    void = aged(finished(a_table([version]), view_sha256=shared, state=RemoteTable.State.FAILED), DAYS)
    rated = aged(finished(a_table([version]), 1.0, view_sha256=shared), DAYS)
    fresh = finished(a_table([version], is_rated=False))
    live = aged(a_table([version], is_rated=False), DAYS)
    assert tables_prune() == 2
    left = set(RemoteTable.objects.values_list("pk", flat=True))
    assert left == {rated.pk, fresh.pk, live.pk}
    assert not left & {casual.pk, void.pk}
    assert list(Blob.objects.filter(kind=Blob.Kind.VIEW).values_list("sha256", flat=True)) == [shared]
    assert list(REMOTE.blob_references(shared)) == [f"remote table {rated.public_id}"]


def test_messages_and_logs_of_old_tables_are_deleted(settings: pytest_django.Settings) -> None:
    version = a_version(a_bot(aya()))
    old, live = aged(finished(a_table([version]), 1.0), DAYS), a_table([version])
    RemoteSeat.objects.update(hello={"type": "hello"}, events=[{}], log="words", answers=[["1", "ab", 5]])
    tables_prune()
    seat, other = RemoteSeat.objects.get(table=old), RemoteSeat.objects.get(table=live)
    assert (seat.hello, seat.events, seat.log) == ({}, [], "words")
    settings.RETENTION = settings.RETENTION._replace(logs_days=DAYS - 1)
    tables_prune()
    seat.refresh_from_db()
    assert (seat.log, len(seat.answers)) == ("", 1)
    assert (other.hello, other.log) == ({"type": "hello"}, "words")


@pytest.mark.parametrize(
    ("columns", "is_ok"),
    [
        ({}, False),
        ({"claimed_until": timezone.now() + datetime.timedelta(days=9)}, True),
        ({"state": "finished"}, True),
    ],
)
def test_a_table_that_no_service_runs_is_reported(columns: dict[str, Any], is_ok: bool) -> None:
    table = aged(a_table([a_version(a_bot(aya()))]), 0.01)
    RemoteTable.objects.filter(pk=table.pk).update(**columns)
    (result,) = REMOTE.health(True)
    assert result.is_ok == is_ok
    assert is_ok or table.public_id in result.detail


def test_the_owner_sees_the_reason_of_a_pause_and_ends_it() -> None:
    bot = a_bot(aya())
    note = {"code": "typed", "text": "it left three tables"}
    RemoteBot.objects.filter(pk=bot.pk).update(paused_at=timezone.now(), pause_note=note)
    address = f"/remote/bots/{bot.public_id}"
    stranger, owner = Client(), Client()
    stranger.force_login(ben())
    owner.force_login(aya())
    assert "left three tables" not in stranger.get(address).content.decode()
    assert "left three tables" in owner.get(address).content.decode()
    assert stranger.post(f"{address}/unpause").status_code == 403
    assert owner.post(f"{address}/unpause").status_code == 302
    bot.refresh_from_db()
    assert bot.paused_at is None
    assert owner.post(f"{address}/retire").status_code == 302
    assert owner.post(f"{address}/unpause", follow=True).status_code == 200
    bot.refresh_from_db()
    assert bot.retired_at is not None
