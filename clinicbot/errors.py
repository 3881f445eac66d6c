"""The root of every error the code expects."""

from __future__ import annotations

import inspect
from typing import ClassVar


class ClinicBotError(Exception):
    """Something the code expected could go wrong did."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


class UnscopedQueryError(ClinicBotError):
    """A clinic's rows were asked for without saying which clinic."""

    code = "unscoped_query"


class ClockNotMovableError(ClinicBotError):
    """Only the demo may move the clock, and only forwards."""

    code = "clock_not_movable"
