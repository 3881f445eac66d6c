"""What went over the wire, for people to read: numbers show their last four digits."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

KEPT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class WireLine:
    """One exchange. `answer` is the HTTP status, or a word such as "cut"."""

    number: int
    at: float
    kind: str
    text: str
    answer: str


class Wire:
    """The last lines, newest last. Not kept over a restart."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: deque[WireLine] = deque(maxlen=KEPT)
        self._count = 0

    @property
    def count(self) -> int:
        return self._count

    def note(self, kind: str, text: str, *, answer: str, at: float) -> None:
        with self._lock:
            self._count += 1
            self._lines.append(WireLine(number=self._count, at=at, kind=kind, text=text, answer=answer))

    def since(self, number: int, *, limit: int = KEPT) -> list[dict[str, Any]]:
        with self._lock:
            newer = [line for line in self._lines if line.number > number]
        return [asdict(line) for line in newer[-limit:]]

    def clear(self) -> None:
        with self._lock:
            self._lines.clear()
