"""The clinic's patients and visits as files for a spreadsheet."""

from __future__ import annotations

import csv
from datetime import time
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from appointments.brought_files.lines import read_visit_file
from appointments.usecases.booking import cancel_appointment
from clinicbot import clock
from clinicbot.models import AuditEntry, Role
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, booked, day_ahead
from tests.factories import ClinicFactory


def file_of(client: Client, name: str, **wish: str) -> bytes:
    answer = client.post(reverse(name), wish)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    return answer.getvalue()


def lines_of(content: bytes, *, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def span(practice: Practice, first: int = 0, last: int = 9) -> dict[str, str]:
    return {"from": str(day_ahead(practice.clinic, first)), "to": str(day_ahead(practice.clinic, last))}


@pytest.fixture
def admin(practice: Practice) -> Client:
    return at_desk(practice.clinic, role=Role.CLINIC_ADMIN)


def test_each_visit_of_the_days_is_a_line_in_the_clinic_s_time(practice: Practice, admin: Client) -> None:
    booked(practice, note="brings x-rays")
    gone = booked(practice, at=time(12), days=4)
    cancel_appointment(practice.clinic, appointment_id=gone.pk, actor=DESK, reason="ill", now=clock.now())
    booked(practice, days=30)
    elsewhere = make_practice(ClinicFactory.create(), now=clock.now())
    booked(elsewhere)

    first, second = lines_of(file_of(admin, "export-visits", **span(practice)))

    assert (first["date"], first["time"]) == (str(day_ahead(practice.clinic)), "10:30")
    assert (first["patient"], first["phone"], first["note"]) == (
        practice.ana.full_name,
        "+34612345678",
        "brings x-rays",
    )
    assert (first["status"], second["status"]) == ("booked", "cancelled_by_clinic")


def test_a_file_of_ours_can_be_read_by_our_import(practice: Practice, admin: Client) -> None:
    booked(practice)

    (line,) = read_visit_file(file_of(admin, "export-visits", **span(practice)))

    assert (line["patient"], line["time"], line["service"]) == (practice.ana.full_name, "10:30", practice.service.name)


def test_what_a_spreadsheet_would_run_is_text(practice: Practice, admin: Client) -> None:
    practice.add("=HYPERLINK(0)", now=clock.now())
    practice.add("@SUM(1)", now=clock.now())

    names = {line["patient"] for line in lines_of(file_of(admin, "export-patients"))}

    assert {"'=HYPERLINK(0)", "'@SUM(1)", practice.ana.full_name} == names


def test_where_decimals_have_a_comma_columns_are_separated_by_semicolons(practice: Practice, admin: Client) -> None:
    admin.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"

    (line,) = lines_of(file_of(admin, "export-patients"), delimiter=";")

    assert line["patient"] == practice.ana.full_name


def test_who_took_what_is_on_record_without_a_name(practice: Practice, admin: Client) -> None:
    file_of(admin, "export-patients")

    entry = AuditEntry.objects.get(clinic=practice.clinic, action="exported")
    assert entry.detail == {"what": "patients"}


@pytest.mark.parametrize(
    "wish", [{}, {"from": "2026-02-30", "to": "2026-03-01"}, {"from": "2026-03-02", "to": "2026-03-01"}]
)
def test_days_that_make_no_span_are_asked_for_again(practice: Practice, admin: Client, wish: dict[str, str]) -> None:
    answer = admin.post(reverse("export-visits"), wish)

    assert answer.status_code == 400
    assert "the last not before the first" in answer.text


def test_only_who_answers_for_the_clinic_takes_its_data_along(practice: Practice) -> None:
    for role in (Role.FRONT_DESK, Role.PRACTITIONER):
        assert at_desk(practice.clinic, role=role).get(reverse("exports")).status_code == 403
        assert at_desk(practice.clinic, role=role).post(reverse("export-patients")).status_code == 403
