"""What bots in Python have in place of the kernel's pipes and pairs of sockets."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Iterator

import pytest

from referee.runtimes.recipes.python1 import own_pipes
from referee.runtimes.recipes.python1.own_pipes import PairedStream, pipe2, socketpair
from tests.refusals import refusal

Pair = tuple[PairedStream, PairedStream]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ends = socketpair(None, socket.SOCK_STREAM)
    yield ends
    for end in ends:
        end.close()


@pytest.mark.parametrize("flags", [0, os.O_CLOEXEC, os.O_NONBLOCK, os.O_CLOEXEC | os.O_NONBLOCK])
def test_a_pipe_is_as_its_flags_say(flags: int) -> None:
    reader, writer = pipe2(flags)
    try:
        for end in (reader, writer):
            assert stat.S_ISFIFO(os.fstat(end).st_mode)
            assert os.fstat(end).st_nlink == 0
            assert os.get_blocking(end) == (not flags & os.O_NONBLOCK)
            assert os.get_inheritable(end) == (not flags & os.O_CLOEXEC)
        os.write(writer, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(writer)
        assert os.read(reader, 1) == b""
        os.close(reader)


def test_each_end_of_a_pair_hears_the_other(pair: Pair) -> None:
    there, here = pair
    there.sendall(b"question")
    assert here.recv(100) == b"question"
    here.send(b"answer")
    buffer = bytearray(100)
    assert there.recv_into(buffer) == 6
    assert buffer[:6] == b"answer"
    there.shutdown(socket.SHUT_WR)
    assert here.recv(1) == b""
    here.close()
    assert here.fileno() == -1
    assert there.recv(1) == b""


def test_more_than_a_pipe_holds_passes_while_the_other_reads(pair: Pair) -> None:
    there, here = pair
    data = os.urandom(300_000)
    sender = threading.Thread(target=there.sendall, args=[data])
    sender.start()
    got = b""
    while len(got) < len(data):
        got += here.recv(65536)
    sender.join()
    assert got == data


def test_waiting_is_as_one_says(pair: Pair) -> None:
    end = pair[0]
    assert (end.getblocking(), end.gettimeout()) == (True, None)
    end.setblocking(False)
    refusal(BlockingIOError, end.recv, 1)
    end.settimeout(0.01)
    refusal(TimeoutError, end.recv, 1)


@pytest.mark.parametrize(
    ("family", "kind"), [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_UNIX, socket.SOCK_DGRAM)]
)
def test_other_pairs_are_refused(family: int, kind: int) -> None:
    refusal(PermissionError, own_pipes.socketpair, family, kind)
