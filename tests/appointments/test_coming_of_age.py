"""clinics C40: on the eighteenth birthday nothing flips silently."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from appointments.queries.desk_tasks import desk_tasks
from appointments.usecases.coming_of_age import ask_who_came_of_age
from messaging.contracts import TaskReason
from messaging.usecases.tasks import finish_task
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice
from tests.messaging.sending.fakes import FakeChannel

BIRTHDAY = date(2008, 4, 14)


def test_who_comes_of_age_is_asked_about_once_and_still_reached_at_the_guardians(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    leo = speaking.add("Leo Núñez", guardian=speaking.ana, at_guardians=True, born_on=BIRTHDAY, now=now)

    asked = [ask_who_came_of_age(now=now + timedelta(days=days)) for days in (-1, 0, 0, 1)]
    (task,) = desk_tasks(speaking.clinic)
    finish_task(speaking.clinic.pk, task_id=task.task.task_id, actor=DESK, now=now)
    asked.append(ask_who_came_of_age(now=now + timedelta(days=2)))
    speaking.book(now=now, day=date(2026, 4, 21), at=time(12), patient=leo)
    run(now=now)

    assert asked == [0, 1, 0, 0, 0]
    assert (task.task.reason, [person.pk for person in task.people]) == (TaskReason.OF_AGE, [leo.pk])
    assert channel.calls[0].phone == "+34612345678"


def test_who_has_a_number_of_their_own_or_is_a_child_or_grown_up_long_since_is_not_asked_about(
    speaking: Practice, now: datetime
) -> None:
    for at_guardians in (False, True):
        speaking.add(
            "Leo Núñez",
            phone="+34 612 999 000",
            guardian=speaking.ana,
            at_guardians=at_guardians,
            born_on=BIRTHDAY,
            now=now,
        )
    for born_on in (date(2010, 4, 14), date(2007, 4, 14), date(2008, 4, 15)):
        speaking.add("Leo Núñez", guardian=speaking.ana, at_guardians=True, born_on=born_on, now=now)

    assert ask_who_came_of_age(now=now) == 0
