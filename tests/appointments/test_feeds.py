"""A practitioner's calendar at a secret address."""

from __future__ import annotations

from datetime import datetime, time

import pytest
from django.test import Client
from django.urls import reverse
from icalendar import Calendar, Event

from appointments.errors import NotAtThisClinicError
from appointments.models import CalendarFeed, Practitioner
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.feeds import close_feed, open_feed
from clinicbot import clock
from clinicbot.models import AuditEntry, Role
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, booked, day_ahead
from tests.factories import ClinicFactory, MembershipFactory


def opened(practice: Practice, *, shows_names: bool = False) -> str:
    """The token."""
    return open_feed(
        practice.clinic,
        practitioner_id=practice.practitioner.pk,
        shows_names=shows_names,
        actor=DESK,
        now=clock.now(),
    ).token


def events(token: str) -> list[Event]:
    answer = Client().get(reverse("feed", args=[token]))
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    calendar = Calendar.from_ical(answer.content)
    assert isinstance(calendar, Calendar)
    return list(calendar.events)


def test_a_feed_shows_initials_and_the_clinic_s_clock_and_nothing_else(practice: Practice) -> None:
    booked(practice)
    token = opened(practice)

    (event,) = events(token)

    text = event.to_ical().decode()
    assert str(event["SUMMARY"]) == " ".join(f"{part[0]}." for part in practice.ana.full_name.split())
    assert f"TZID={practice.clinic.zone}" in text
    assert "T103000" in text
    assert not any(word in text for word in (practice.ana.full_name, practice.service.name))


def test_names_and_services_are_shown_where_somebody_chose_so(practice: Practice) -> None:
    booked(practice)

    (event,) = events(opened(practice, shows_names=True))

    assert (str(event["SUMMARY"]), str(event["DESCRIPTION"])) == (practice.ana.full_name, practice.service.name)


def test_moved_twice_and_cancelled_is_one_entry_whose_sequence_rises(practice: Practice) -> None:
    visit, token = booked(practice), opened(practice)
    told = events(token)
    for hour in (11, 12):
        slot = practice.slot(day_ahead(practice.clinic), time(hour))
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=clock.now())
        told += events(token)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=clock.now())
    told += events(token)

    assert len({str(event["UID"]) for event in told}) == 1
    assert [event.sequence for event in told] == [0, 1, 2, 3]
    assert [str(event["STATUS"]) for event in told] == ["CONFIRMED"] * 3 + ["CANCELLED"]


def test_a_new_address_an_end_and_a_leaver_each_close_the_old_one_at_once(practice: Practice) -> None:
    first = opened(practice)
    second = opened(practice)
    assert [Client().get(reverse("feed", args=[token])).status_code for token in (first, second)] == [404, 200]

    close_feed(practice.clinic, practitioner_id=practice.practitioner.pk, actor=DESK, now=clock.now())
    assert Client().get(reverse("feed", args=[second])).status_code == 404

    third = opened(practice)
    Practitioner.objects.for_clinic(practice.clinic).update(is_active=False)
    assert Client().get(reverse("feed", args=[third])).status_code == 404
    with pytest.raises(NotAtThisClinicError):
        opened(practice)


@pytest.mark.parametrize("end", ["membership", "login", "elsewhere"])
def test_an_address_ends_with_the_login_of_its_practitioner(practice: Practice, end: str) -> None:
    member = MembershipFactory.create(clinic=practice.clinic, role=Role.PRACTITIONER)
    Practitioner.objects.for_clinic(practice.clinic).filter(pk=practice.practitioner.pk).update(user=member.user)
    token, admin = opened(practice), at_desk(practice.clinic, role=Role.CLINIC_ADMIN)
    before = Client().get(reverse("feed", args=[token])).status_code

    if end == "login":
        member.user.is_active = False
        member.user.save()
    else:
        member.delete()
    if end == "elsewhere":
        MembershipFactory.create(user=member.user, clinic=ClinicFactory.create())

    assert (before, Client().get(reverse("feed", args=[token])).status_code) == (200, 404)
    assert practice.practitioner.full_name not in admin.get(reverse("feeds")).text
    with pytest.raises(NotAtThisClinicError):
        opened(practice)


@pytest.mark.parametrize("end", ["place ends", "login closes", "login is deleted", "another has it", "nothing"])
def test_an_address_that_ended_with_a_login_does_not_come_back_with_none(practice: Practice, end: str) -> None:
    """Whether the login goes from the practitioner first or last."""
    member = MembershipFactory.create(clinic=practice.clinic, role=Role.PRACTITIONER)
    practitioner = practice.practitioner
    practitioner.user = member.user
    practitioner.save()
    token = opened(practice)

    if end == "place ends":
        member.delete()
    elif end == "login closes":
        member.user.is_active = False
        member.user.save()
    elif end == "login is deleted":
        member.user.delete()
    elif end == "another has it":
        practitioner.user = MembershipFactory.create(clinic=practice.clinic).user
        practitioner.save()
    if end != "nothing":
        practitioner.user = None
    practitioner.save()

    assert Client().get(reverse("feed", args=[token])).status_code == (200 if end == "nothing" else 404)


def test_only_a_hash_is_kept_and_who_opened_and_closed_is_on_record(practice: Practice) -> None:
    token = opened(practice)
    close_feed(practice.clinic, practitioner_id=practice.practitioner.pk, actor=DESK, now=clock.now())

    assert not CalendarFeed.objects.for_clinic(practice.clinic).filter(token_hash__contains=token[:8]).exists()
    assert [entry.action for entry in AuditEntry.objects.filter(clinic=practice.clinic).order_by("pk")] == [
        "opened",
        "closed",
    ]


def test_the_desk_gives_away_nobody_s_calendar_and_a_practitioner_their_own(practice: Practice) -> None:
    other = Practitioner.objects.create(clinic=practice.clinic, full_name="Dr Other", initials="DO")
    own = MembershipFactory.create(clinic=practice.clinic, role=Role.PRACTITIONER).user
    Practitioner.objects.for_clinic(practice.clinic).filter(pk=practice.practitioner.pk).update(user=own)
    dentist = Client()
    dentist.force_login(own)

    def asks(client: Client, practitioner: Practitioner) -> int:
        return client.post(reverse("feed-open", args=[practitioner.pk])).status_code

    assert (asks(dentist, practice.practitioner), asks(dentist, other)) == (302, 403)
    assert asks(at_desk(practice.clinic), practice.practitioner) == 403
    elsewhere = make_practice(ClinicFactory.create(), now=clock.now())
    assert asks(at_desk(practice.clinic, role=Role.CLINIC_ADMIN), elsewhere.practitioner) == 404


def test_the_address_is_shown_once(practice: Practice, now: datetime) -> None:
    booked(practice)
    admin = at_desk(practice.clinic, role=Role.CLINIC_ADMIN)

    page = admin.post(reverse("feed-open", args=[practice.practitioner.pk]), follow=True)

    address = page.context["address"]
    assert address in page.text
    assert Client().get(address.removeprefix("http://testserver")).status_code == 200
    assert "/feeds/" in address
    assert address not in admin.get(reverse("feeds")).text
