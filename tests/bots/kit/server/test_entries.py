"""Entries made, agreed to, taken back and seeded from the kit, on the platform itself."""

import json

import pytest

from arena.competition.models import Entry
from tests import factories
from tests.arena.play import begun
from tests.bots.kit.server.peer import peer, plain

pytestmark = pytest.mark.full


@pytest.fixture
def event(site):
    return factories.an_open_tournament(name="Cup")


@pytest.fixture
def kita(aya):
    """Aya's bot with two versions, the first being active."""
    bot = factories.a_bot(aya, "kita")
    factories.a_version(bot)
    factories.a_version(bot)
    return bot


class TestEntered:
    def test_a_bot_by_name_enters_its_active_version(self, run, event, kita):
        status, out, err = run("entries", "enter", event.public_id, "kita")
        assert (status, err) == (0, "")
        entry = Entry.objects.get()
        assert entry.version.number == 1
        assert out == f"kita 1 of aya: entered ({entry.public_id})\n"

    def test_a_version_by_its_id(self, run, event, kita):
        version = kita.versions.get(number=2)
        entry = json.loads(run("entries", "enter", event.public_id, version.public_id, "--json")[1])
        assert entry["version"]["number"] == 2

    def test_a_pair_of_one_s_own(self, run, event, kita, aya):
        factories.a_version(factories.a_bot(aya, "oni"))
        status, out, _ = run("entries", "enter", event.public_id, "kita", "--partner", "oni")
        assert status == 0
        assert out.startswith("kita 1 + oni 1 of aya: entered ")

    def test_a_dry_run_enters_nothing(self, run, event, kita):
        status, out, _ = run("entries", "enter", event.public_id, "kita", "--dry-run")
        assert status == 0
        assert out.startswith("kita 1 of aya: Nothing was done. It would be entered")
        assert not Entry.objects.exists()

    @pytest.mark.parametrize("bot", ["nobody", "No Such"])
    def test_what_is_no_bot(self, run, event, kita, bot):
        status, _, err = run("entries", "enter", event.public_id, bot)
        assert (status, err.count("\n")) == (2, 1)
        assert f"{bot!r} is neither a bot of yours nor" in err

    def test_twice_is_refused(self, run, event, kita):
        run("entries", "enter", event.public_id, "kita")
        status, _, err = run("entries", "enter", event.public_id, "kita")
        assert (status, err.count("\n")) == (2, 1)
        assert "Allowed now: " in err


class TestPairs:
    @pytest.fixture
    def asked(self, run, event, kita):
        """An entry that waits for Ben; gives his bot's version."""
        version = factories.a_version(factories.a_bot(factories.ben(), "higashi"))
        status, out, _ = run("entries", "enter", event.public_id, "kita", "--partner", version.public_id)
        assert status == 0
        assert "pending: ben has to agree" in out
        return version

    def test_the_partner_agrees(self, run, event, asked, logged_in):
        logged_in(factories.ben())
        status, out, _ = run("entries", "confirm", event.public_id)
        assert status == 0
        assert out.startswith("kita 1 + higashi 1 of aya + ben: entered ")

    def test_or_refuses(self, run, event, asked, logged_in):
        logged_in(factories.ben())
        status, out, _ = run("entries", "decline", event.public_id, "--reason", "another time")
        assert status == 0
        assert ": withdrawn " in out
        assert Entry.objects.get().status_reason.endswith("another time")

    def test_nobody_else_may(self, run, event, asked):
        status, _, err = run("entries", "confirm", event.public_id)
        assert status == 2
        assert "no entry of yours to confirm" in err
        assert "is pending" in err


class TestLeaving:
    def test_the_only_entry_needs_no_name(self, run, event, kita):
        run("entries", "enter", event.public_id, "kita")
        status, out, _ = run("entries", "withdraw", event.public_id)
        assert status == 0
        assert "kita 1 of aya: withdrawn " in out
        status, _, err = run("entries", "withdraw", event.public_id)
        assert status == 2
        assert "no entry of yours to withdraw: " in err

    def test_of_several_one_is_named(self, run, kita, aya):
        event = factories.an_open_tournament(entries_per_player=2)
        entries = [factories.an_entry(event, aya) for _ in range(2)]
        status, _, err = run("entries", "withdraw", event.public_id)
        assert status == 2
        assert "you have 2 entries there: name one of " in err
        assert run("entries", "withdraw", event.public_id, entries[1].public_id)[0] == 0
        assert [entry.status for entry in Entry.objects.order_by("id")] == ["entered", "withdrawn"]

    def test_after_the_lock_one_leaves(self, run, aya):
        event = begun(3)
        status, out, _ = run("entries", "withdraw", event.public_id, "--reason", "ill")
        assert status == 0
        assert ": left " in out
        assert Entry.objects.get(player__user=aya).status_reason == "ill"


class TestListed:
    def test_all_with_their_seeds_and_status(self, run, event, kita, aya):
        run("entries", "enter", event.public_id, "kita")
        factories.an_entry(event, factories.ben())
        status, out, _ = run("entries", "list", event.public_id)
        assert status == 0
        assert len(out.splitlines()) == 3
        listed = json.loads(run("entries", "list", event.public_id, "--player", "ben", "--json")[1])
        assert [entry["player"] for entry in listed] == ["ben"]
        assert run("entries", "list", event.public_id, "--status", "left")[1] == "No entry.\n"


class TestSeeded:
    def test_by_id_or_by_name_and_back_to_the_lot(self, run, odo, event):
        first, second = (factories.an_entry(event, owner) for owner in (factories.aya(), factories.ben()))
        words = (f"{first.public_id}=2", f"{second.version.bot.name}=1")
        status, out, err = run("entries", "seed", event.public_id, *words)
        assert (status, err) == (0, "")
        assert [line.rpartition(": ")[2] for line in out.splitlines()] == ["seed 2", "seed 1"]
        assert set(Entry.objects.values_list("public_id", "seed")) == {
            (first.public_id, 2),
            (second.public_id, 1),
        }
        out = run("entries", "seed", event.public_id, f"{first.public_id}=0")[1]
        assert out.endswith(": by lot\n")
        assert Entry.objects.get(pk=first.pk).seed is None

    def test_a_slip_in_the_last_one_changes_nothing(self, run, odo, event):
        first = factories.an_entry(event, factories.aya())
        status, _, err = run("entries", "seed", event.public_id, f"{first.public_id}=1", "nosuch=2")
        assert status == 2
        assert "no entry is called 'nosuch'" in err
        assert Entry.objects.get().seed is None

    @pytest.mark.parametrize("given", ["kita", "=1", "kita=first", "kita=-1"])
    def test_what_is_no_seed_is_not_sent(self, run, monkeypatch, given):
        with peer(plain({})) as server:
            monkeypatch.setenv("RENSHO_URL", server.url)
            monkeypatch.setenv("RENSHO_TOKEN", "t")
            status, _, err = run("entries", "seed", "e", given)
            assert (status, "is no seed: write ENTRY=SEED" in err, server.asked) == (2, True, [])

    def test_only_the_organiser_does_it(self, run, aya, event):
        entry = factories.an_entry(event, aya)
        status, _, err = run("entries", "seed", event.public_id, f"{entry.public_id}=1")
        assert (status, err.count("\n")) == (2, 1)


class TestInvited:
    def test_players_are_invited_and_let_go(self, run, odo):
        event = factories.a_tournament(entry_policy="invited")
        for player in (factories.aya(), factories.ben()):
            factories.a_bot(player)
        assert run("entries", "invite", event.public_id)[1] == "Invited: nobody\n"
        assert run("entries", "invite", event.public_id, "aya", "ben")[1] == "Invited: aya, ben\n"
        assert run("entries", "invite", event.public_id, "aya", "--remove")[1] == "Invited: ben\n"
        invited = json.loads(run("entries", "invite", event.public_id, "--json")[1])
        assert [row["player"] for row in invited] == ["ben"]
        status, _, err = run("entries", "invite", event.public_id, "nobody")
        assert (status, err.count("\n")) == (2, 1)
        assert run("entries", "invite", event.public_id, "--remove")[0] == 2


class TestImported:
    @pytest.fixture
    def file(self, tmp_path):
        """Writes a CSV file."""

        def writing(data):
            path = tmp_path / "entries.csv"
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
            return path

        return writing

    @pytest.fixture
    def open_to_all(self, site):
        return factories.an_open_tournament(name="Class", entries_per_player=9)

    def test_every_line_enters_a_bot(self, run, open_to_all, kita, aya, file):
        factories.a_version(factories.a_bot(aya, "oni"))
        status, out, err = run("entries", "import", open_to_all.public_id, file("\ufeffBot\nkita\n\n oni \n"))
        assert (status, err) == (0, "")
        assert [line.split(":")[0] for line in out.splitlines()] == ["kita 1 of aya", "oni 1 of aya"]
        assert Entry.objects.count() == 2

    def test_a_dry_run_enters_nothing(self, run, open_to_all, kita, file):
        status, out, _ = run("entries", "import", open_to_all.public_id, file("bot\nkita\n"), "--dry-run")
        assert status == 0
        assert "It would be entered" in out
        assert not Entry.objects.exists()

    def test_the_organiser_seeds_in_the_same_file(self, run, odo, file):
        event = factories.an_open_tournament(odo)
        factories.a_version(factories.a_bot(odo, "kita"))
        assert run("entries", "import", event.public_id, file("bot,seed,any_partner\nkita,3,no\n"))[0] == 0
        assert Entry.objects.get().seed == 3

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_a_spreadsheet_may_separate_cells_in_its_way(self, run, odo, file, separator):
        event = factories.an_open_tournament(odo)
        factories.a_version(factories.a_bot(odo, "kita"))
        data = "\ufeff" + separator.join(("bot", "seed")) + "\r\n" + separator.join(("kita", "3")) + "\r\n"
        assert run("entries", "import", event.public_id, file(data))[0] == 0
        assert Entry.objects.get().seed == 3

    def test_one_line_refused_by_the_server_enters_none(self, run, open_to_all, kita, aya, file):
        factories.an_upload(factories.a_bot(aya, "raw"))
        status, _, err = run("entries", "import", open_to_all.public_id, file("bot\nkita\nraw\n"))
        assert (status, err.count("\n")) == (2, 1)
        assert "nothing was changed: line 3: " in err
        assert not Entry.objects.exists()

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ("", "column bot"),
            ("bot\n", "no lines below its first"),
            ("name\nkita\n", "column 'name' is unknown"),
            ("bot,bot\nkita,oni\n", "no one column bot"),
            ("bot\nkita,1\n", "line 2 has more cells"),
            ("bot,seed\nkita,first\n,2\n", "line 2: seed 'first' is no number from 1; line 3: no bot"),
            ("bot,any_partner\nkita,maybe\n", "'maybe' is neither yes nor no"),
            (b"bot\nk\x00\n", "NUL"),
            (b"bot\n\xff\n", "is not UTF-8 (line 2): save it as UTF-8"),
            ("bot\nkita\n".encode("utf-16"), "is UTF-16: save it as UTF-8"),
            ("bot\nカックリ\n".encode("cp932"), "is cp932 (Shift_JIS): save it as UTF-8"),
            ("bot\n" + "x" * 140_000, "field larger than"),
            ('bot\n"kita', "is no CSV file"),
            ("bot\n" + "kita\n" * 1001, "more than 1000 lines"),
            (b"bot\n" + b"x" * (1 << 20), "more than 1048576 bytes"),
        ],
    )
    def test_a_file_that_cannot_be_used_is_refused_before_anything_is_sent(self, run, file, data, words):
        status, out, err = run("entries", "import", "e", file(data))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert words in err
        assert len(err) < 600

    def test_players_are_invited_from_a_file(self, run, odo, file):
        event = factories.an_open_tournament(odo, entry_policy="invited")
        for user in (factories.aya(), factories.ben()):
            factories.a_bot(user)
        status, out, _ = run("entries", "invite", event.public_id, "--file", file("player\naya\nben\n"))
        assert status == 0
        assert "aya" in out
        assert "ben" in out
