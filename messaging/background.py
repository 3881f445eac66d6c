"""One thread per process that hurries the sender after a commit, so that no web response waits for a provider.

Messages are rows; whatever this leaves undone, the next tick does.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading

from django.db import connections

from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging import conf
from messaging.usecases.rounds import OVERHEAD_SECONDS, send_batch

logger = logging.getLogger(__name__)

ROUND_SECONDS = 60.0


class BackgroundSender:
    """Woken while it works, it works once more; it never runs twice at a time."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """A forked child has inherited the lock, but not the thread."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_wanted = False
        self._deadline = Deadline(0)

    def wake(self) -> None:
        with self._lock:
            self._is_wanted = True
            if self._thread is None:
                # A daemon: it must not keep a process from ending. `finish` gives it the time its calls need.
                self._thread = threading.Thread(target=self._run, name="background-sender", daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Begin nothing more, and wait until the calls in progress have ended and are written down."""
        with self._lock:
            self._is_wanted = False
            self._deadline.end_now()
        self.join(conf.send_call_seconds() + OVERHEAD_SECONDS)

    def join(self, timeout_seconds: float) -> bool:
        """Whether it has nothing left to do by then."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)
        return thread is None or not thread.is_alive()

    def _run(self) -> None:
        try:
            while self._takes_another_round():
                self._send()
        except Exception:  # Nobody waits for this thread: its trouble must be in the log, and the next tick goes on.
            logger.exception("The background sender failed.")
            with self._lock:
                self._thread = None
        finally:
            connections.close_all()

    def _takes_another_round(self) -> bool:
        with self._lock:
            wanted, self._is_wanted = self._is_wanted, False
            if wanted:
                self._deadline = Deadline(ROUND_SECONDS)
            else:
                self._thread = None
            return wanted

    def _send(self) -> None:
        while not self._deadline.is_over():
            reading = clock.read()
            if not send_batch(real=reading.real, now=reading.now, deadline=self._deadline).more:
                return


background_sender = BackgroundSender()
atexit.register(background_sender.finish)
os.register_at_fork(after_in_child=background_sender.reset)
