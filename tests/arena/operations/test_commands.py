"""Commands of the operator: what is wrong with the installation, or with an argument, is one sentence."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import IntegrityError, OperationalError, ProgrammingError
from rich.console import Console

from arena.accounts.models import User
from arena.accounts.services import token_authenticate, token_create
from arena.common.management.database_command import DatabaseCommand, database_errors_explained
from arena.competition.commitments import commitments_fill
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.operations.child_process import Child
from arena.operations.installation import is_listening, port_claim, site_url, web_answers
from arena.operations.management.commands import up
from arena.operations.supervisor import SupervisorError
from arena.settings.ladders import LadderSettings
from tests import factories
from tests.arena.operations.processes import shell, until
from tests.refusals import refusal

MANAGE = Path(settings.REPOSITORY) / "manage.py"
WITHOUT_DATABASE = {"analysis_serve", "doctor", "migrate", "play_serve", "serve"}
"""Commands of ours that begin without the database, or look at its errors themselves."""


def manage(data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of an installation of its own, as an operator types it."""
    plain = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    settings_module = {"DJANGO_SETTINGS_MODULE": "arena.settings.base"}
    return subprocess.run(
        [sys.executable, str(MANAGE), *words],
        env={**plain, "RENSHO_DATA": str(data), **settings_module, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that failed said: one line, no traceback."""
    assert done.returncode == 1, done.stdout
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def an_up() -> tuple[up.Command, io.StringIO]:
    """The command, and what it writes."""
    out = io.StringIO()
    command = up.Command()
    command.console = Console(file=out, width=400)
    command.web_is_up, command.started_at = False, 0.0
    return command, out


def test_a_database_without_migrations_is_one_sentence(tmp_path: Path) -> None:
    said = sentence(manage(tmp_path, "user_create", "aya"))
    assert "manage.py migrate" in said


def test_a_damaged_database_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite3").write_text("no database " * 500)
    for command in (("up", "--no-house", "--port", "0"), ("migrate",)):
        said = sentence(manage(tmp_path, *command))
        assert "not a database" in said


def test_a_database_that_does_not_answer_is_one_sentence_without_its_password(tmp_path: Path) -> None:
    url = "postgres://rensho:hidden-word@127.0.0.1:1/rensho"
    said = sentence(manage(tmp_path, "reset_link", "aya", DATABASE_URL=url))
    assert "DATABASE_URL" in said
    assert "hidden-word" not in said


@pytest.mark.parametrize("command", [("up",), ("user_create", "aya")])
def test_an_unusable_data_folder_is_one_sentence_with_a_key_from_the_environment(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    said = sentence(manage(tmp_path / "file" / "data", *command, SECRET_KEY="k" * 50))
    assert str(tmp_path / "file" / "data") in said
    assert command != ("up",) or "RENSHO_DATA" in said


def test_every_command_that_needs_the_database_says_so() -> None:
    ours = {name: app for name, app in get_commands().items() if str(app).startswith("arena.")}
    bare = {
        name for name, app in ours.items() if not isinstance(load_command_class(app, name), DatabaseCommand)
    }
    assert bare == WITHOUT_DATABASE


def test_a_row_that_another_command_wrote_first_is_no_fault_of_the_server() -> None:
    with pytest.raises(CommandError, match="again") as refusal, database_errors_explained():
        raise IntegrityError("UNIQUE constraint failed: accounts_user.username_key")
    assert "Start PostgreSQL" not in str(refusal.value)


def test_what_a_migration_makes_is_told_from_a_server_that_is_away() -> None:
    for text in ("no such table: accounts_user", "no such column: accounts_user.name_key"):
        with pytest.raises(CommandError, match="not migrated"), database_errors_explained():
            raise OperationalError(text)
    undefined = ProgrammingError('relation "accounts_user" does not exist')
    undefined.__cause__ = Exception()
    undefined.__cause__.sqlstate = "42P01"  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="not migrated"), database_errors_explained():
        raise undefined
    with pytest.raises(CommandError, match="OperationalError"), database_errors_explained():
        raise OperationalError("unable to open database file")
    with pytest.raises(CommandError, match="Name or service"), database_errors_explained():
        raise OperationalError("could not translate host name: Name or service not known.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("serve", "--port", "99999"), "whole number"),
        (("serve", "--uds", "/nowhere/at/all/rensho.sock"), "/nowhere/at/all"),
        (("serve", "--uds", f"/tmp/{'x' * 110}"), "107"),
        (("serve", "--uds", str(MANAGE)), "name"),
        (("serve", "--grace-s", "-1"), "whole number"),
        (("up", "--port", "99999"), "whole number"),
        (("up", "--workers", "-1"), "whole number"),
        (("play_serve", "--tables", "0"), "whole number"),
    ],
)
def test_an_argument_out_of_range_is_refused_before_anything_starts(
    words: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command(*words)


def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"port {port}"):
            call_command("serve", "--port", str(port))


def test_ctrl_c_and_a_reader_that_leaves_are_no_traceback(tmp_path: Path) -> None:
    # As at a terminal: where the suite itself runs in the background, its processes ignore the signal.
    pressed = "import os, signal; signal.signal(2, signal.default_int_handler); os.kill(os.getpid(), 2)"
    done = manage(tmp_path, "shell", "-v", "0", "-c", pressed)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    reading, writing = os.pipe()
    os.close(reading)
    left = subprocess.run(
        [sys.executable, str(MANAGE), "doctor"],
        env={**os.environ, "RENSHO_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "arena.settings.base"},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(writing)
    assert (left.returncode, left.stderr) == (141, "")


def test_who_listens_at_a_port_is_told_apart(tmp_path: Path) -> None:
    with socket.socket() as taken, subprocess.Popen(["sleep", "600"]) as other:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert not is_listening(os.getpid(), port), "it does not listen yet"
        taken.listen()
        assert is_listening(os.getpid(), port)
        assert not is_listening(other.pid, port)
        other.kill()
    assert not is_listening(os.getpid(), port)
    assert not is_listening(None, port)


def test_the_answer_of_another_installation_is_not_taken_for_its_own(tmp_path: Path) -> None:
    command, out = an_up()
    with (
        HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as site,
        ThreadPoolExecutor(1) as serving,
    ):
        port = site.server_port
        watch = ("127.0.0.1", port, site_url("127.0.0.1", port))
        web = Child(shell(tmp_path, "exec sleep 600", "web"))
        serving.submit(site.serve_forever, 0.05)
        try:
            web.start()
            command._web_watch(web, *watch)  # it may still be about to listen
            assert out.getvalue() == ""
            web.stop()
            with pytest.raises(SupervisorError, match=f"port {port}"):
                command._web_watch(web, *watch)
            assert out.getvalue() == ""
        finally:
            web.stop()
            site.shutdown()


def test_a_site_of_this_machine_is_asked_past_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as proxy:
        proxy.bind(("127.0.0.1", 0))
        proxy.listen()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        assert not web_answers(site_url("127.0.0.1", port_claim("127.0.0.1", 0)))
        proxy.setblocking(False)
        refusal(BlockingIOError, proxy.accept)


def test_a_site_says_so_once_it_answers_itself(tmp_path: Path) -> None:
    command, out = an_up()
    (tmp_path / "healthz").touch()
    port = port_claim("127.0.0.1", 0)
    script = f"exec {sys.executable} -m http.server --bind 127.0.0.1 {port}"
    web = Child(shell(tmp_path, script, "web"))
    url = site_url("127.0.0.1", port)
    web.start()
    try:
        until(lambda: web_answers(url), "it answers")
        command._web_watch(web, "127.0.0.1", port, url)
    finally:
        web.stop()
    assert url in out.getvalue()


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1"])
def test_a_host_of_another_machine_is_not_answered_with_another_port(host: str) -> None:
    assert "--host" in str(refusal(CommandError, call_command, "serve", "--host", host, "--port", "0"))


def test_up_names_settings_that_have_no_effect(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    monkeypatch.setenv("RENSHO_STREAM", "5")
    settings.LADDERS = LadderSettings(presets=frozenset({"kakuri"}))
    command, out = an_up()
    command._settings_report()
    for culprit in ("RENSHO_STREAM ", "RENSHO_STREAMS", "RENSHO_LADDERS", "'kakuri'"):
        assert culprit in out.getvalue()


def test_up_counts_tables_without_a_replay(running: Tournament) -> None:
    command, out = an_up()
    command._replays_report()
    assert out.getvalue() == ""
    played = Table.objects.filter(tournament=running)
    played.update(state=Table.State.FINISHED, record_sha256="1" * 64)
    command._replays_report()
    assert "views_make" in out.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("command", [("invite",), ("reset_link", "aya")])
def test_a_link_without_a_host_says_what_is_missing(command: tuple[str, ...], settings) -> None:
    factories.aya()
    said: dict[str, tuple[str, str]] = {}
    for address in ("", "https://rensho.example.org"):
        settings.SITE_ADDRESS, settings.SIGN_UP = address, "invitation"
        out, errors = io.StringIO(), io.StringIO()
        call_command(*command, stdout=out, stderr=errors)
        said[address] = out.getvalue(), errors.getvalue()
    assert said[""][0].startswith("/")
    assert "RENSHO_ADDRESS" in said[""][1]
    assert said["https://rensho.example.org"][0].startswith("https://rensho.example.org/")
    assert "RENSHO_ADDRESS" not in said["https://rensho.example.org"][1]


@pytest.mark.django_db
def test_the_operator_deletes_an_account_only_if_it_is_confirmed() -> None:
    aya = factories.aya()
    _, plain = token_create(aya, name="t", scopes=["read"], actor=aya)
    assert "Add --yes" in str(refusal(CommandError, call_command, "user_delete", "aya"))
    assert token_authenticate(plain)
    call_command("user_delete", "aya", "--yes", stderr=io.StringIO())
    assert not User.objects.filter(username="aya").exists()
    assert token_authenticate(plain) is None
    gone = User.objects.get(pk=aya.pk)
    assert "already deleted" in str(
        refusal(CommandError, call_command, "user_delete", gone.username, "--yes"),
    )
    assert "'nobody'" in str(refusal(CommandError, call_command, "user_delete", "nobody", "--yes"))


@pytest.mark.django_db
def test_burning_says_what_it_revealed_and_that_there_was_nothing_to_reveal(settings) -> None:
    def burn(through: int) -> str:
        out = io.StringIO()
        call_command("commitments_burn", "--through", str(through), "--reason", "restored", stdout=out)
        return out.getvalue().strip()

    refusal(CommandError, burn, 1)
    settings.COMMITMENTS_FREE_MIN = 3
    commitments_fill()
    assert [burn(through)[:1] for through in (1, 3, 3)] == ["1", "2", "N"]
    assert "1 to 3" in str(refusal(CommandError, burn, 4))
