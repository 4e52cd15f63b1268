"""Hostile text from servers, exports and files: no command writes control characters or forged lines."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bots.kit.cli import COMMANDS
from bots.kit.display.console import console_for, print_json, print_lines
from bots.kit.display.output import guarded_output
from tests.bots.kit.commands import Commands
from tests.bots.kit.replay.records import random_record
from tests.openapi import contract

SIGNS = [
    *range(0x20),
    *range(0x7F, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
]
HOSTILE = "x" + "".join(map(chr, SIGNS)) + "\x1b[2J\x1b]0;title\x07\nForged: every deal follows."
FORGED = re.compile(r"^Forged", re.MULTILINE)
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STYLES = re.compile(r"\x1b\[[0-9;]*m")
ID = "7k2mq9"
BOT = """
name = "bot"
runtime = "python/1"
entry_point = "bot.py"
"""


def value(schema, texts, depth=0):
    """A value of this shape with these texts wherever any text may be; ids are ids."""
    if "$ref" in schema:
        return value(contract()["components"]["schemas"][schema["$ref"].rpartition("/")[2]], texts, depth + 1)
    for word in ("allOf", "oneOf", "anyOf"):
        if word in schema:
            parts = [value(part, texts, depth + 1) for part in schema[word]]
            return parts[0]
    if "enum" in schema:
        settled = next((each for each in ("done", "rejected") if each in schema["enum"]), None)
        return settled or next((each for each in schema["enum"] if each), None)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(each for each in kind if each != "null")
    if kind == "object":
        found = {
            name: ID if name == "id" and texts.has_ids else value(part, texts, depth + 1)
            for name, part in schema.get("properties", {}).items()
        }
        if isinstance(extra := schema.get("additionalProperties"), dict) and depth < 12:
            found[texts.text] = value(extra, texts, depth + 1)
        return {**found, **({"next": None} if "results" in found else {}), **no_more(found)}
    if kind == "array":
        return [value(schema.get("items", {}), texts, depth + 1)] if depth < 12 else []
    if kind in ("integer", "number"):
        return 1
    if kind == "boolean":
        return True
    if schema.get("format") in ("date-time", "date"):
        return "2027-05-01T18:00:00Z"[: 20 if schema["format"] == "date-time" else 10]
    return texts.text


def no_more(found):
    return {"next_first": None} if "next_first" in found else {}


class Texts:
    def __init__(self, text, *, has_ids=True, status=200):
        self.text, self.has_ids, self.status = text, has_ids, status


class Hostile:
    """A server that answers as the API describes, with hostile text wherever any text may be."""

    def __init__(self):
        self.texts = Texts(HOSTILE)
        server = self
        operations = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), described)
            for path, described in contract()["paths"].items()
        ]

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                texts, path = server.texts, self.path.partition("?")[0]
                described = next((each for form, each in operations if form.fullmatch(path)), {})
                answers = described.get(self.command.lower(), {}).get("responses", {})
                status = next((int(code) for code in answers if code.startswith("2")), 404)
                content = answers.get(str(status), {}).get("content", {})
                kind, body = "application/json", b""
                if texts.status != 200 or status == 404:
                    status, kind = max(texts.status, 400), "application/problem+json"
                    told = {"detail": texts.text, "state": texts.text, "allowed_actions": [texts.text]}
                    body = json.dumps({"status": status, "code": "wrong_state", **told}).encode()
                elif "application/json" in content:
                    found = value(content["application/json"].get("schema", {}), texts)
                    body = json.dumps(found).encode()
                elif "text/event-stream" in content:
                    status = 204
                elif content:
                    kind, body = next(iter(content)), texts.text.encode("utf-8", "surrogatepass")
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = answer

            def log_message(self, *_):
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture(scope="module")
def hostile():
    server = Hostile()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


@pytest.fixture
def run(capfd, monkeypatch, tmp_path, hostile):
    """The commands of the kit, logged in to the hostile server."""
    monkeypatch.setenv("RENSHO_URL", hostile.url)
    monkeypatch.setenv("RENSHO_TOKEN", "rensho_t")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setattr("bots.kit.client.transport.RETRY_DELAY_S", 0)
    monkeypatch.chdir(tmp_path)

    return Commands(capfd)


def assert_safe(text, *, may_have_lines=False):
    assert not UNSAFE.findall(text), ascii(UNSAFE.search(text))
    assert may_have_lines or not FORGED.search(text)


ONLINE = (
    """
login URL --token rensho_t
api GET tournaments
api GET tournaments --all
api GET tournaments/ID --fields name
api GET me --fields nosuch
api GET tables/ID/log seat=1
api GET tables/ID/record --output r
api POST bots name=x
connect bot --ladder kakeya4
api PATCH bots/ID name=x
tournaments list
tournaments show ID --plan
tournaments new --name x --preset kakkuri --stage swiss
tournaments new --name x --preset kakkuri --stage swiss --dry-run
tournaments change ID --name x
tournaments open ID
tournaments lock ID
tournaments start ID
tournaments resume ID
tournaments retry-tables ID
tournaments finalise ID
tournaments archive ID
tournaments pause ID
tournaments close-early ID
tournaments cancel ID
tournaments crosstable ID
entries list ID
entries enter ID kita
entries confirm ID
entries withdraw ID kita
entries seed ID kita
entries invite ID x
series list
series show ID
series table ID
series table ID --check
series pause ID
series resume ID
series bots ID
series join ID kita
series leave ID kita
standings ID
standings
watch ID
export ID
export ID --ndjson
pull ID
pull --bot kita
submit bot
logout
""".replace("ID", ID)
    .strip()
    .split("\n")
)
TRIED = [
    (words, texts)
    for texts in ("values", "ids too", "refusals", "failures")
    for words in ONLINE
    # watch retries for as long as the server gives a reason why it cannot answer.
    if (words, texts) != (f"watch {ID}", "failures")
]
LOCAL = (
    *("new", "check", "play", "compare", "gauntlet", "tune"),
    *("replay", "analyse", "reproduce", "verify", "doctor"),
)


def test_every_command_is_tried():
    assert {words.split()[0] for words in ONLINE} | set(LOCAL) == set(COMMANDS)


@pytest.mark.parametrize(("words", "texts"), TRIED)
def test_a_hostile_server(run, hostile, tmp_path, words, texts):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "rensho.toml").write_text(BOT)
    (tmp_path / "bot" / "bot.py").write_text("pass")
    hostile.texts = Texts(
        HOSTILE, has_ids=texts != "ids too", status={"refusals": 409, "failures": 503}.get(texts, 200)
    )
    status, out, err = run(*(hostile.url if word == "URL" else word for word in words.split()))
    # What is not JSON goes into a pipe as it is.
    assert_safe(err if words.startswith("api GET tables") else out + err)
    assert out + err or "--output" in words, "it says something"
    assert status != 0 or texts not in ("refusals", "failures") or words == "logout"
    for path in tmp_path.rglob("*"):
        assert_safe(path.name)


@pytest.mark.parametrize(
    "words", ["tournaments list --json", f"tournaments show {ID} --json", "api GET games", "api GET me"]
)
def test_json_is_safe_and_says_what_the_server_said(run, hostile, words):
    hostile.texts = Texts(HOSTILE)
    out = run.prints(*words.split())
    assert_safe(out)
    assert HOSTILE in str_values(json.loads(out))


def str_values(found):
    if isinstance(found, dict):
        return [*found, *(text for each in found.values() for text in str_values(each))]
    if isinstance(found, list):
        return [text for each in found for text in str_values(each)]
    return [found]


class TestFiles:
    @pytest.mark.parametrize("changed", [{}, {"format": "rensho-export/3"}, {HOSTILE: 1}])
    def test_an_export(self, run, tmp_path, changed):
        tournament = {"id": "t", "name": HOSTILE, "state": HOSTILE, "secret": None}
        document = {"format": HOSTILE, "tournament": tournament, "stages": [], "entries": [], **changed}
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tournament.json", json.dumps(document))
            archive.writestr(HOSTILE, b"x")
        _, out, err = run("verify", str(path))
        assert_safe(out + err)
        assert out + err

    def test_a_name_of_an_export_in_a_file_of_this_name(self, run, tmp_path):
        path = tmp_path / "x\x1b[2J\u202e\nForged.zip"
        path.write_bytes(b"no zip")
        assert_safe(run.refuses("verify", path))

    def test_a_list_of_ratings(self, run, tmp_path):
        path = tmp_path / "list.ndjson"
        path.write_text(json.dumps({"format": "rensho-rating/1", "type": "list", "name": HOSTILE}) + "\n")
        assert_safe("".join(run("verify", path)[1:]))

    @pytest.mark.parametrize("words", ["replay x", "analyse x", "reproduce x bot", "reproduce x --request"])
    def test_records_and_faults(self, run, tmp_path, words):
        fault = {"verdict": "CRASHED", "reason": HOSTILE, "log_tail": HOSTILE, "request": HOSTILE}
        record = {"e": "table", "format": "rensho-record/1", "game": HOSTILE}
        for found in (record, {"format": "rensho-fault/1", "fault": fault, "origin": {HOSTILE: HOSTILE}}):
            (tmp_path / "x").write_text(json.dumps(found) + "\n")
            status, out, err = run(*words.split())
            assert status != 0
            assert_safe(out + err)

    def test_an_analysis_of_records_in_a_hostile_folder(self, run, tmp_path):
        (tmp_path / "x").mkdir()
        (tmp_path / "x" / "a\x1b[2J\u202e\nForged.ndjson").write_bytes(random_record("kakeya4"))
        for label in (HOSTILE, {HOSTILE: 1}, None):
            side = {"side": label, "bots": [{"name": HOSTILE, "sha256": "1" * 64}]}
            (tmp_path / "x" / "summary.json").write_text(json.dumps({"sides": [side]}))
            words = ("analyse", "x", "--nodes", "300", "--deals", "0", "--notes", "x")
            assert_safe(run.prints(*words), may_have_lines=True)
            assert_safe(run("analyse", "x", "--bot", HOSTILE)[2])

    @pytest.mark.parametrize("words", ["check bot", "play bot house:greedy", "submit bot", "compare bot bot",
                                       "gauntlet bot --against bot", "tune bot"])  # fmt: skip
    @pytest.mark.parametrize("field", ["name", "runtime", "entry_point", "parameters"])
    def test_a_bot(self, run, tmp_path, words, field):
        (tmp_path / "bot").mkdir()
        fields = {"name": "bot", "runtime": "python/1", "entry_point": "bot.py", field: HOSTILE}
        lines = (f"{name} = {json.dumps(text)}" for name, text in fields.items())
        (tmp_path / "bot" / "rensho.toml").write_text("\n".join(lines).replace("\x7f", r"\u007f"))
        (tmp_path / "bot" / "bot.py").write_text("pass")
        status, out, err = run(*words.split())
        assert status != 0
        assert_safe(out + err)

    def test_words_of_a_command_line(self, run):
        for words in (
            [HOSTILE.replace("\0", "")],
            ["api", HOSTILE, HOSTILE],
            ["api", "GET", "x", HOSTILE.replace("\0", "")],
            ["new", HOSTILE, "--preset", HOSTILE],
        ):
            assert_safe("".join(run(*words)[1:]))


def written_to_terminal(program, *arguments):
    """Run Python code whose output is a terminal, and return this output."""
    read, write = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    for name in ("NO_COLOR", "CI", "PYTHONPATH"):
        environment.pop(name, None)
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdout=write, stderr=subprocess.STDOUT, env=environment) as process:
        os.close(write)
        written = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
            while chunk := os.read(read, 1 << 16):
                written += chunk
    os.close(read)
    assert process.returncode == 0
    return written.decode().replace("\r\n", "\n")


def test_a_live_view_keeps_its_own_styles():
    program = (
        "from rich.live import Live\n"
        "from bots.kit.display.console import *\n"
        "from bots.kit.display.output import guarded_output\n"
        "with guarded_output(), Live(console=console_for(), auto_refresh=False) as live:\n"
        "    live.update(styled_line(('Kita', 'bold'), '\\x1b[31m'), refresh=True)\n"
    )
    text = written_to_terminal(program)
    assert text.count("Kita") == text.count("\x1b[1mKita\x1b[0m\\x1b[31m") == 2


def test_on_a_terminal_the_only_sequences_are_styles_of_ours():
    program = (
        "import json, sys\n"
        "from bots.kit.display.console import *\n"
        "from bots.kit.display.output import guarded_output\n"
        "hostile = json.loads(sys.argv[1])\n"
        "with guarded_output():\n"
        "    print_lines(hostile)\n"
        "    console = console_for()\n"
        "    console.print(hostile, style='bold')\n"
        "    console.print(styled_line((hostile, 'red')))\n"
        "    print_table(console, text_table(('a', 'b'), [(hostile, styled_line((hostile, 'dim')))]))\n"
    )
    text = written_to_terminal(program, json.dumps(HOSTILE + "\x1b[31m"))
    assert "\x1b[31m" in text, "our own style is there"
    assert "\\x1b[31m" in text.replace("\n", ""), "that of the text is not"
    assert_safe(STYLES.sub("", text))


def test_lines_and_values_are_made_safe_one_by_one(capsys):
    with guarded_output():
        print_lines(HOSTILE)
        print_json({"a\x7f": HOSTILE})
        console_for().print(HOSTILE)
        print(HOSTILE.replace("\n", ""))
        print(HOSTILE.replace("\n", ""), file=sys.stderr)
    out, err = capsys.readouterr()
    assert_safe(out + err)
    assert out.startswith(r"x\x00")
