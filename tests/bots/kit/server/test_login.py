"""Logging in and out: the token is checked, stored for oneself alone, and sent nowhere else."""

import json
import os
import subprocess
import sys

import pytest

from bots.kit.server.account import Login, current_login, login_save
from tests import factories
from tests.bots.kit.server.peer import page, peer, plain, problem
from tests.bots.kit.terminal import Terminal

ME = {"id": "u", "username": "aya", "handle": None, "scopes": ["read", "bots"]}


def test_a_login_is_checked_and_stored_for_oneself_alone(run, site, home):
    token = factories.a_token(factories.aya(), "read", "bots")
    out = run.prints("login", f"{site}/", "--token", token)
    assert [text in out for text in (site, "aya", str(home), token)] == [True, True, True, False]
    assert json.loads(home.read_text()) == {"url": site, "token": token}
    assert home.stat().st_mode & 0o777 == 0o600
    assert home.parent.stat().st_mode & 0o777 == 0o700
    assert current_login() == Login(site, token)


def test_a_token_the_server_does_not_take_is_not_stored(run, site, home):
    run.refuses("login", site, "--token", "rensho_" + "x" * 40, names=site)
    assert not home.exists()


def test_a_token_comes_by_pipe(run, home, monkeypatch, tmp_path):
    given = tmp_path / "token"
    given.write_text("rensho_piped\n")
    with peer(plain(ME)) as server, given.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert run("login", server.url)[0] == 0
        assert server.asked[0][2]["Authorization"] == "Bearer rensho_piped"


def test_a_typed_token_is_not_shown(home, tmp_path):
    with peer(plain(ME)) as server:
        terminal = Terminal(["login", server.url], 80)
        terminal.until(b": ")
        os.write(terminal.ours, b"rensho_typed\n")
        said = terminal.until(None)
        assert terminal.process.wait() == 0
        os.close(terminal.ours)
        assert "rensho_typed" not in said
        assert server.asked[0][2]["Authorization"] == "Bearer rensho_typed"
    assert json.loads(home.read_text())["token"] == "rensho_typed"


@pytest.mark.parametrize("token", ["", "two words", "ümlaut"])
def test_what_is_no_token_is_never_sent(run, unasked, token):
    run.refuses("login", unasked.url, "--token", token, names="" if token else f"{unasked.url}/me/tokens")


def test_a_refused_token_of_the_environment_is_named_instead_of_the_login(run, monkeypatch):
    with peer(problem(401, "bad_token")) as server:
        login_save(Login(server.url, "stored"))
        run.refuses("api", "GET", "me", names=f"rensho login {server.url}\n")
        monkeypatch.setenv("RENSHO_TOKEN", "of the environment")
        assert "rensho login" not in run.refuses("api", "GET", "me", names="RENSHO_TOKEN")


def test_a_token_that_may_too_little_is_noted(run):
    with peer(plain({**ME, "scopes": ["read"]})) as server:
        status, _, err = run("login", server.url, "--token", "t")
        assert (status, "'bots'" in err) == (0, True)


@pytest.mark.parametrize(
    ("answer", "status"),
    [(page(), 3), (plain({"hello": "world"}), 3), (plain([1]), 3), (problem(403, "scope_missing"), 2)],
)
def test_a_server_that_is_none_of_ours_is_said_so(run, home, answer, status):
    with peer(answer) as server:
        run.refuses(
            "login", server.url, "--token", "t", names=server.url if status == 3 else "", status=status
        )
    assert not home.exists()


def test_logging_out_forgets(run, home):
    login_save(Login("http://localhost:1", "t"))
    assert run.json("logout")["url"] == "http://localhost:1"
    assert not home.exists()
    assert run.json("logout")["url"] is None
    login_save(Login("http://localhost:1", "t"))
    assert "http://localhost:1/me/tokens" in run.prints("logout")


@pytest.mark.parametrize(
    ("variables", "login"),
    [
        ({"RENSHO_TOKEN": "new"}, Login("http://stored:1", "new")),
        ({"RENSHO_URL": "http://other:1"}, Login("http://other:1", "")),
        ({"RENSHO_URL": "http://stored:1/"}, Login("http://stored:1", "stored")),
    ],
)
def test_the_environment_comes_first_and_a_stored_token_goes_to_its_own_server_only(home, variables, login):
    login_save(Login("http://stored:1", "stored"))
    assert current_login({"XDG_CONFIG_HOME": str(home.parents[1]), **variables}) == login


@pytest.mark.parametrize("argv", [["pull", "t"], ["api", "GET", "me"], ["watch", "t"], ["standings", "t"]])
def test_nobody_logged_in_is_told_how(run, argv):
    run.refuses(*argv, names="rensho login")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"url": "nowhere", "token": "t"}', '{"url": 1}'])
def test_a_login_file_that_cannot_be_used_is_named(run, home, content):
    home.parent.mkdir(parents=True)
    home.write_text(content)
    run.refuses("standings", names=str(home))
    assert run("logout")[0] == 0
    assert not home.exists()


def test_the_kit_s_server_commands_need_no_django():
    code = (
        "import sys; import bots.kit.cli; "
        "sys.exit(any(name.split('.')[0] in ('django', 'arena') for name in sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
