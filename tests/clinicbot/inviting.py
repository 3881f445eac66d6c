"""Short ways to invite somebody, and to read the letter they got."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.inviting import invite
from clinicbot.models import Clinic, Invitation, Role
from clinicbot.ticks import Deadline
from messaging.channels.base import FreeContent, OutboundMessage, Outcome, Verdict
from messaging.channels.registry import stand_in
from messaging.usecases.rounds import send_batch

EMAIL = "nueva@example.org"


class Mailbox:
    """Takes every letter."""

    kind = "email"

    def __init__(self) -> None:
        self.letters: list[OutboundMessage] = []

    def send(self, message: OutboundMessage) -> Outcome:
        self.letters.append(message)
        return Outcome(verdict=Verdict.ACCEPTED, provider_message_id=f"<{message.attempt_id}@clinic.example>")

    def collect(self, *, now: datetime) -> None:
        while send_batch(real=clock.real(), now=now, deadline=Deadline(60)).more:
            pass

    @property
    def bodies(self) -> list[str]:
        contents = [letter.content for letter in self.letters]
        return [content.body for content in contents if isinstance(content, FreeContent)]

    @property
    def link(self) -> str:
        """Of the last letter, as a path."""
        found = re.search(r"/invitation/[\w-]+/", self.bodies[-1])
        assert found is not None
        return found.group()


@contextmanager
def open_mailbox() -> Iterator[Mailbox]:
    mailbox = Mailbox()
    with stand_in(mailbox):
        yield mailbox


def invite_to(clinic: Clinic, *, now: datetime, role: Role = Role.FRONT_DESK, email: str = EMAIL) -> Invitation:
    return invite(clinic, email=email, role=role, actor=Actor.system(), now=now)
