"""What a mail server's word asks of us. It goes by the codes of RFC 5321 and RFC 3463; of the words it reads only what codes do
not say: whether a policy is about us (SPF, DKIM, relaying) or about this letter. See facts: channels 2.1.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import ClassVar

from clinicbot.errors import ClinicBotError
from clinicbot.redaction import scrub
from messaging.channels.base import Outcome, Verdict

MAX_DETAIL = 300
LATER_SECONDS = 60.0
GREYLISTED_SECONDS = 300.0  # Most let one through after five minutes.
FULL_SECONDS = 900.0

ENHANCED = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
ABOUT_US = re.compile(r"spf|dkim|dmarc|relay|authenticat|unauthori|blacklist|block ?list|5\.7\.515", re.IGNORECASE)
AUTH_CODES = frozenset({530, 534, 535, 538})
MAILBOX_CODES = frozenset({550, 551, 553})
# 5.1.x is about the address and 5.2.1 a mailbox that is switched off; but for 5.1.7 and 5.1.8, which are about the sender's.
DEAD_MAILBOX = re.compile(r"5\.1\.(?:[0-6]|10)$|5\.2\.1$")
FULL_MAILBOX = re.compile(r"[45]\.2\.2$")


class Phase(StrEnum):
    """How far a conversation had come. From `TEXT` on the server may have taken the letter."""

    CONNECT = "connect"
    GREETING = "greeting"
    LOGIN = "login"
    SENDER = "sender"
    RECIPIENT = "recipient"
    DATA = "data"
    TEXT = "text"


class MailRefusedError(ClinicBotError):
    """The mail server said no."""

    code: ClassVar[str] = "mail_refused"

    def __init__(self, phase: Phase, *, reply: int, words: str) -> None:
        """`words` are the server's and may name people; they are no part of the message."""
        super().__init__(f"{phase} {reply}")
        self.phase, self.reply, self.words = phase, reply, words


class MailCutError(ClinicBotError):
    """The mail server gave no answer in time, or none that can be read."""

    code: ClassVar[str] = "mail_cut"

    def __init__(self, phase: Phase, *, cause: str) -> None:
        """`cause` is the name of a class. The phase says whether the letter may have been taken."""
        super().__init__(f"{phase} {cause}")
        self.phase, self.cause = phase, cause


def outcome_of_refusal(error: MailRefusedError) -> Outcome:
    """A reply is proof that the letter was not taken."""
    enhanced = match.group(1) if (match := ENHANCED.search(error.words)) else ""
    verdict, wait, is_vague = _reaction(error, enhanced)
    return Outcome(
        verdict=verdict,
        after_seconds=wait,
        is_vague=is_vague,
        code=f"{error.reply} {enhanced}".strip(),
        detail=scrub(" ".join(error.words.split()))[:MAX_DETAIL],
    )


def outcome_of_cut(error: MailCutError) -> Outcome:
    """Before the text has begun to leave nothing can have been taken."""
    if error.phase == Phase.TEXT:
        return Outcome(verdict=Verdict.UNKNOWN, code="cut", detail=error.cause)
    if error.cause == "SMTPNotSupportedError" or (error.phase == Phase.LOGIN and error.cause == "SMTPException"):
        # No STARTTLS, or no way to log in: trying again does not change what the server can do.
        return Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="not_supported", detail=error.cause)
    return Outcome(verdict=Verdict.RETRY, after_seconds=LATER_SECONDS, code="not_sent", detail=error.cause)


def _reaction(error: MailRefusedError, enhanced: str) -> tuple[Verdict, float | None, bool]:
    """Verdict, a floor for the next try, and whether trying is worth it a few times only."""
    if FULL_MAILBOX.match(enhanced) or (error.reply == 552 and error.phase == Phase.RECIPIENT):
        return Verdict.RETRY, FULL_SECONDS, True
    if error.reply < 500:
        is_greylisting = error.phase in (Phase.RECIPIENT, Phase.TEXT)
        return Verdict.RETRY, GREYLISTED_SECONDS if is_greylisting else LATER_SECONDS, False
    return _final(error, enhanced), None, False


def _final(error: MailRefusedError, enhanced: str) -> Verdict:
    if error.reply in AUTH_CODES or error.phase in (Phase.GREETING, Phase.LOGIN, Phase.SENDER):
        return Verdict.PAUSE_ACCOUNT
    if DEAD_MAILBOX.match(enhanced):
        return Verdict.RECIPIENT_UNREACHABLE
    if ABOUT_US.search(error.words):
        return Verdict.PAUSE_ACCOUNT
    if error.phase == Phase.RECIPIENT and error.reply in MAILBOX_CODES and not enhanced.startswith("5.7."):
        return Verdict.RECIPIENT_UNREACHABLE
    return Verdict.REJECTED
