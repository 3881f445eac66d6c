"""The root of every error the code expects."""

from __future__ import annotations

import inspect
from typing import ClassVar


class ClinicBotError(Exception):
    """Something the code expected could go wrong did."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


def summary_of(error: BaseException) -> str:
    """Class, and our code or the database's: what a row may keep. The words may quote a row, an address or a key."""
    code = error.code if isinstance(error, ClinicBotError) else getattr(error.__cause__, "sqlstate", None)
    return f"{type(error).__qualname__} {code or ''}".strip()


class UnscopedQueryError(ClinicBotError):
    """A clinic's rows were asked for without saying which clinic."""

    code = "unscoped_query"


class ClockNotMovableError(ClinicBotError):
    """Only the demo may move the clock, and only forwards."""

    code = "clock_not_movable"


class HttpError(ClinicBotError):
    """A call to the outside got no answer."""

    code = "http"

    def __init__(self, *, host: str, route: str, cause: str) -> None:
        """`cause` is a fixed word or an exception's class name: never its text, which may hold an address or a token."""
        super().__init__(f"{host} {route}: {cause}")
        self.host = host
        self.route = route
        self.cause = cause


class HttpNotSentError(HttpError):
    """The request has provably not left: refused, no such name, TLS, no connection in time, host not allowed."""

    code = "http_not_sent"


class HttpMaybeSentError(HttpError):
    """The request may have been read: reset, no answer in time, an answer that breaks the protocol."""

    code = "http_maybe_sent"


class NotPlainError(ClinicBotError):
    """Only ids, numbers, words and times with a zone may be stored."""

    code = "not_plain"


class BadPayloadError(ClinicBotError):
    """What was stored does not fit the class that should read it."""

    code = "bad_payload"


class BadClockWishError(ClinicBotError):
    """Say by how many seconds, or to which moment with its offset, within a year."""

    code = "bad_clock_wish"


class MalformedEmailError(ClinicBotError):
    """That is not an e-mail address anybody can be written to at."""

    code = "malformed_email"


class InvitationOverError(ClinicBotError):
    """The invitation was accepted or taken back, or its time is over."""

    code = "invitation_over"


class TooOftenError(ClinicBotError):
    """It was asked for too often within the hour."""

    code = "too_often"


class NoPostmanError(ClinicBotError):
    """No house takes letters of the floor."""

    code = "no_postman"


class NothingChosenError(ClinicBotError):
    """No row was chosen."""

    code = "nothing_chosen"


class TooManyChosenError(ClinicBotError):
    """More than 50,000 rows were chosen. Filter first."""

    code = "too_many_chosen"
