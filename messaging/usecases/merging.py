"""Two persons turn out to be one: what was said to either was said to the one who stays."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from clinicbot.actors import Actor
from messaging.contracts import Category, ConsentSource, Person
from messaging.models import Message, MessageSubject, StaffTask, TaskState
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import withdraw


@transaction.atomic
def stricter_of_all(clinic_id: int, *, contact_ids: Collection[int], actor: Actor, now: datetime) -> None:
    """What is not wanted at one of these numbers of a person is not wanted at any."""
    stopped = opted_out_categories(clinic_id, contact_ids=contact_ids)
    unwanted = {Category(one) for categories in stopped.values() for one in categories}
    if not unwanted:
        return
    for contact_id in sorted(contact_ids):
        withdraw(
            clinic_id,
            contact_id=contact_id,
            categories=sorted(unwanted - {Category(one) for one in stopped[contact_id]}),
            source=ConsentSource.MERGE,
            actor=actor,
            now=now,
        )


@transaction.atomic
def move_person(clinic_id: int, *, gone: Person, kept: Person, actor: Actor, now: datetime) -> None:
    """Messages, what they speak of, and tasks. Of a question that stands open for both, one is left."""
    tasks = StaffTask.objects.for_clinic(clinic_id)
    before, after = f"{gone.kind}:{gone.id}:", f"{kept.kind}:{kept.id}:"
    for task in tasks.filter(unique_key__startswith=before).order_by("pk").select_for_update(no_key=True):
        key = after + task.unique_key.removeprefix(before)
        if task.state == TaskState.OPEN and tasks.filter(unique_key=key, state=TaskState.OPEN).exists():
            task.state, task.done_at, task.done_by = TaskState.DONE, now, actor.id
        task.unique_key = key
        task.save(update_fields=["state", "done_at", "done_by", "unique_key"])
    tasks.filter(person_kind=gone.kind, person_id=gone.id).update(person_id=kept.id)
    messages = Message.objects.for_clinic(clinic_id).filter(person_kind=gone.kind, person_id=gone.id)
    locked = list(messages.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    Message.objects.for_clinic(clinic_id).filter(pk__in=locked).update(person_id=kept.id)
    same = ("kind", "rule", "subject_type", "subject_id", "subject_version", "person_kind", "generation")
    twins = MessageSubject.objects.for_clinic(clinic_id).filter(
        person_id=kept.id, **{name: OuterRef(name) for name in same}
    )
    # Said of the same thing to both: the key of the one who stays is enough.
    own = MessageSubject.objects.for_clinic(clinic_id).filter(person_kind=gone.kind, person_id=gone.id)
    own.exclude(Exists(twins)).update(person_id=kept.id)
