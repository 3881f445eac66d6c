"""What messaging expects to go wrong."""

from __future__ import annotations

from clinicbot.errors import ClinicBotError


class UnknownTextError(ClinicBotError):
    """There is no such text, or not in that language."""

    code = "unknown_text"


class MissingVariableError(ClinicBotError):
    """A text needs a variable that it was not given."""

    code = "missing_variable"


class MalformedTextError(ClinicBotError):
    """A text is not written as templates/messages/README.md says."""

    code = "malformed_text"


class MalformedPhoneError(ClinicBotError):
    """That is not a phone number anybody can be called at."""

    code = "malformed_phone"


class ContactNotFoundError(ClinicBotError):
    """This clinic has no such contact."""

    code = "contact_not_found"


class InboundNotFoundError(ClinicBotError):
    """This clinic has no such message from a person."""

    code = "inbound_not_found"
