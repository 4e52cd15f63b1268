"""Entering what is submitted: only while registration is open, never at the cost of what is entered."""

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
def bot(tmp_path):
    """A bot in one file."""
    path = tmp_path / "kita.py"
    path.write_text(PROGRAM)
    return path


def kita_entered(**fields):
    """An open tournament with version 1 of Aya's bot and entries of Ben and Chie; the entry of Aya."""
    event = factories.an_open_tournament(name="Spring cup", **fields)
    aya = factories.aya()
    entry = entry_create(event, factories.a_version(factories.a_bot(aya, "kita")), aya)
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(event, owner)
    return entry


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
    ("move", "state", "words"),
    [
        (locked, "locked", "registration is closed, and what is entered plays on. Nothing was uploaded"),
        (started, "running", "registration is closed, and what is entered plays on. Nothing was uploaded"),
        (paused, "paused", "registration is closed, and what is entered plays on. Nothing was uploaded"),
        (cancelled, "cancelled", "it takes no entries any more. Nothing was uploaded"),
        (final, "final", "it takes no entries any more. Nothing was uploaded"),
    ],
)
def test_without_open_registration_nothing_is_uploaded_or_withdrawn(run, aya, bot, move, state, words):
    entry = kita_entered()
    move(entry.tournament)
    with worker(accept):
        status, out, err = run("submit", bot, "--enter", entry.tournament.public_id)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"Spring cup is {state}: {words}: submit without --enter" in err
    assert BotVersion.objects.filter(bot__name="kita").count() == 1
    entry.refresh_from_db()
    assert entry.status == "entered"


def test_a_draft_is_not_open_yet_and_no_bot_is_created(run, odo, bot):
    event = factories.a_tournament(odo, name="Spring cup")
    with worker(accept):
        status, out, err = run("submit", bot, "--enter", event.public_id)
    assert (status, out) == (2, "")
    assert "Spring cup is a draft: its registration is not open yet. Nothing was uploaded: submit" in err
    assert not Bot.objects.exists()


def test_a_registration_that_closes_during_the_check_leaves_the_entry(run, aya, bot):
    entry = kita_entered()

    def accept_late(check):
        locked(Tournament.objects.get())
        accept(check)

    with worker(accept_late):
        status, out, err = run("submit", bot, "--enter", entry.tournament.public_id)
    assert status == 2
    assert "The bot may play." in out
    assert "Spring cup is locked: registration is closed" in err
    assert "Version 2 is uploaded and not entered; version 1 stays entered.\n" in err
    assert BotVersion.objects.get(bot__name="kita", number=2).state == "ready"
    entry.refresh_from_db()
    assert entry.status == "entered"


def test_the_same_files_are_the_version_there_is_which_is_entered_once(run, aya, bot):
    event = factories.an_open_tournament(name="Spring cup")
    with worker(accept):
        assert run("submit", bot, "--game", "kakeya")[0] == 0
        for _attempt in range(2):
            status, out, err = run("submit", bot, "--enter", event.public_id)
            assert (status, err) == (0, "")
            assert "No new version: exactly these files are those of kita, version 1" in out
            assert "Entered version 1 in Spring cup" in out
    assert BotVersion.objects.filter(bot__name="kita").count() == 1
    assert event.entries.filter(status="entered").count() == 1


def test_a_refused_entry_leaves_the_earlier_one(run, aya, bot):
    odo = factories.odo()
    event = factories.an_open_tournament(odo, entry_policy="invited")
    version = factories.a_version(factories.a_bot(aya, "kita"))
    invitation_add(event, version.bot.owner, odo)
    entry = entry_create(event, version, aya)
    Invitation.objects.all().delete()
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", event.public_id)
    assert status == 2
    assert "aya is not invited" in err
    assert "Version 2 is uploaded and not entered; version 1 stays entered." in err
    entry.refresh_from_db()
    assert entry.status == "entered"


def test_a_registration_that_closes_just_before_the_withdrawal_leaves_the_entry(run, aya, bot, monkeypatch):
    entry = kita_entered()
    withdraw = Client.entry_withdraw

    def late(*args, **kwargs):
        Tournament.objects.update(state="locked")
        return withdraw(*args, **kwargs)

    monkeypatch.setattr(Client, "entry_withdraw", late)
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", entry.tournament.public_id)
    assert status == 2
    assert "closed just now. Version 2 is uploaded and not entered; version 1 stays entered." in err
    entry.refresh_from_db()
    assert entry.status == "entered"


@pytest.fixture
def at_withdrawal():
    """Do something on the server at the moment at which an entry is withdrawn."""
    receivers = []

    def register(action):
        def receive(instance, **_):
            if instance.verb == "withdraw":
                action()

        post_save.connect(receive, AuditEvent)
        receivers.append(receive)

    yield register
    for receive in receivers:
        post_save.disconnect(receive, AuditEvent)


def test_the_earlier_version_is_entered_again_if_the_new_one_is_refused_in_its_place(
    run, aya, bot, at_withdrawal
):
    entry = kita_entered()
    at_withdrawal(lambda: BotVersion.objects.filter(number=2).update(state="retired"))
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", entry.tournament.public_id)
    assert status == 2
    assert "is retired; only a ready version can enter" in err
    assert "Version 2 is not entered; version 1 had made way and is entered again." in err
    standing = Entry.objects.filter(player=aya.player, status="entered")
    assert [each.version.number for each in standing] == [1]


def test_if_neither_can_be_entered_the_error_says_so_and_what_to_do(run, aya, bot, at_withdrawal):
    entry = kita_entered()
    event = entry.tournament
    at_withdrawal(lambda: Tournament.objects.update(state="locked"))
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", event.public_id)
    second = BotVersion.objects.get(bot__name="kita", number=2)
    assert status == 2
    assert "Version 1 had made way, and could not be entered again" in err
    assert (
        f"Neither is entered now; to try again: rensho entries enter {event.public_id} {second.public_id}"
        in err
    )


def test_in_a_full_tournament_the_place_of_the_earlier_version_is_taken(run, aya, bot):
    entry = kita_entered(max_entries=3)
    with worker(accept):
        status, out, err = run("submit", bot, "--enter", entry.tournament.public_id)
    assert (status, err) == (0, "")
    assert out.endswith("Entered version 2 in Spring cup, in place of version 1.\n")
    assert entry.tournament.entries.filter(status="entered").count() == 3


def test_a_full_tournament_without_an_earlier_version_says_that_nothing_is_entered(run, aya, bot):
    event = factories.an_open_tournament(max_entries=2)
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(event, owner)
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", event.public_id)
    assert status == 2
    assert "All 2 places are taken." in err
    assert err.endswith("Version 1 is uploaded and not entered.\n")


def test_consent_to_all_partners_is_kept(run, aya, bot):
    event = factories.an_open_tournament(stages=[{"format": "movement"}])
    with worker(accept):
        status, _, err = run("submit", bot, "--enter", event.public_id)
        first = BotVersion.objects.get()
        assert status == 2
        assert f"rensho entries enter {event.public_id} {first.public_id} --accept-partners" in err
        entry_create(event, first, aya, accepts_partners=True)
        bot.write_text(f"{PROGRAM}# better\n")
        assert run("submit", bot, "--enter", event.public_id)[0] == 0
    entry = Entry.objects.get(status="entered")
    assert (entry.version.number, entry.accepts_partners) == (2, True)


def test_a_seed_that_the_organiser_set_is_said_to_be_gone(run, aya, bot):
    entry = kita_entered()
    Entry.objects.filter(pk=entry.pk).update(seed=4)
    with worker(accept):
        status, out, _ = run("submit", bot, "--enter", entry.tournament.public_id)
    assert status == 0
    assert out.endswith("Its seed 4 is gone: odo, who organises, can set it again.\n")


def test_the_organiser_keeps_the_seed_of_an_own_entry(run, odo, bot):
    event = factories.an_open_tournament(odo, name="Spring cup")
    entry_create(event, factories.a_version(factories.a_bot(odo, "kita")), odo, seed=4)
    with worker(accept):
        status, out, _ = run("submit", bot, "--enter", event.public_id)
    assert status == 0
    assert out.endswith("Entered version 2 in Spring cup, in place of version 1.\n")
    assert Entry.objects.get(status="entered").seed == 4
