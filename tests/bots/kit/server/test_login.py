"""Logging in and out: the token is checked, stored for oneself alone, and sent nowhere else."""

import json
import os
import subprocess
import sys

import pytest

from bots.kit.client.errors import NotLoggedIn
from bots.kit.server.account import Login, login_now, login_save
from tests import factories
from tests.bots.kit.server.peer import page, peer, plain, problem
from tests.bots.kit.terminal import Terminal

ME = {"id": "u", "username": "aya", "handle": None, "scopes": ["read", "bots"]}


def test_a_login_is_checked_and_stored_for_oneself_alone(run, site, home):
    token = factories.a_token(factories.aya(), "read", "bots")
    status, out, err = run("login", f"{site}/", "--token", token)
    assert (status, err) == (0, "")
    assert out == f"Logged in to {site} as aya (token in {home}).\n"
    assert json.loads(home.read_text()) == {"url": site, "token": token}
    assert home.stat().st_mode & 0o777 == 0o600
    assert home.parent.stat().st_mode & 0o777 == 0o700
    assert login_now() == Login(site, token)


def test_a_token_the_server_does_not_take_is_not_stored(run, site, home):
    status, out, err = run("login", site, "--token", "rensho_" + "x" * 40)
    assert (status, out) == (2, "")
    assert f"{site} does not take this token: There is no such token." in err
    assert err.count("\n") == 1
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
        terminal.until(b"Token: ")
        os.write(terminal.ours, b"rensho_typed\n")
        said = terminal.until(None)
        assert terminal.process.wait() == 0
        os.close(terminal.ours)
        assert "rensho_typed" not in said
        assert server.asked[0][2]["Authorization"] == "Bearer rensho_typed"
    assert json.loads(home.read_text())["token"] == "rensho_typed"


@pytest.mark.parametrize("token", ["", "two words", "ümlaut"])
def test_what_is_no_token_is_never_sent(run, token):
    with peer(plain(ME)) as server:
        status, _, err = run("login", server.url, "--token", token)
        assert (status, server.asked) == (2, [])
        assert "token" in err


def test_who_has_no_token_is_told_where_to_make_one(run):
    assert (
        "you make one at http://localhost:1/me/tokens" in run("login", "http://localhost:1", "--token", "")[2]
    )


def test_a_refused_token_of_the_environment_is_named_instead_of_the_login(run, monkeypatch):
    with peer(problem(401, "bad_token", "There is no such token.")) as server:
        login_save(Login(server.url, "stored"))
        assert run("api", "GET", "me")[2].endswith(
            f"There is no such token. Log in again with: rensho login {server.url}\n"
        )
        monkeypatch.setenv("RENSHO_TOKEN", "of the environment")
        status, _, err = run("api", "GET", "me")
        assert status == 2
        assert "It comes from RENSHO_TOKEN: change that variable or unset it\n" in err
        assert "rensho login" not in err


def test_a_token_that_may_too_little_is_noted(run):
    with peer(plain({**ME, "scopes": ["read"]})) as server:
        status, _, err = run("login", server.url, "--token", "t")
        assert status == 0
        assert "lacks the scope 'bots'" in err


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (page(), 3, "not as a Rensho server"),
        (plain({"hello": "world"}), 3, "not as a Rensho server"),
        (plain([1]), 3, "not as a Rensho server"),
        (problem(403, "scope_missing", "This needs a token with the scope 'read'."), 2, "scope 'read'"),
    ],
)
def test_a_server_that_is_none_of_ours_is_said_so(run, home, answer, status, words):
    with peer(answer) as server:
        got, out, err = run("login", server.url, "--token", "t")
        assert (got, out) == (status, "")
        assert words in err
    assert not home.exists()


def test_logging_out_forgets(run, home):
    login_save(Login("http://localhost:1", "t"))
    status, out, _ = run("logout")
    assert status == 0
    assert "Forgot http://localhost:1. The token is still valid there: " in out
    assert out.endswith("revoke it at http://localhost:1/me/tokens.\n")
    assert not home.exists()
    assert run("logout")[:2] == (0, "You were not logged in.\n")


def test_the_environment_comes_first(home):
    login_save(Login("http://stored:1", "stored"))
    assert login_now({"XDG_CONFIG_HOME": str(home.parents[1]), "RENSHO_TOKEN": "new"}) == Login(
        "http://stored:1", "new"
    )


def test_a_stored_token_goes_to_its_own_server_only(home):
    login_save(Login("http://stored:1", "stored"))
    settings = {"XDG_CONFIG_HOME": str(home.parents[1])}
    assert login_now({**settings, "RENSHO_URL": "http://other:1"}) == Login("http://other:1", "")
    assert login_now({**settings, "RENSHO_URL": "http://stored:1/"}) == Login("http://stored:1", "stored")


def test_nobody_logged_in_is_told_how(run, tmp_path):
    with pytest.raises(NotLoggedIn):
        login_now({"XDG_CONFIG_HOME": str(tmp_path / "empty")})
    for argv in (["submit", "."], ["api", "GET", "me"], ["watch", "t"], ["standings", "t"]):
        status, out, err = run(*argv)
        assert (status, out) == (2, "") or argv[0] == "submit"
        assert status in (1, 2)
        assert err.startswith("rensho: ")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"url": "nowhere", "token": "t"}', '{"url": 1}'])
def test_a_login_file_that_cannot_be_used_is_named(run, home, content):
    home.parent.mkdir(parents=True)
    home.write_text(content)
    status, _, err = run("standings")
    assert status == 2
    assert f"cannot use {home}" in err
    assert run("logout")[0] == 0
    assert not home.exists()


def test_the_kit_s_server_commands_need_no_django():
    code = (
        "import sys; import bots.kit.cli; "
        "sys.exit(any(name.split('.')[0] in ('django', 'arena') for name in sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
