"""Entries made, agreed to, taken back and seeded from the kit, on the platform itself."""

import pytest

from arena.competition.models import Entry
from bots.kit.server.arguments import NOTHING_CHANGED
from tests import factories
from tests.arena.play import begun

pytestmark = pytest.mark.full


@pytest.fixture
def event(site):
    return factories.an_open_tournament(name="Cup", entries_per_player=9)


@pytest.fixture
def kita(aya):
    """Aya's bot with two versions, the first being active."""
    bot = factories.a_bot(aya, "kita")
    factories.a_version(bot)
    factories.a_version(bot)
    return bot


@pytest.fixture
def higashi(site):
    """The version of Ben's bot."""
    return factories.a_version(factories.a_bot(factories.ben(), "higashi"))


def entries():
    """Status and number of the version of each entry."""
    return list(Entry.objects.order_by("id").values_list("status", "version__number"))


class TestEntered:
    def test_a_bot_by_name_or_a_version_by_its_id(self, run, event, kita):
        out = run.prints("entries", "enter", event.public_id, "kita", "--dry-run")
        assert "kita" in out
        assert NOTHING_CHANGED in out
        assert not Entry.objects.exists()
        out = run.prints("entries", "enter", event.public_id, "kita")
        assert f"({Entry.objects.get().public_id})" in out
        run.refuses("entries", "enter", event.public_id, "kita")
        entry = run.json("entries", "enter", event.public_id, kita.versions.get(number=2).public_id)
        assert (entry["version"]["number"], entries()) == (2, [("entered", 1), ("entered", 2)])

    def test_a_pair_of_one_s_own(self, run, event, kita, aya):
        factories.a_version(factories.a_bot(aya, "oni"))
        entry = run.json("entries", "enter", event.public_id, "kita", "--partner", "oni")
        assert (entry["status"], entry["partner_version"]["bot"]) == ("entered", "oni")

    @pytest.mark.parametrize("bot", ["nobody", "No Such"])
    def test_what_is_no_bot(self, run, event, kita, bot):
        run.refuses("entries", "enter", event.public_id, bot, names=repr(bot))

    @pytest.mark.parametrize(
        ("verb", "status", "reason"), [("confirm", "entered", ""), ("decline", "withdrawn", "another time")]
    )
    def test_a_partner_agrees_or_refuses(self, run, event, kita, higashi, logged_in, verb, status, reason):
        out = run.prints("entries", "enter", event.public_id, "kita", "--partner", higashi.public_id)
        assert "pending" in out
        run.refuses("entries", "confirm", event.public_id, names="pending")
        logged_in(factories.ben())
        run.prints("entries", verb, event.public_id, *(["--reason", reason] if reason else []))
        entry = Entry.objects.get()
        assert entry.status == status
        assert entry.status_reason.endswith(reason)


class TestLeaving:
    def test_an_entry_is_named_where_there_are_several(self, run, event, aya):
        first, second = (factories.an_entry(event, aya) for _ in range(2))
        run.refuses("entries", "withdraw", event.public_id, names=(first.public_id, second.public_id))
        run.prints("entries", "withdraw", event.public_id, second.public_id)
        run.prints("entries", "withdraw", event.public_id)
        run.refuses("entries", "withdraw", event.public_id)
        assert {entry.status for entry in Entry.objects.all()} == {"withdrawn"}

    def test_after_the_lock_one_leaves(self, run, aya):
        entry = run.json("entries", "withdraw", begun(3).public_id, "--reason", "ill")
        assert (entry["status"], Entry.objects.get(player__user=aya).status_reason) == ("left", "ill")


def test_all_are_listed_and_filtered(run, event, aya):
    for owner in (aya, factories.ben()):
        factories.an_entry(event, owner)
    assert len(run.prints("entries", "list", event.public_id).splitlines()) == 3
    assert [e["player"] for e in run.json("entries", "list", event.public_id, "--player", "ben")] == ["ben"]
    assert run.json("entries", "list", event.public_id, "--status", "left") == []


class TestSeeded:
    def test_by_id_or_by_name_and_back_to_the_lot(self, run, odo, event):
        first, second = (factories.an_entry(event, owner) for owner in (factories.aya(), factories.ben()))
        words = (f"{first.public_id}=2", f"{second.version.bot.name}=1")
        assert [entry["seed"] for entry in run.json("entries", "seed", event.public_id, *words)] == [2, 1]
        run.refuses("entries", "seed", event.public_id, f"{first.public_id}=3", "nosuch=2", names="'nosuch'")
        run.prints("entries", "seed", event.public_id, f"{second.public_id}=0")
        assert list(Entry.objects.order_by("id").values_list("seed", flat=True)) == [2, None]

    @pytest.mark.parametrize("given", ["kita", "=1", "kita=first", "kita=-1"])
    def test_what_is_no_seed_is_not_sent(self, run, unasked, given):
        run.refuses("entries", "seed", "e", given, names=("ENTRY=SEED", repr(given)))

    def test_only_the_organiser_does_it(self, run, aya, event):
        run.refuses("entries", "seed", event.public_id, f"{factories.an_entry(event, aya).public_id}=1")


@pytest.fixture
def file(tmp_path):
    """Writes a CSV file."""

    def writing(data):
        path = tmp_path / "entries.csv"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return writing


def test_players_are_invited_and_let_go(run, odo, file):
    event = factories.an_open_tournament(odo, entry_policy="invited")
    for player in (factories.aya(), factories.ben()):
        factories.a_bot(player)
    invite = ("entries", "invite", event.public_id)
    for words, players in (
        ((), set()),
        (("aya", "ben"), {"aya", "ben"}),
        (("aya", "--remove"), {"ben"}),
        (("--file", file("player\naya\nben\n")), {"aya", "ben"}),
    ):
        assert {row["player"] for row in run.json(*invite, *words)} == players
    assert "ben" in run.prints(*invite)
    run.refuses(*invite, "nobody")
    run.refuses(*invite, "--remove")


class TestImported:
    def test_every_line_enters_a_bot_or_none_does(self, run, event, kita, aya, file):
        factories.a_version(factories.a_bot(aya, "oni"))
        factories.an_upload(factories.a_bot(aya, "raw"))
        words = ("entries", "import", event.public_id)
        run.prints(*words, file("bot\nkita\n"), "--dry-run")
        run.refuses(*words, file("bot\nkita\nraw\n"), names="line 3: ")
        assert not Entry.objects.exists()
        out = run.prints(*words, file("\ufeffBot\nkita\n\n oni \n"))
        assert [line.split()[0] for line in out.splitlines()] == ["kita", "oni"]
        assert Entry.objects.count() == 2

    @pytest.mark.parametrize("data", ["bot,seed,any_partner\nkita,3,no\n", "\ufeffbot;seed\r\nkita;3\r\n",
                                      "bot\tseed\r\nkita\t3\r\n"])  # fmt: skip
    def test_the_organiser_seeds_in_the_same_file(self, run, odo, file, data):
        event = factories.an_open_tournament(odo)
        factories.a_version(factories.a_bot(odo, "kita"))
        run.prints("entries", "import", event.public_id, file(data))
        assert Entry.objects.get().seed == 3

    @pytest.mark.parametrize(
        ("data", "names"),
        [
            ("", "bot"),
            ("bot\n", "csv"),
            ("name\nkita\n", "'name'"),
            ("bot,bot\nkita,oni\n", "bot"),
            ("bot\nkita,1\n", "line 2"),
            ("bot,seed\nkita,first\n,2\n", ("line 2: seed 'first'", "line 3: ")),
            ("bot,any_partner\nkita,maybe\n", "'maybe'"),
            (b"bot\nk\x00\n", "NUL"),
            (b"bot\n\xff\n", ("(line 2)", "UTF-8")),
            ("bot\nkita\n".encode("utf-16"), "UTF-16"),
            ("bot\nカックリ\n".encode("cp932"), "cp932"),
            ("bot\n" + "x" * 140_000, "csv"),
            ('bot\n"kita', "CSV"),
            ("bot\n" + "kita\n" * 1001, "1000"),
            (b"bot\n" + b"x" * (1 << 20), "1048576"),
        ],
    )
    def test_a_file_that_cannot_be_used_is_refused_before_anything_is_sent(self, run, file, data, names):
        run.refuses("entries", "import", "e", file(data), names=names)
