"""``rensho api``: any request on the platform itself, and what it refuses before and after it is sent."""

import io
import json
import os

import pytest

from arena.accounts.models import ApiToken
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.roster.models import Bot
from bots.kit.client.transport import TRIES
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, peer, plain, problem
from tests.bots.kit.server.watched import under_way
from tests.bots.kit.terminal import Terminal

pytestmark = pytest.mark.full

STAGES = '[{"format": "round_robin", "options": {"cycles": 2}}]'
HOSTILE = "x\x1b[2J\u202e\nForged"


def asked(run, *words):
    """The JSON that a request is answered with."""
    status, out, err = run("api", *words)
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.fixture
def at(monkeypatch):
    """Logs in to a peer."""

    def logging_in(server):
        monkeypatch.setenv("RENSHO_URL", server.url)
        monkeypatch.setenv("RENSHO_TOKEN", "rensho_t")
        monkeypatch.setattr("bots.kit.client.transport.PAUSE_S", 0)

    return logging_in


def typed(monkeypatch, text):
    """Standard input with this text."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


class TestRequests:
    def test_make_read_change_and_delete(self, run, aya):
        made = asked(run, "post", "bots", "name=kita", "game=kakeya")
        assert asked(run, "GET", f"/api/v1/bots/{made['id']}/")["name"] == "kita"
        assert asked(run, "PATCH", f"bots/{made['id']}", "visibility=private")["visibility"] == "private"
        token = asked(run, "POST", "tokens", "name=laptop", 'scopes:=["read"]')
        assert token["token"].startswith("rensho_"), "it takes no Idempotency-Key"
        assert run("api", "DELETE", f"tokens/{token['id']}") == (0, "", "")
        assert not ApiToken.objects.filter(name="laptop", revoked_at=None).exists()

    def test_a_key_of_one_s_own_makes_it_once(self, run, aya):
        words = ("POST", "bots", "name=kita", "game=kakeya", "--key", "mine")
        assert asked(run, *words) == asked(run, *words)
        assert Bot.objects.count() == 1
        status, _, err = run("api", "POST", "tokens", "name=x", 'scopes:=["read"]', "--key", "mine")
        assert status == 2
        assert "(idempotency_key_refused, 400)" in err

    def test_values_and_parameters(self, run, odo):
        fields = ("name=Spring cup", "preset=kakeya4", f"stages:={STAGES}", "boards_per_round:=4")
        plan = asked(run, "POST", "tournaments", *fields, "dry_run==true")
        assert plan["entries"] > 0
        assert asked(run, "POST", "tournaments?dry_run=true", *fields) == plan
        assert not Tournament.objects.exists()
        event = asked(run, "POST", "tournaments", *fields, "closes_at:=null")
        assert (event["boards_per_round"], event["closes_at"]) == (4, None)
        series = asked(run, "POST", "series", "name=Cup", "every=daily", "at=20:00",
                       "template.preset=kakeya4", f"template.stages:={STAGES}")  # fmt: skip
        assert series["template"]["stages"][0]["options"] == {"cycles": 2}

    def test_bodies_and_values_of_files(self, run, odo, tmp_path, monkeypatch):
        (tmp_path / "cup.json").write_text('\ufeff{"name": "Cup", "preset": "kakeya4"}')
        (tmp_path / "about").write_text("Two lines.\nYes.\n")
        (tmp_path / "stages").write_text(STAGES)
        event = asked(run, "POST", "tournaments", "--input", tmp_path / "cup.json", "name=Other cup",
                      f"description=@{tmp_path / 'about'}", f"stages:=@{tmp_path / 'stages'}")  # fmt: skip
        made = Tournament.objects.get(public_id=event["id"])
        assert (made.name, made.description.split()) == ("Other cup", ["Two", "lines.", "Yes."])
        typed(monkeypatch, '{"name": "Third cup"}')
        assert asked(run, "PATCH", f"tournaments/{event['id']}", "--input", "-")["name"] == "Third cup"
        typed(monkeypatch, "Fourth cup")
        assert asked(run, "PATCH", f"tournaments/{event['id']}", "name=@-")["name"] == "Fourth cup"

    def test_pages_and_fields(self, run, aya):
        names = ["a", "b", "c"]
        for name in names:
            factories.a_bot(aya, name)
        status, out, err = run("api", "GET", "bots", "page_size=2", "--fields", "name")
        assert (status, [row["name"] for row in json.loads(out)["results"]]) == (0, ["c", "b"])
        assert "--all" in err
        status, out, err = run("api", "GET", "bots", "--all", "page_size=2", "owner=aya", "--fields", "name")
        assert (status, err) == (0, "")
        assert [json.loads(line) for line in out.splitlines()] == [{"name": name} for name in "cba"]

    def test_fields_in_objects_and_lists(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        event = play_out(under_way())
        path = f"tournaments/{event.public_id}"
        (stage,) = asked(run, "GET", f"{path}/standings", "--fields", "stage,rows.bot")
        assert [list(row) for row in stage["rows"]] == [["bot"], ["bot"]]
        rows = run("api", "GET", f"{path}/entries", "--all", "--fields", "partner_version.bot")[1]
        assert [json.loads(row) for row in rows.splitlines()] == [{"partner_version": None}] * 2
        assert "version" in asked(run, "GET", f"{site}/{path}/entries")["results"][0]
        status, out, err = run("api", "GET", path, "--fields", "naem")
        assert (status, out) == (2, "")
        assert "'naem'" in err
        assert "name" in err

    def test_repeated_parameters(self, run, aya):
        factories.an_open_tournament()
        words = ("GET", "tournaments", "--fields", "state", "state=registration", "state=final")
        assert asked(run, *words)["results"] == [{"state": "registration"}]


class TestFiles:
    @pytest.fixture
    def record(self, site, monkeypatch):
        """The path of a record."""
        monkeypatch.setenv("RENSHO_URL", site)
        play_out(under_way())
        return f"tables/{Table.objects.first().public_id}/record"

    def test_a_record_is_saved_or_piped_as_it_is(self, run, record, tmp_path):
        assert run("api", "GET", record, "--output", tmp_path / "r") == (0, "", "")
        assert run("api", "GET", record)[1].encode() == (tmp_path / "r").read_bytes()
        assert run("replay", tmp_path / "r", "--board", 1)[0] == 0
        assert "is not JSON" in run("api", "GET", record, "--fields", "x")[2]

    def test_what_cannot_be_written_is_named(self, run, record, tmp_path):
        status, _, err = run("api", "GET", record, "--output", tmp_path)
        assert (status, str(tmp_path) in err) == (2, True)
        (tmp_path / "file").write_text("")
        assert run("api", "GET", record, "--output", tmp_path / "file" / "r")[0] == 3

    def test_a_file_that_breaks_off_is_no_file(self, run, at, tmp_path):
        with peer((200, {"Content-Type": "application/zip"}, b"PK")) as server:
            at(server)
            server.cut = 10
            assert run("api", "GET", "tournaments/x/export", "--output", tmp_path / "x.zip")[0] == 3
        assert list(tmp_path.glob("x*")) == []

    @pytest.mark.parametrize(
        ("kind", "says"), [("text/plain", r"x\x1b[2J\u202e"), ("application/zip", "save it with --output")]
    )
    def test_on_a_terminal_only_text_made_printable(self, at, kind, says):
        with peer((200, {"Content-Type": kind}, HOSTILE.encode())) as server:
            at(server)
            terminal = Terminal(["api", "GET", "x"], 80)
            said = terminal.until(None)
            terminal.process.wait()
            os.close(terminal.ours)
        assert says in said
        assert "\u202e" not in said


class TestRefusedBeforeItIsSent:
    @pytest.mark.parametrize(
        "path",
        [
            "https://evil.example/api/v1/me", "//evil.example/me", "http:me", "me/../../../x", "me/%2e%2e/x",
            "", "/", "a//b", ".", "a b", "me#x", "a\\b", "a\nb", "URL.evil.example/me", "URL:1@evil.example/",
            "http://[", "javascript:x",
        ],
    )  # fmt: skip
    def test_a_path_that_leads_elsewhere(self, run, at, path):
        with peer(plain({})) as server:
            at(server)
            status, out, err = run("api", "GET", path.replace("URL", server.url))
            assert (status, out, server.asked) == (2, "", [])
            assert err.startswith("rensho: ")
            assert err.count("\n") == 1

    @pytest.mark.parametrize(
        "words",
        [
            ["x", "name"], ["x", "=a"], ["x", ":=1"], ["x", "a:=kita"], ["x", "a:=NaN"], ["x", "a:="],
            ["x", "a:=" + "[" * 100_000], ["x", "a:=" + "9" * 5000], ["x", "a=1", "a=2"],
            ["x", "a=1", "a.b=2"], ["x", "a.b=1", "a=2"], ["x", "a..b=1"], ["x", ".".join("a" * 50) + "=1"],
            ["x", 'a:="\\ud800"'], ["x", "a=\udc80"], ["x", "a=@nosuch"], ["x", "--input", "nosuch"],
            ["x", "--input", "list"], ["x", "--input", "latin"], ["x", "a=@latin"], ["x", "--fields", "a,,b"],
            ["x", "a:==1"],
            ["x", "--all"], ["x", "--key", "ü"], ["x", "--fields", "a", "--output", "o"], ["x", "a==\udc80"],
        ],
    )  # fmt: skip
    def test_words_that_cannot_be_sent(self, run, at, words, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "list").write_text("[1]")
        (tmp_path / "latin").write_bytes(b"\xe4")
        with peer(plain({})) as server:
            at(server)
            status, out, err = run("api", "POST", *words)
            assert (status, out, server.asked) == (2, "", [])
            assert err.startswith("rensho: ")
            assert len(err) < 600

    @pytest.mark.parametrize(
        "words",
        [["GET", "x", "--input", "f"], ["GET", "x", "--key", "k"], ["GET", "x", "a:=null"],
         ["GET", "x", "a:=[[1]]"], ["GET", "x", "--all", "--output", "o"], ["DELETE", "x", "a:={}"]],
    )  # fmt: skip
    def test_what_has_no_effect_on_the_method(self, run, at, words):
        with peer(plain({})) as server:
            at(server)
            assert run("api", *words)[0] == 2
            assert server.asked == []

    @pytest.mark.parametrize("words", [["FETCH", "x"], ["GET"], [], ["GET", "x", "--nosuch"]])
    def test_words_that_are_no_command(self, run, words):
        status, out, err = run("api", *words)
        assert (status, out) == (2, "")
        assert "usage: rensho" in err


class TestRefusedByTheServer:
    def test_nobody_is_logged_in(self, run, site, monkeypatch):
        assert "rensho login https://" in run("api", "GET", "me")[2]
        monkeypatch.setenv("RENSHO_URL", site)
        for words in (["GET", "me"], ["POST", "bots", "name=x", "game=kakeya"]):
            status, out, err = run("api", *words)
            assert (status, out) == (2, "")
            assert f"rensho login {site}" in err
        assert run("api", "GET", "games")[0] == 0

    def test_a_refusal_names_its_code_and_what_is_wrong(self, run, odo):
        status, out, err = run("api", "POST", "tournaments", "name=x", "nosuch=1")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "nosuch: " in err
        assert err.endswith(", 400)\n")
        assert "(no_such_address, 404)" in run("api", "GET", "nosuch")[2]
        assert "(bot_unknown, 404)" in run("api", "GET", "bots/nosuch")[2]
        assert "(method_not_allowed, 405)" in run("api", "DELETE", "me")[2]

    def test_all_of_what_is_no_list(self, run, aya):
        for path in ("me", "games"):
            status, out, err = run("api", "GET", path, "--all")
            assert (status, out) == (2, "")
            assert "leave out --all" in err

    def test_a_stream_is_not_read(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        status, out, err = run("api", "GET", f"tournaments/{under_way().public_id}/events")
        assert (status, out) == (2, "")
        assert "rensho watch" in err

    @pytest.mark.parametrize(
        ("answer", "status"),
        [
            (problem(500, "server_error"), 3), (problem(503, "busy"), 3), (problem(429, "too_many"), 3),
            (page(502), 3), (page(404), 3), ((200, {"Content-Type": "application/json"}, b"{"), 3),
            ((200, {"Content-Type": "application/json"}, b"[" * 100_000), 3),
            (problem(409, "wrong_state", HOSTILE), 2), (problem(423, "sealed"), 2),
            ((302, {"Location": "http://127.0.0.1:1/"}, b""), 3),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("words", [["GET", "x"], ["POST", "x", "a=1"]])
    def test_in_one_line_with_the_status_of_the_kit(self, run, at, answer, status, words):
        with peer(answer) as server:
            at(server)
            got, out, err = run("api", *words)
        assert (got, out, err.count("\n")) == (status, "", 1)
        assert "\x1b" not in err

    def test_a_broken_connection_repeats_a_post_under_one_key(self, run, at):
        with peer(plain({"id": "x"})) as server:
            at(server)
            server.cut = 10
            assert run("api", "POST", "bots", "name=x")[0] == 3
        assert len(server.asked) == 1, "the answer had begun"
        assert run("api", "GET", "me")[0] == 3

        with peer(page(503), plain({"id": "x"}, 201)) as server:
            at(server)
            assert asked(run, "POST", "bots", "name=x") == {"id": "x"}
        assert len({headers["Idempotency-Key"] for _, _, headers, _ in server.asked}) == 1
        assert 1 < len(server.asked) <= TRIES

    def test_pages_are_asked_of_the_same_server(self, run, at):
        first = plain({"results": [{"id": 1}], "next": "https://evil.example/api/v1/x?cursor=b"})
        with peer(first, plain({"results": [{"id": 2}], "next": None})) as server:
            at(server)
            assert run("api", "GET", "x", "--all")[1] == '{"id": 1}\n{"id": 2}\n'
        assert [path for _, path, _, _ in server.asked] == ["/api/v1/x", "/api/v1/x?cursor=b"]

    def test_text_from_outside_is_escaped(self, run, at):
        with peer(plain({HOSTILE: HOSTILE, "next_first": HOSTILE})) as server:
            at(server)
            status, out, err = run("api", "GET", "x")
        assert status == 0
        assert out.isascii()
        assert json.loads(out)[HOSTILE] == HOSTILE
        assert r"\x1b[2J\u202e\nForged" in err
