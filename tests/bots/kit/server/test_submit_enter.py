"""Entering what is submitted: only while registration is open, never at the cost of what is entered."""

import json

import pytest
from django.db.models.signals import post_save

from arena.accounts.models import AuditEvent
from arena.competition.entries.invitations import invitation_add
from arena.competition.models import Entry, Invitation, Tournament
from arena.competition.services import entry_create, tournament_lock, tournament_pause
from arena.jobs.flow import tournament_cancel
from arena.roster.models import Bot, BotVersion
from bots.kit.client import Client
from tests import factories
from tests.arena.play import play_out, started
from tests.bots.kit.server.conftest import accept, worker

pytestmark = pytest.mark.full

PROGRAM = "from bots.sdk import Bot\n"


@pytest.fixture
def submit(run, tmp_path):
    """Submits Aya's bot for entry in an event, while a worker checks what comes; gives what ``run`` gives."""
    path = tmp_path / "kita.py"
    path.write_text(PROGRAM)

    def submitting(event, *words, check=accept, program=PROGRAM):
        path.write_text(program)
        with worker(check):
            return run("submit", path, "--enter", event.public_id, *words)

    return submitting


def kita_entered(**fields):
    """An open tournament with version 1 of Aya's bot and entries of Ben and Chie; the entry of Aya."""
    event = factories.an_open_tournament(name="Spring cup", **fields)
    aya = factories.aya()
    entry = entry_create(event, factories.a_version(factories.a_bot(aya, "kita")), aya)
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(event, owner)
    return entry


def standing():
    """The number of each version of kita that is entered."""
    entered = Entry.objects.filter(version__bot__name="kita", status="entered")
    return [entry.version.number for entry in entered]


def locked(event):
    tournament_lock(event, event.organiser)


def paused(event):
    started(event)
    tournament_pause(event, event.organiser, "rain")


def cancelled(event):
    tournament_cancel(event, event.organiser, "rain")


def final(event):
    play_out(started(event))


@pytest.mark.parametrize(
    ("move", "state"),
    [
        (locked, "locked"),
        (started, "running"),
        (paused, "paused"),
        (cancelled, "cancelled"),
        (final, "final"),
    ],
)
def test_without_open_registration_nothing_is_uploaded_or_withdrawn(submit, aya, move, state):
    event = kita_entered().tournament
    move(event)
    status, out, err = submit(event)
    assert (status, out, err.count("\n"), state in err) == (2, "", 1, True)
    assert BotVersion.objects.filter(bot__name="kita").count() == 1
    assert standing() == [1]


def test_a_draft_is_not_open_yet_and_no_bot_is_created(submit, odo):
    status, out, err = submit(factories.a_tournament(odo, name="Spring cup"))
    assert (status, out, "draft" in err) == (2, "", True)
    assert not Bot.objects.exists()


def test_the_same_files_are_the_version_there_is_which_is_entered_once(submit, aya):
    event = factories.an_open_tournament()
    for _ in range(2):
        status, _, err = submit(event)
        assert (status, err, standing()) == (0, "", [1])
    assert BotVersion.objects.count() == Entry.objects.count() == 1


def close_late(check, monkeypatch):
    """Registration closes during the check."""

    def accept_late(run):
        locked(Tournament.objects.get())
        check(run)

    return accept_late


def close_just_now(check, monkeypatch):
    """Registration closes just before the withdrawal."""
    withdraw = Client.entry_withdraw

    def late(*args, **kwargs):
        Tournament.objects.update(state="locked")
        return withdraw(*args, **kwargs)

    monkeypatch.setattr(Client, "entry_withdraw", late)
    return check


@pytest.mark.parametrize("close", [close_late, close_just_now])
def test_a_registration_that_closes_on_the_way_leaves_the_entry(submit, aya, monkeypatch, close):
    status, _, err = submit(kita_entered().tournament, check=close(accept, monkeypatch))
    assert (status, " 2 " in err, standing()) == (2, True, [1])
    assert BotVersion.objects.get(bot__name="kita", number=2).state == "ready"


def test_a_refused_entry_leaves_the_earlier_one(submit, aya):
    odo = factories.odo()
    event = factories.an_open_tournament(odo, entry_policy="invited")
    version = factories.a_version(factories.a_bot(aya, "kita"))
    invitation_add(event, version.bot.owner, odo)
    entry_create(event, version, aya)
    Invitation.objects.all().delete()
    status, _, err = submit(event)
    assert (status, " 2 " in err, standing()) == (2, True, [1])


@pytest.fixture
def at_withdrawal():
    """Do something on the server at the moment at which an entry is withdrawn."""
    receivers = []

    def register(action):
        def receive(instance, **_):
            if instance.action == "withdraw":
                action()

        post_save.connect(receive, AuditEvent)
        receivers.append(receive)

    yield register
    for receive in receivers:
        post_save.disconnect(receive, AuditEvent)


def test_the_earlier_version_is_entered_again_if_the_new_one_is_refused(submit, aya, at_withdrawal):
    event = kita_entered().tournament
    at_withdrawal(lambda: BotVersion.objects.filter(number=2).update(state="retired"))
    status, _, err = submit(event)
    assert (status, " 2 " in err, standing()) == (2, True, [1])


def test_if_neither_can_be_entered_the_error_has_the_command_to_try_again(submit, aya, at_withdrawal):
    event = kita_entered().tournament
    at_withdrawal(lambda: Tournament.objects.update(state="locked"))
    status, _, err = submit(event)
    second = BotVersion.objects.get(bot__name="kita", number=2)
    assert (status, standing()) == (2, [])
    assert f"rensho entries enter {event.public_id} {second.public_id}" in err


def test_in_a_full_tournament_the_place_of_the_earlier_version_is_taken(submit, aya):
    entry = kita_entered(max_entries=3)
    status, out, err = submit(entry.tournament)
    assert (status, err, standing()) == (0, "", [2])
    assert out.splitlines()[-1].count("version") == 2
    assert entry.tournament.entries.filter(status="entered").count() == 3


def test_a_full_tournament_without_an_earlier_version_takes_nothing(submit, aya):
    event = factories.an_open_tournament(max_entries=2)
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(event, owner)
    status, _, err = submit(event)
    assert (status, " 1 " in err, standing()) == (2, True, [])
    status, out, err = submit(event, "--json")
    result = json.loads(out)
    assert (status, err.count("\n"), result["entry"]) == (2, 1, None)
    assert result["version"]["id"] == BotVersion.objects.get(bot__name="kita").public_id
    assert result["entry_error"]["code"] == "tournament_full"


def test_consent_to_all_partners_is_kept(submit, aya):
    event = factories.an_open_tournament(stages=[{"format": "movement"}])
    status, _, err = submit(event)
    first = BotVersion.objects.get()
    assert status == 2
    assert f"rensho entries enter {event.public_id} {first.public_id} --accept-partners" in err
    entry_create(event, first, aya, accepts_partners=True)
    assert submit(event, program=f"{PROGRAM}# better\n")[0] == 0
    entry = Entry.objects.get(status="entered")
    assert (entry.version.number, entry.accepts_partners) == (2, True)


@pytest.mark.parametrize("name", ["aya", "odo"])
def test_the_organiser_alone_keeps_the_seed_of_an_own_entry(submit, logged_in, name):
    user = logged_in(getattr(factories, name)())
    event = factories.an_open_tournament(factories.odo(), name="Spring cup")
    entry = entry_create(event, factories.a_version(factories.a_bot(user, "kita")), user)
    Entry.objects.filter(pk=entry.pk).update(seed=4)
    status, out, err = submit(event)
    assert (status, standing()) == (0, [2]), err
    is_kept = name == "odo"
    assert Entry.objects.get(status="entered").seed == (4 if is_kept else None)
    assert ("seed 4" in out) != is_kept
