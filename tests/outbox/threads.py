"""Work on a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


@contextmanager
def beside(work: Callable[[], T]) -> Iterator[Future[T]]:
    """Run it in a thread meanwhile; on leaving, wait for it and raise what it raised."""

    def run() -> T:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(run)
        yield future
        future.result(timeout=30)
