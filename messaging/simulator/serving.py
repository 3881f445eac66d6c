"""The server around the application: threads, signals, cut lines, and a door that can be shut."""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, ClassVar

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from messaging.simulator.app import create_app
from messaging.simulator.mail.receiver import Receiver
from messaging.simulator.network.postman import Postman
from messaging.simulator.options import Options
from messaging.simulator.world import World

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

HARD_RESET = struct.pack("ii", 1, 0)


class Handler(WSGIRequestHandler):
    """Keeps no access log: paths may hold ids, and the wire log says more."""

    timeout = 60
    door: ClassVar[Door]
    is_busy = False

    def setup(self) -> None:
        super().setup()
        self.door.handlers.add(self)

    def finish(self) -> None:
        self.door.handlers.discard(self)
        super().finish()

    def run_wsgi(self) -> None:
        self.is_busy = True
        super().run_wsgi()
        self.is_busy = False
        self.close_connection = self.close_connection or self.door.is_shut

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Not logged."""

    def connection_dropped(self, error: BaseException, environ: WSGIEnvironment | None = None) -> None:
        """Cut now. A hard cut sends a reset; a soft one just ends."""
        self.close_connection = True
        if str(error) == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, HARD_RESET)
        os.close(self.connection.detach())

    def hang_up_if_idle(self) -> None:
        if not self.is_busy:
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)


class Door:
    """Where the server listens. Shut, it refuses connections as a machine does where nothing listens."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._app = create_app(world)
        self._shut_for_seconds = 0.0
        self.is_shut = False
        self.handlers: set[Handler] = set()
        Handler.door = self
        self._server = self._listen(world.options.port)
        world.shut_door.append(self.shut)

    @property
    def port(self) -> int:
        return self._server.port

    def _listen(self, port: int) -> BaseWSGIServer:
        return make_server(self._world.options.host, port, self._app, threaded=True, request_handler=Handler)

    def serve(self) -> None:
        """Until closing. While shut, nothing listens, and idle lines are hung up."""
        while not self._world.closing.is_set():
            self._server.serve_forever(poll_interval=0.05)
            port = self._server.port
            self._server.socket.close()
            for handler in list(self.handlers):
                handler.hang_up_if_idle()
            if self._shut_for_seconds and not self._world.closing.wait(self._shut_for_seconds):
                self._shut_for_seconds, self.is_shut = 0.0, False
                self._server = self._listen(port)

    def shut(self, seconds: float) -> None:
        """Refuse connections for some real seconds."""
        self._shut_for_seconds, self.is_shut = seconds, True
        threading.Thread(target=self._server.shutdown, daemon=True).start()

    def close(self) -> None:
        self._world.closing.set()
        threading.Thread(target=self._server.shutdown, daemon=True).start()


def run(options: Options) -> None:
    """Serve until told to stop. The first line of output says where."""
    world = World.open(options)
    postman = Postman(world)
    door = Door(world)
    receiver = Receiver(world) if options.mail_port is not None else None

    def stop(number: int, frame: FrameType | None) -> None:
        door.close()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    postman.start()
    if receiver is not None:
        receiver.start()
    sys.stdout.write(f"The phones are at http://{options.host}:{door.port}/\n")
    if receiver is not None:
        sys.stdout.write(f"E-mail is taken at smtp://{options.host}:{receiver.port}\n")
    sys.stdout.flush()
    door.serve()
    if receiver is not None:
        receiver.stop()
    postman.stop()
    world.ledger.close()
