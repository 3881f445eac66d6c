"""Which ports are free, and who answers."""

from __future__ import annotations

import socket
from threading import Event

HOST = "127.0.0.1"


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def answers(port: int, *, within_seconds: float) -> bool:
    pause = Event()
    for _ in range(int(within_seconds * 10)):
        try:
            with socket.create_connection((HOST, port), timeout=1):
                return True
        except OSError:
            pause.wait(0.1)
    return False
