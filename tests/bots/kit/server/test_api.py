"""``rensho api``: any request on the platform itself, and what it refuses before and after it is sent."""

import io
import json
import os

import pytest

from arena.accounts.models import ApiToken
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.roster.models import Bot
from bots.kit.client.transport import MAX_TRIES
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, plain, problem
from tests.bots.kit.server.watched import under_way
from tests.bots.kit.terminal import Terminal

pytestmark = pytest.mark.full

STAGES = '[{"format": "round_robin", "options": {"cycles": 2}}]'
HOSTILE = "x\x1b[2J\u202e\nForged"


def asked(run, *words):
    """The JSON that a request is answered with."""
    return json.loads(run.prints("api", *words))


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
        words = ("POST", "tokens", "name=x", 'scopes:=["read"]', "--key", "mine")
        run.refuses("api", *words, names="(idempotency_key_unsupported, 400)")

    def test_values_and_parameters(self, run, odo):
        fields = ("name=Spring cup", "preset=kakeya4", f"stages:={STAGES}", "boards_per_round:=4")
        plan = asked(run, "POST", "tournaments", *fields, "dry_run==true")
        assert plan["entries"] > 0
        assert asked(run, "POST", "tournaments?dry_run=true", *fields) == plan
        assert not Tournament.objects.exists()
        event = asked(run, "POST", "tournaments", *fields, "closes_at:=null")
        assert (event["boards_per_round"], event["closes_at"]) == (4, None)
        series = asked(run, "POST", "series", "name=Cup", "frequency=daily", "start_time=20:00",
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
        for name in "abc":
            factories.a_bot(aya, name)
        status, out, err = run("api", "GET", "bots", "page_size=2", "--fields", "name")
        assert (status, [row["name"] for row in json.loads(out)["results"]]) == (0, ["c", "b"])
        assert "--all" in err
        out = run.prints("api", "GET", "bots", "--all", "page_size=2", "owner=aya", "--fields", "name")
        assert [json.loads(line) for line in out.splitlines()] == [{"name": name} for name in "cba"]

    def test_fields_in_objects_and_lists(self, run, site, public):
        event = play_out(under_way())
        path = f"tournaments/{event.public_id}"
        (stage,) = asked(run, "GET", f"{path}/standings", "--fields", "stage,rows.bot")
        assert [list(row) for row in stage["rows"]] == [["bot"], ["bot"]]
        rows = run("api", "GET", f"{path}/entries", "--all", "--fields", "partner_version.bot")[1]
        assert [json.loads(row) for row in rows.splitlines()] == [{"partner_version": None}] * 2
        assert "version" in asked(run, "GET", f"{site}/{path}/entries")["results"][0]
        run.refuses("api", "GET", path, "--fields", "naem", names=("'naem'", "name"))

    def test_repeated_parameters(self, run, aya):
        factories.an_open_tournament()
        words = ("GET", "tournaments", "--fields", "state", "state=open", "state=final")
        assert asked(run, *words)["results"] == [{"state": "open"}]


class TestFiles:
    @pytest.fixture
    def record(self, public):
        """The path of a record."""
        play_out(under_way())
        return f"tables/{Table.objects.first().public_id}/record"

    def test_a_record_is_saved_or_piped_as_it_is(self, run, record, tmp_path):
        assert run("api", "GET", record, "--output", tmp_path / "r") == (0, "", "")
        assert run("api", "GET", record)[1].encode() == (tmp_path / "r").read_bytes()
        assert run("replay", tmp_path / "r", "--board", 1)[0] == 0
        run.refuses("api", "GET", record, "--fields", "x", names="JSON")
        run.refuses("api", "GET", record, "--output", tmp_path, names=str(tmp_path))
        run.refuses("api", "GET", record, "--output", tmp_path / "r" / "r", status=3)

    def test_a_file_that_breaks_off_is_no_file(self, run, scripted, tmp_path):
        scripted((200, {"Content-Type": "application/zip"}, b"PK")).cut = 10
        run.refuses("api", "GET", "tournaments/x/export", "--output", tmp_path / "x.zip", status=3)
        assert list(tmp_path.glob("x*")) == []

    @pytest.mark.parametrize(
        ("kind", "says"), [("text/plain", r"x\x1b[2J\u202e"), ("application/zip", "--output")]
    )
    def test_on_a_terminal_only_text_made_printable(self, scripted, kind, says):
        scripted((200, {"Content-Type": kind}, HOSTILE.encode()))
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
    def test_a_path_that_leads_elsewhere(self, run, unasked, path):
        run.refuses("api", "GET", path.replace("URL", unasked.url))

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
    def test_words_that_cannot_be_sent(self, run, unasked, words, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "list").write_text("[1]")
        (tmp_path / "latin").write_bytes(b"\xe4")
        run.refuses("api", "POST", *words)

    @pytest.mark.parametrize(
        "words",
        [["GET", "x", "--input", "f"], ["GET", "x", "--key", "k"], ["GET", "x", "a:=null"],
         ["GET", "x", "a:=[[1]]"], ["GET", "x", "--all", "--output", "o"], ["DELETE", "x", "a:={}"],
         ["FETCH", "x"], ["GET"], [], ["GET", "x", "--nosuch"]],
    )  # fmt: skip
    def test_what_has_no_effect_on_the_method_or_is_no_command(self, run, unasked, words):
        run.refuses("api", *words)


class TestRefusedByTheServer:
    def test_nobody_is_logged_in(self, run, site, monkeypatch):
        run.refuses("api", "GET", "me", names="rensho login https://")
        monkeypatch.setenv("RENSHO_URL", site)
        for words in (["GET", "me"], ["POST", "bots", "name=x", "game=kakeya"]):
            run.refuses("api", *words, names=f"rensho login {site}")
        run.prints("api", "GET", "games")

    @pytest.mark.parametrize(
        ("words", "names"),
        [
            (["POST", "tournaments", "name=x", "nosuch=1"], ("nosuch: ", ", 400)\n")),
            (["GET", "nosuch"], "(unknown_endpoint, 404)"),
            (["GET", "bots/nosuch"], "(bot_not_found, 404)"),
            (["DELETE", "me"], "(method_not_allowed, 405)"),
            (["GET", "me", "--all"], "--all"),
            (["GET", "games", "--all"], "--all"),
        ],
    )
    def test_a_refusal_names_its_code_and_what_is_wrong(self, run, odo, words, names):
        run.refuses("api", *words, names=names)

    def test_more_parts_of_an_answer_are_noted(self, run, scripted):
        scripted(plain({"rows": [], "next_first": 2}))
        status, _, err = run("api", "GET", "x")
        assert (status, "first=2" in err) == (0, True)

    def test_a_stream_is_not_read(self, run, public):
        run.refuses("api", "GET", f"tournaments/{under_way().public_id}/events", names="rensho watch")

    @pytest.mark.parametrize(
        ("answer", "status"),
        [
            (problem(500, "server_error"), 3), (problem(429, "too_many"), 3), (page(502), 3),
            ((200, {"Content-Type": "application/json"}, b"[" * 100_000), 3),
            (problem(409, "wrong_state", HOSTILE), 2), (problem(423, "sealed"), 2),
            ((302, {"Location": "http://127.0.0.1:1/"}, b""), 3),
        ],
    )  # fmt: skip
    def test_in_one_line_with_the_status_of_the_kit(self, run, scripted, answer, status):
        scripted(answer)
        for words in (["GET", "x"], ["POST", "x", "a=1"]):
            assert "\x1b" not in run.refuses("api", *words, status=status)

    def test_a_broken_connection_repeats_a_post_under_one_key(self, run, scripted):
        server = scripted(plain({"id": "x"}))
        server.cut = 10
        run.refuses("api", "POST", "bots", "name=x", status=3)
        assert len(server.asked) == 1, "the answer had begun"
        server = scripted(page(503), plain({"id": "x"}, 201))
        assert asked(run, "POST", "bots", "name=x") == {"id": "x"}
        assert len({headers["Idempotency-Key"] for _, _, headers, _ in server.asked}) == 1
        assert 1 < len(server.asked) <= MAX_TRIES
