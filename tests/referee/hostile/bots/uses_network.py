"""Connects to a server for advice."""

import socket

socket.create_connection(("192.0.2.1", 80))
