"""Sends descriptors through a pair of sockets, which the kernel counts for all bots of a user together."""

import array
import os
import socket

from attempts import attempt_all
from honest import play

PAIR = socket.socketpair()
RIGHTS = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
TRIES = {
    "PAIR[0].sendmsg([b'x'], RIGHTS)": "EPERM",
    "PAIR[0].sendmsg([b'x'])": "EPERM",
    "socket.send_fds(PAIR[0], [b'x'], [0, 1])": "EPERM",
    "PAIR[0].send(b'x'), PAIR[1].recv(1)": "(1, b'x')",
}
attempt_all(TRIES, {"PAIR": PAIR, "RIGHTS": RIGHTS, "os": os, "socket": socket})
play()
