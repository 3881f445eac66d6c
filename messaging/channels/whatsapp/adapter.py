"""WhatsApp Cloud API: free text, buttons and lists inside the window, templates outside."""

from __future__ import annotations

from clinicbot.errors import HttpError
from messaging.channels.base import OutboundMessage, Outcome
from messaging.channels.whatsapp import errors, graph, payloads

ROUTE = "whatsapp.messages"


class WhatsAppChannel:
    """No state: safe in any number of threads."""

    kind = "whatsapp"

    def send(self, message: OutboundMessage) -> Outcome:
        """Hand one message to Meta, once. Never raises for what a provider does.

        `ttl_until` is not for a single message here: a template's time to live is part of the template.
        """
        try:
            response = graph.post(
                ROUTE,
                path=f"{message.account.external_id}/messages",
                token=message.account.secrets["access_token"],
                json=payloads.outbound(message),
            )
        except HttpError as error:
            return errors.outcome_of_exception(error)
        return errors.outcome_of_response(response)
