"""E-mail over SMTP, as written: no window, no templates, and nobody tells what became of it."""

from __future__ import annotations

from django.conf import settings

from clinicbot.http import is_allowed
from messaging import conf
from messaging.channels.base import EMAIL, FreeContent, OutboundMessage, Outcome, Verdict
from messaging.channels.email import payloads
from messaging.channels.email.errors import MailCutError, MailRefusedError, outcome_of_cut, outcome_of_refusal
from messaging.channels.email.session import Server, hand_in

CONNECT_SECONDS = 5.0


class EmailChannel:
    """No state: safe in any number of threads."""

    kind = EMAIL

    def send(self, message: OutboundMessage) -> Outcome:
        """Hand one letter in, once. Never raises for what a server does.

        Accepted is all we ever hear: a server that took it may still send it back to nobody.
        """
        server = configured_server()
        if not server.host:
            return Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="no_email_server")
        if not is_allowed(server.host):
            return Outcome(verdict=Verdict.RETRY, after_seconds=60.0, code="not_sent", detail="HostNotAllowed")
        if not isinstance(message.content, FreeContent):
            return Outcome(verdict=Verdict.REJECTED, code="template")
        sender = message.account.external_id or settings.DEFAULT_FROM_EMAIL
        try:
            hand_in(
                payloads.letter(message.content, attempt_id=message.attempt_id, sender=sender, recipient=message.email),
                sender=payloads.in_ascii(sender),
                recipient=payloads.in_ascii(message.email),
                server=server,
                our_name=payloads.domain_of(sender),
                connect_seconds=CONNECT_SECONDS,
                total_seconds=conf.email_call_seconds(),
            )
        except MailRefusedError as refusal:
            return outcome_of_refusal(refusal)
        except MailCutError as cut:
            return outcome_of_cut(cut)
        return Outcome(
            verdict=Verdict.ACCEPTED, provider_message_id=payloads.message_id(message.attempt_id, sender=sender)
        )


def configured_server() -> Server:
    """As `EMAIL_URL` says; without one there is no host."""
    return Server(
        host=settings.EMAIL_HOST,
        port=settings.EMAIL_PORT,
        user=settings.EMAIL_HOST_USER,
        password=settings.EMAIL_HOST_PASSWORD,
        starts_tls=settings.EMAIL_USE_TLS,
        is_tls=settings.EMAIL_USE_SSL,
    )
