"""Looks for network access: every kind of socket, names, and sockets without a network."""

import socket

from attempts import attempt_all
from honest import play

TRIES = {
    "socket.socket()": "EPERM",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)": "EPERM",
    "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)": "EPERM",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW)": "EPERM",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)": "EPERM",
    "socket.socket(socket.AF_VSOCK)": "EPERM",
    "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)": "EPERM",
    "socket.socket(socket.AF_UNIX)": "EPERM",
    "socket.create_connection(('127.0.0.1', 22), 1)": "EPERM",
    "socket.create_connection(('192.0.2.1', 80), 1)": "EPERM",
    "socket.getaddrinfo('example.org', 80)": "gaierror",
    "socket.socketpair(socket.AF_INET)": "EPERM",
    "socket.socketpair()[0].getsockname()": "AttributeError",
    "socket.socketpair()[0].sendto(b'x', '\\0rensho')": "AttributeError",
    "socket.socketpair(type=socket.SOCK_DGRAM)[0].connect('\\0rensho')": "EPERM",
    "socket.socketpair(type=socket.SOCK_DGRAM)[0].bind('\\0rensho')": "EPERM",
    "socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', '\\0rensho')": "EPERM",
}
attempt_all(TRIES, {"socket": socket})
play()
