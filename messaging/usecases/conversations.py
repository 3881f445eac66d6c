"""Whose a conversation is, who has seen it, and when it is done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.members import is_member
from clinicbot.models import Clinic
from messaging.channels.base import EMAIL
from messaging.contracts import Person, TaskReason
from messaging.errors import ContactNotFoundError, NewsMeanwhileError, NotAMemberError
from messaging.models import Contact, Conversation, StaffTask, TaskState
from messaging.queries.conversation_news import News, Seen, news_since
from messaging.usecases.tasks import open_task, reopen_task


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """before: whose it was, None where nobody's. is_new: whether that is somebody else."""

    before: int | None
    is_new: bool


@transaction.atomic
def assign(clinic: Clinic, *, contact_id: int, to: int | None, actor: Actor, now: datetime) -> Assigned:
    """Give a conversation to somebody who works at this clinic, or to nobody.

    Raises:
        ContactNotFoundError: not at this clinic.
        NotAMemberError: `to` does not work here.
    """
    if to is not None and not is_member(clinic, user_id=to):
        raise NotAMemberError
    conversation = take_in_hand(clinic, contact_id=contact_id)
    before = conversation.assigned_to_id
    if before == to:
        return Assigned(before=before, is_new=False)
    conversation.assigned_to_id = to
    conversation.save(update_fields=["assigned_to"])
    detail = {"from": before, "to": to}
    audit.record(actor, clinic=clinic, action="conversation.assigned", subject=conversation, detail=detail, now=now)
    return Assigned(before=before, is_new=True)


@transaction.atomic
def note_seen(clinic: Clinic, *, contact_id: int, until: datetime) -> None:
    """What had reached us by then, somebody has read. An older word changes nothing.

    Raises:
        ContactNotFoundError: not at this clinic.
    """
    conversation = take_in_hand(clinic, contact_id=contact_id)
    if conversation.seen_at is None or conversation.seen_at < until:
        conversation.seen_at = until
        conversation.save(update_fields=["seen_at"])


@transaction.atomic
def finish(
    clinic: Clinic, *, contact_id: int, task_ids: Collection[int], seen: Seen, actor: Actor, now: datetime
) -> bool:
    """What needed a person is done: these tasks, which were seen. False where none of them was open any more.

    Raises:
        ContactNotFoundError: not at this clinic.
        NewsMeanwhileError: they wrote since, or a colleague did.
    """
    conversation = take_in_hand(clinic, contact_id=contact_id)
    finished = finish_seen(conversation, task_ids=task_ids, actor=actor, now=now)
    # After the tasks are in hand: from now on a new word of theirs opens one of its own.
    if news_since(clinic.pk, contact_id=contact_id, seen=seen) != News():
        raise NewsMeanwhileError
    if not finished:
        return False
    audit.record(
        actor,
        clinic=clinic,
        action="conversation.finished",
        subject=conversation,
        detail={"tasks": finished},
        now=now,
    )
    return True


@transaction.atomic
def reopen(clinic: Clinic, *, contact_id: int, actor: Actor, now: datetime) -> None:
    """It needs a person after all: what was done last is open again; where nothing was, that a colleague left it open.

    Raises:
        ContactNotFoundError: not at this clinic.
    """
    conversation = take_in_hand(clinic, contact_id=contact_id)
    opened = [pk for pk in conversation.finished_tasks if reopen_task(clinic.pk, task_id=pk, now=now)]
    if not opened and not _is_open(conversation):
        task_id = open_task(
            clinic.pk,
            reason=TaskReason.LEFT_OPEN,
            unique_key=f"contact:{contact_id}:left_open",
            person=Person("contact", contact_id),
            now=now,
        )
        opened = [task_id]
    conversation.done_at = conversation.done_by_id = None
    conversation.finished_tasks = []
    conversation.save(update_fields=["done_at", "done_by", "finished_tasks"])
    audit.record(
        actor, clinic=clinic, action="conversation.reopened", subject=conversation, detail={"tasks": opened}, now=now
    )


def finish_seen(conversation: Conversation, *, task_ids: Collection[int], actor: Actor, now: datetime) -> list[int]:
    """The caller holds the conversation. Which of these tasks it has ended."""
    tasks = StaffTask.objects.for_clinic(conversation.clinic_id).filter(contact_id=conversation.contact_id)
    wanted = tasks.filter(pk__in=set(task_ids), state=TaskState.OPEN).select_for_update(no_key=True).order_by("pk")
    finished = list(wanted.values_list("pk", flat=True))
    if finished:
        tasks.filter(pk__in=finished).update(state=TaskState.DONE, done_at=now, done_by=actor.id)
        conversation.done_at, conversation.done_by_id, conversation.finished_tasks = now, actor.id, finished
        conversation.save(update_fields=["done_at", "done_by", "finished_tasks"])
    return finished


def take_in_hand(clinic: Clinic, *, contact_id: int) -> Conversation:
    """Locked until the end of the transaction, and made where there was none: two people act one after the other.

    Raises:
        ContactNotFoundError: not at this clinic, or a colleague's own address.
    """
    if not Contact.objects.for_clinic(clinic).filter(pk=contact_id).exclude(channel=EMAIL).exists():
        raise ContactNotFoundError
    Conversation.objects.bulk_create([Conversation(clinic=clinic, contact_id=contact_id)], ignore_conflicts=True)
    return Conversation.objects.for_clinic(clinic).select_for_update(no_key=True).get(contact_id=contact_id)


def _is_open(conversation: Conversation) -> bool:
    tasks = StaffTask.objects.for_clinic(conversation.clinic_id).filter(contact_id=conversation.contact_id)
    return tasks.filter(state=TaskState.OPEN).exists()
