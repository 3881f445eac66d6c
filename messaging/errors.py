"""What messaging expects to go wrong."""

from __future__ import annotations

from collections.abc import Sequence

from clinicbot.errors import ClinicBotError
from messaging.channels.base import Outcome


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


class GarbledWebhookError(ClinicBotError):
    """The body is no JSON object with a list `entry`."""

    code = "garbled_webhook"


class UnknownKindError(ClinicBotError):
    """No house declares a message of that kind."""

    code = "unknown_message_kind"


class NothingToSayError(ClinicBotError):
    """A message must be about something, or nothing keeps it from being said twice."""

    code = "message_without_subject"


class MessageNotFoundError(ClinicBotError):
    """This clinic has no such message."""

    code = "message_not_found"


class StillOnItsWayError(ClinicBotError):
    """The message has not come to an end yet, so there is nothing to send again."""

    code = "message_still_on_its_way"


class AlreadySentAgainError(ClinicBotError):
    """Somebody has sent this message again already; the newer one counts."""

    code = "message_already_sent_again"


class WrittenByHandError(ClinicBotError):
    """A member of staff wrote this message: write it again in the conversation."""

    code = "message_written_by_hand"


class DatabaseInSendThreadError(ClinicBotError):
    """A thread that talks to providers has no business with the database."""

    code = "database_in_send_thread"


class SwitchAlreadyThrownError(ClinicBotError):
    """Sending is stopped there already."""

    code = "switch_already_thrown"


class SwitchNotThrownError(ClinicBotError):
    """That switch has been released already."""

    code = "switch_not_thrown"


class ProviderRefusedError(ClinicBotError):
    """The provider refused something other than a message."""

    code = "provider_refused"

    def __init__(self, outcome: Outcome) -> None:
        """`outcome`: as the channel's classifier reads the refusal; its detail carries nothing personal."""
        super().__init__(f"The provider refused: {outcome.code}.")
        self.outcome = outcome


class TemplateNotFoundError(ClinicBotError):
    """This clinic has no such template."""

    code = "template_not_found"


class TemplateNotEditableError(ClinicBotError):
    """The provider does not let this template be changed now: it must be approved, rejected or paused, and one of ours."""

    code = "template_not_editable"


class OwnWordsRefusedError(ClinicBotError):
    """A clinic's own words cannot be said like that."""

    code = "own_words_refused"

    def __init__(self, faults: Sequence[str]) -> None:
        """`faults`: every reason, each a sentence for whoever wrote the words."""
        super().__init__(" ".join(faults))
        self.faults = tuple(faults)


class OwnWordsChangedError(ClinicBotError):
    """Somebody changed these words meanwhile. Nothing was saved."""

    code = "own_words_changed"

    def __init__(self, present: str) -> None:
        """`present`: the clinic's own words as they are now; "" for none."""
        super().__init__()
        self.present = present


class MessageKindTakenError(ClinicBotError):
    """Two message kinds share one name; messages could not tell them apart."""

    code = "message_kind_taken"


class ConsentReasonMissingError(ClinicBotError):
    """Staff say why they note a yes or a no."""

    code = "consent_reason_missing"


class NotAMemberError(ClinicBotError):
    """They do not work at this clinic."""

    code = "not_a_member"


class NewsMeanwhileError(ClinicBotError):
    """Something was said in the conversation that was not seen yet."""

    code = "news_meanwhile"


class WindowClosedError(ClinicBotError):
    """They wrote more than 24 hours ago, so WhatsApp takes only a template."""

    code = "window_closed"


class WrongNumberError(ClinicBotError):
    """The number belongs to somebody else, so nothing goes there."""

    code = "wrong_number"


class AnswerTooLongError(ClinicBotError):
    """WhatsApp takes 4,096 characters at once."""

    code = "answer_too_long"


class FormSentBeforeError(ClinicBotError):
    """This form was sent before, with other words."""

    code = "form_sent_before"
