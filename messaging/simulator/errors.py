"""What the control side refuses. The Graph side has errors of its own, in Meta's form."""

from __future__ import annotations

import inspect
from typing import ClassVar


class SimulatorError(Exception):
    """The simulator cannot do that."""

    code: ClassVar[str] = "error"
    http_status: ClassVar[int] = 400

    def __init__(self, message: str = "") -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


class BadControlRequestError(SimulatorError):
    """The control request names something that does not exist or has the wrong form."""

    code = "bad_control_request"


class UnknownPhoneError(SimulatorError):
    """No phone has that number or id."""

    code = "unknown_phone"
    http_status = 404


class UnknownThingError(SimulatorError):
    """Nothing has that id."""

    code = "unknown_thing"
    http_status = 404


class NotOnThePhoneError(SimulatorError):
    """The phone shows no such button, row or message."""

    code = "not_on_the_phone"
    http_status = 409


class PhoneIsOffError(SimulatorError):
    """The phone is off: nobody can tap or type on it."""

    code = "phone_is_off"
    http_status = 409


class ClockOnlyGoesForwardsError(SimulatorError):
    """Something has been said already, so the clock only goes forwards."""

    code = "clock_only_goes_forwards"
    http_status = 409
