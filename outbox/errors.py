"""What can go wrong with an event before it is written, and with those who would hear of it."""

from __future__ import annotations

from clinicbot.errors import ClinicBotError


class NotInTransactionError(ClinicBotError):
    """An event is published in the transaction that makes it true, or not at all."""

    code = "not_in_transaction"


class PayloadTooLargeError(ClinicBotError):
    """An event carries ids and times, at most 4 KB of them."""

    code = "payload_too_large"


class TextInEventError(ClinicBotError):
    """An event carries words of ours, never names, numbers or texts of people."""

    code = "text_in_event"


class HandlerNameTakenError(ClinicBotError):
    """Two handlers share one name; deliveries could not tell them apart."""

    code = "handler_name_taken"
