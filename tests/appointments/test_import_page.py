"""The page that brings in a file: what it says before, what it does, and what is left of the file."""

from __future__ import annotations

import csv
import re
from datetime import time, timedelta
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from appointments.brought_files.tables import read_table
from appointments.models import Appointment, ImportState, Patient
from appointments.usecases.bringing.running import remove_import_files
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.forecasting import forecast_of_clinic
from clinicbot import clock
from clinicbot.models import AuditEntry, Role
from messaging.models import Message
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob, TickRun
from tests.appointments.importing import PATIENTS, file_of, fresh, on, somebody, start, upload, visit_file, work
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import at_desk, booked, day_ahead
from tests.canary import values
from tests.factories import ClinicFactory

LONG_NAME = "María de las Mercedes Fernández de Córdoba y Álvarez de Toledo"


@pytest.fixture
def admin(practice: Practice) -> Client:
    return at_desk(practice.clinic, role=Role.CLINIC_ADMIN)


def page_of(client: Client, name: str, *args: object, **query: str) -> str:
    answer = client.get(reverse(name, args=args, query=query or None))
    assert answer.status_code == 200, answer.status_code
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).split())


def visits(practice: Practice) -> list[Appointment]:
    return list(Appointment.objects.for_clinic(practice.clinic).order_by("local_date", "local_time"))


def test_only_who_answers_for_the_clinic_brings_in_files(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"{LONG_NAME};{on(practice)};9:30"))

    for role in (Role.FRONT_DESK, Role.PRACTITIONER):
        client = at_desk(practice.clinic, role=role)
        assert client.get(reverse("imports")).status_code == 403
        for name in ("import", "import-live", "import-columns", "import-refused"):
            assert client.get(reverse(name, args=[run.pk])).status_code == 403
        for name in ("import-start", "import-stop", "import-again", "import-go-on", "import-columns"):
            assert client.post(reverse(name, args=[run.pk])).status_code == 403
        assert reverse("imports") not in client.get(reverse("feeds")).content.decode()
    assert reverse("imports") in admin.get(reverse("feeds")).content.decode()
    assert reverse("imports") in admin.get(reverse("exports")).content.decode()


def test_the_page_says_what_the_file_comes_to_before_anything_is_written(practice: Practice, admin: Client) -> None:
    known = booked(practice, at=time(9, 30), days=9)
    run = upload(
        admin,
        visit_file(
            practice,
            f"{LONG_NAME};{on(practice)};10:30",
            f"{LONG_NAME};{on(practice, -9)};10:30",
            f"{known.patient.full_name};{on(practice)};9:30",
            f"Leo Ibarra;{on(practice)};9:45",
            "Leo Ibarra;31/02/2027;9:45",
            encoding="cp1252",
        ),
    )

    text = page_of(admin, "import", run.pk)

    assert "2 new visits, 1 of them to come" in text
    assert "1 known already" in text
    assert "2 lines cannot be brought in" in text
    assert "That time is taken: by a visit here, or by an earlier line of the file." in text
    assert "“31/02/2027” is no day" in text
    assert "Bring in 2 visits, send nothing" in text
    assert "Patient (Paciente)" in text
    assert len(visits(practice)) == 1
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name=LONG_NAME).exists()


def test_a_file_is_brought_in_a_few_lines_at_a_time_and_nobody_is_told(
    practice: Practice, admin: Client, default_rules: None
) -> None:
    rows = [f"{somebody(n)};{on(practice, 9 + n)};9:30" for n in range(120)]
    run = upload(admin, visit_file(practice, *rows))
    start(admin, run)
    assert (fresh(run).state, len(visits(practice))) == (ImportState.RUNNING, 0)

    work()

    done = fresh(run)
    assert (done.state, done.read, done.added, done.refused) == (ImportState.DONE, 120, 120, 0)
    assert len(visits(practice)) == 120
    jobs = ScheduledJob.objects.for_clinic(practice.clinic)
    assert list(jobs.order_by("pk").values_list("unique_key", flat=True)) == [
        f"import:{run.pk}:from:{read}" for read in (0, 50, 100)
    ]
    assert jobs.first().args == {"import_id": run.pk}  # type: ignore[union-attr]
    assert not Message.objects.for_clinic(practice.clinic).exists()
    assert not OutboxEvent.unscoped.filter(type__startswith="appointments.").exists()
    text = page_of(admin, "import", run.pk)
    assert "120 visits brought in" in text
    assert "Nobody was told of these visits, and nobody is reminded of them." in text
    assert "data-refresh" not in admin.get(reverse("import", args=[run.pk])).content.decode()


def test_a_page_left_open_puts_away_nothing_that_runs_by_now(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"{somebody(1)};{on(practice)};9:30"))
    old_page = admin.get(reverse("import", args=[run.pk])).content.decode()
    (state,) = re.findall(r'name="state" value="(\w+)"', old_page)
    start(admin, run)

    answer = admin.post(reverse("import-stop", args=[run.pk]), {"state": state}, follow=True).content.decode()
    work()

    assert "Somebody has started or stopped this import already." in answer
    assert "Put away" not in answer
    assert (fresh(run).state, fresh(run).added) == (ImportState.DONE, 1)


def test_the_same_file_again_brings_no_doubles(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, *[f"{somebody(n)};{on(practice, 9 + n)};9:30" for n in range(3)])
    for _twice in range(2):
        run = upload(admin, data)
        start(admin, run)
        work()

    text = page_of(admin, "import", upload(admin, data).pk)

    assert (fresh(run).added, fresh(run).known, len(visits(practice))) == (0, 3, 3)
    assert "There is nothing to bring in" in text
    assert Patient.objects.for_clinic(practice.clinic).filter(full_name__startswith="Nova").count() == 3


def test_the_count_of_messages_is_what_the_forecast_says_afterwards(practice: Practice, admin: Client) -> None:
    add_default_rules(practice.clinic)
    rows = [
        f"{values.ANA};{on(practice, 9)};9:30",
        f"{values.ANA};{on(practice, 9)};11:30",
        f"{values.ANA};{on(practice, 12)};9:30",
        f"{values.ANA};{on(practice, 20)};9:30",
        f"Sin Número;{on(practice, 20)};12:30",
    ]
    run = upload(admin, visit_file(practice, *rows))
    first = day_ahead(practice.clinic, 12)

    text = page_of(admin, "import", run.pk, **{"from": first.isoformat()})
    start(admin, run, first=first)
    work()
    reading = clock.read()
    forecast = forecast_of_clinic(practice.clinic, days=40, real=reading.real, now=reading.now)

    with_number = [one for one in forecast.reminders if one.visits[0].patient_id == practice.ana.pk]
    assert f"{len(with_number)} reminders would go, the first on" in text
    assert "3 visits to come are on that day or later." in text
    assert "1 of them has nobody to write to." in text
    assert {visit.has_reminders for visit in visits(practice) if visit.local_date < first} == {False}
    assert {visit.has_reminders for visit in visits(practice) if visit.local_date >= first} == {True}


def test_a_household_s_visits_of_one_day_are_one_message_in_the_count_too(practice: Practice, admin: Client) -> None:
    add_default_rules(practice.clinic)
    one, two = (
        upload(admin, visit_file(practice, *[f"{values.ANA};{on(practice, 9)};{at}" for at in times]))
        for times in (["9:30"], ["9:30", "11:30"])
    )

    wish = {"from": day_ahead(practice.clinic, 1).isoformat()}
    texts = [page_of(admin, "import", run.pk, **wish) for run in (one, two)]
    counts = [text.split(" reminders would go")[0].split()[-1] for text in texts]

    assert int(counts[1]) < 2 * int(counts[0])


@pytest.mark.parametrize("wish", ["tomorrow", "2026-02-30"])
def test_a_day_that_is_none_starts_nothing(practice: Practice, admin: Client, wish: str) -> None:
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30"))

    text = page_of(admin, "import", run.pk, **{"from": wish})
    start(admin, run, first=wish)

    assert "That is no day." in text
    assert fresh(run).state == ImportState.LOOKED_AT


def test_what_is_taken_while_it_runs_is_told_apart_and_can_be_mended(practice: Practice, admin: Client) -> None:
    run = upload(
        admin,
        visit_file(
            practice,
            f"Nova Paz;{on(practice)};9:30;=SUM(1)",
            f"Leo Ibarra;{on(practice)};11:30;-",
            f"Leo Ibarra;{on(practice)};25:30;+34 612",
            more=";Observaciones",
        ),
    )
    start(admin, run)
    booked(practice, at=time(9, 30), days=9)
    work()

    text = page_of(admin, "import", run.pk)
    answer = admin.get(reverse("import-refused", args=[run.pk]))
    lines = list(csv.reader(StringIO(answer.content.decode("utf-8-sig"), newline=""), delimiter=";"))

    assert (fresh(run).added, fresh(run).refused) == (1, 2)
    assert "1 line was refused only while it ran." in text
    assert text.count("since you looked") == 1
    assert [line[0] for line in lines] == ["Paciente", "Nova Paz", "Leo Ibarra"]
    assert [line[5:7] for line in lines] == [["Observaciones", "line"], ["'=SUM(1)", "2"], ["+34 612", "4"]]
    assert lines[2][7] == "“25:30” is no time: write 09:30."


def test_a_mended_file_of_refused_lines_is_brought_in(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"=Nova;{on(practice)};25:30", f"Leo Ibarra;{on(practice)};9:30"))
    refused = admin.get(reverse("import-refused", args=[run.pk])).content

    mended = upload(admin, refused.replace(b"25:30", b"12:30"))
    start(admin, mended)
    work()

    [visit] = visits(practice)
    assert (visit.patient.full_name, visit.local_time) == ("=Nova", time(12, 30))


def test_only_the_refused_lines_of_the_file_are_kept_when_it_is_done(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30", f"Leo Ibarra;{on(practice)};x"))
    before = file_of(run)
    start(admin, run)
    work()

    after = file_of(run)
    assert before is not None
    assert "Nova Paz" in (before.body or "")
    assert after is not None
    assert (after.body, after.look) == (None, None)
    assert "Leo Ibarra" in (after.refused or "")
    assert "Nova Paz" not in (after.refused or "")


def test_who_brought_in_what_is_on_record_without_a_name(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30"))
    start(admin, run)

    entry = AuditEntry.objects.get(clinic=practice.clinic, action="import.started")
    assert (entry.subject_id, entry.detail["what"], entry.detail["remind_from"]) == (str(run.pk), "visits", None)
    assert entry.actor_id == run.by_id


def test_columns_are_told_by_their_headings_and_what_is_unknown_is_named(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, f"Nova;{on(practice)};9:30;Paz;5 €", more=";Apellidos;Importe")

    text = page_of(admin, "import", upload(admin, data).pk)

    assert "Not used: Importe." in text
    assert "(Apellidos)" in text


def test_a_heading_that_nobody_knows_is_chosen_by_hand(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, f"Nova Paz;{on(practice)};9:30").replace(b"Profesional", b"Quien")
    run = upload(admin, data)
    where = reverse("import-columns", args=[run.pk])
    chosen = {"patient": "0", "date": "1", "time": "2", "service": "4"}

    sent_there = admin.get(reverse("import", args=[run.pk]))
    missing = admin.post(where, chosen)
    twice = admin.post(where, {**chosen, "practitioner": "4"})
    right = admin.post(where, {**chosen, "practitioner": "3"})

    assert sent_there["Location"] == right["Location"].replace(f"/{run.pk}/", f"/{run.pk}/columns/")
    assert missing.status_code == twice.status_code == 400
    assert "Say which column this is" in missing.content.decode()
    assert "That column is chosen for practitioner already." in twice.content.decode()
    assert "Bring in 1 visit, send nothing" in page_of(admin, "import", run.pk)


def test_numbers_without_a_word_of_consent_wait_for_somebody_s(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30;612 345 670", more=";Teléfono"))

    before = page_of(admin, "import", run.pk)
    places = {"patient": "0", "date": "1", "time": "2", "practitioner": "3", "service": "4", "phone": "5"}
    admin.post(reverse("import-columns", args=[run.pk]), {**places, "all_agreed": "on"})
    after = page_of(admin, "import", run.pk)
    start(admin, run)

    assert "no column says who agreed to messages" in before
    assert "There is nothing to bring in" in before
    assert "Bring in 1 visit" in after
    assert AuditEntry.objects.get(action="import.started").detail["all_agreed"] is True


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 9, "This is no CSV file but something else"),
        (b"PK\x03\x04\x14\x00xl/workbook.xml", "This is a workbook, not a CSV file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "This is a workbook"),
        (b"abc\x00def\xff", "This is no CSV file"),
        (b"", "There is nothing in the file"),
        (b"\xef\xbb\xbf\r\n;;;\r\n", "There is nothing in the file"),
        (b"Paciente;Fecha;Hora\r\n", "There is nothing in the file"),
        (b'Paciente;Fecha\r\n"Ana;1\r\n', "a quotation mark has no partner"),
        ("Paciente;Fecha\r\nCorazón Peña;1\r\n".encode("mac-roman"), "Line 2 cannot be read"),
    ],
)
def test_what_is_no_table_is_said_so_and_kept_nowhere(
    practice: Practice, admin: Client, data: bytes, says: str
) -> None:
    answer = admin.post(reverse("imports"), {"what": "visits", "file": SimpleUploadedFile("foto.csv", data)})

    assert answer.status_code == 400
    assert says in answer.content.decode()
    assert "Nothing has been brought in from a file yet." in answer.content.decode()


def test_without_a_file_or_a_kind_the_form_says_what_lacks(practice: Practice, admin: Client) -> None:
    answer = admin.post(reverse("imports"), {})

    assert answer.status_code == 400
    assert "Choose a file." in answer.content.decode()
    assert "Say whether these are visits or patients." in answer.content.decode()


def test_a_file_that_is_too_large_is_refused_by_its_size(practice: Practice, admin: Client, settings: Settings) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
    data = visit_file(practice, *[f"Nova Paz;{on(practice)};9:30"] * 30_000)

    answer = admin.post(reverse("imports"), {"what": "visits", "file": SimpleUploadedFile("citas.csv", data)})

    assert answer.status_code == 400
    assert "The file is larger than 1 MB" in answer.content.decode()


def test_a_file_with_too_many_lines_is_to_be_divided(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, *[f"Nova Paz;{on(practice)};9:30"] * 10_001)

    answer = admin.post(reverse("imports"), {"what": "visits", "file": SimpleUploadedFile("citas.csv", data)})

    assert "The file has 10001 lines. At most 10000 go at once" in answer.content.decode()


def test_a_file_with_too_many_columns_is_refused(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, f"Nova Paz;{on(practice)};9:30", more=";" + ";".join(["x"] * 200))

    answer = admin.post(reverse("imports"), {"what": "visits", "file": SimpleUploadedFile("citas.csv", data)})

    assert answer.status_code == 400
    assert "The first line names 205 columns. At most 200 can be read" in answer.content.decode()


def test_columns_without_a_heading_at_the_end_are_not_counted(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30", more=";" * 5000))

    text = page_of(admin, "import", run.pk)

    assert "Bring in 1 visit, send nothing" in text
    assert len(read_table(file_of(run).body or "").headings) == 200  # type: ignore[union-attr]


@pytest.mark.parametrize("sign", ['"', "x"])
def test_a_separator_that_none_can_be_is_no_word_about_it(practice: Practice, admin: Client, sign: str) -> None:
    data = f"sep={sign}\r\n".encode() + visit_file(practice, f"Nova Paz;{on(practice)};9:30")

    answer = admin.post(reverse("imports"), {"what": "visits", "file": SimpleUploadedFile("citas.csv", data)})

    assert answer.status_code in (302, 400)


def test_a_line_with_too_many_cells_is_refused_by_its_number(practice: Practice, admin: Client) -> None:
    rows = [f"Nova Paz;{on(practice)};9:30;;;", f"Leo;Ibarra;{on(practice)};9:30"]
    run = upload(admin, visit_file(practice, *rows))

    text = page_of(admin, "import", run.pk)

    assert "Bring in 1 visit, send nothing" in text
    assert "The line has more cells than the first line has headings" in text


def test_what_should_be_known_before_is_said(practice: Practice, admin: Client) -> None:
    rows = [
        f"{values.ANA};{on(practice)};9:30;;",
        f"Nova Paz;{on(practice)};10:30;{values.ANA_TYPED};si",
        f"Leo Ibarra;{on(practice)};11:30;954 55 01 20;si",
    ]
    text = page_of(admin, "import", upload(admin, visit_file(practice, *rows, more=";Teléfono;Acepta")).pk)

    assert "1 visit is joined to a patient by the name alone" in text
    assert "1 line has a number that is somebody else&#x27;s too." in text.replace("&#39;", "&#x27;")
    assert "1 line has the number of a landline" in text
    assert "Line 4" in text


@pytest.mark.parametrize("lines", [1, 200])
def test_each_page_asks_as_often_whatever_the_file_holds(
    practice: Practice, admin: Client, lines: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    data = visit_file(
        practice, *[f"{somebody(n)};{on(practice, 9 + n)};{'9:30' if n % 2 else 'x'}" for n in range(lines)]
    )
    run = upload(admin, data)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")
    pages = ["import", "import-columns", "import-live"]

    for name in pages:
        with django_assert_max_num_queries(12):
            admin.get(reverse(name, args=[run.pk]))
    start(admin, run)
    for name in ("import", "import-live"):
        with django_assert_max_num_queries(12):
            admin.get(reverse(name, args=[run.pk]))
    work()
    with django_assert_max_num_queries(12):
        admin.get(reverse("import", args=[run.pk]))
    with django_assert_max_num_queries(12):
        admin.get(reverse("imports"))


def test_looking_at_many_lines_asks_as_often_as_at_one(
    practice: Practice, admin: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for lines in (1, 300):
        data = visit_file(practice, *[f"{somebody(n)};{on(practice, 9 + n)};9:30" for n in range(lines)])
        with django_assert_max_num_queries(45):
            upload(admin, data)


def test_another_clinic_s_import_is_not_there(practice: Practice, admin: Client) -> None:
    elsewhere = make_practice(ClinicFactory.create(), now=clock.now())
    theirs = at_desk(elsewhere.clinic, role=Role.CLINIC_ADMIN)
    run = upload(theirs, visit_file(elsewhere, f"Nova Paz;{on(elsewhere)};9:30"))

    for name in ("import", "import-live", "import-columns", "import-refused"):
        assert admin.get(reverse(name, args=[run.pk])).status_code == 404
    for name in ("import-start", "import-stop", "import-again", "import-go-on", "import-columns"):
        assert admin.post(reverse(name, args=[run.pk])).status_code == 404
    assert fresh(run).state == ImportState.LOOKED_AT
    assert "Nothing has been brought in from a file yet." in page_of(admin, "imports")


def test_names_stand_in_no_job_and_no_record(practice: Practice, admin: Client) -> None:
    """The canary looks at every table after each test; here are its birds, in a file."""
    run = upload(admin, visit_file(practice, f"{values.ANA};{on(practice)};9:30", f"{values.ANA};{on(practice)};x"))
    start(admin, run)
    work()

    assert fresh(run).added == 1


def test_patients_are_taken_in_with_guardians_before_their_wards(practice: Practice, admin: Client) -> None:
    data = (
        "Nombre;Teléfono;Acepta;Fecha de nacimiento;Tutor;Observaciones\r\n"
        "Iris Paz;;;04/05/2019;Nova Paz;\r\n"
        "Nova Paz;612 345 670;si;01/02/1980;;alergia\r\n"
        "Leo Ibarra;;;;Nadie Conocido;\r\n"
    ).encode("cp1252")
    run = upload(admin, data, what=PATIENTS)
    text = page_of(admin, "import", run.pk)
    start(admin, run)
    work()

    people = {one.full_name: one for one in Patient.objects.for_clinic(practice.clinic)}
    assert "Bring in 2 patients" in text
    assert "“Nadie Conocido” is not the name of one patient" in text
    assert people["Iris Paz"].guardian == people["Nova Paz"]
    assert people["Iris Paz"].reached_at.get().contact_id == people["Nova Paz"].reached_at.get().contact_id
    assert (people["Nova Paz"].note, fresh(run).added, fresh(run).refused) == ("alergia", 2, 1)


def test_who_is_known_gets_what_was_missing_and_keeps_what_stands(practice: Practice, admin: Client) -> None:
    data = (
        f"Nombre;Teléfono;Fecha de nacimiento;Idioma;Nota\r\n{values.ANA};{values.ANA_TYPED};01/02/1980;pt;miedo\r\n"
    ).encode()
    run = upload(admin, data, what=PATIENTS)
    first = page_of(admin, "import", run.pk)
    start(admin, run)
    work()
    again = page_of(admin, "import", upload(admin, data.replace(b"miedo", b"valiente"), what=PATIENTS).pk)

    ana = Patient.objects.for_clinic(practice.clinic).get()
    assert "Bring in 1 patient" in first
    assert (str(ana.born_on), ana.note, ana.language) == ("1980-02-01", "miedo", "es")
    assert (fresh(run).added, fresh(run).completed) == (0, 1)
    assert "1 line says something else than what stands here." in again
    assert "There is nothing to bring in" in again


def test_who_is_known_without_a_guardian_gets_the_one_of_the_file(practice: Practice, admin: Client) -> None:
    """But for whoever speaks for somebody: the last line would have the two speak for each other."""
    before = "Nombre;Teléfono;Acepta;Tutor\r\nIris Paz;;;\r\nNova Paz;612 345 670;si;\r\n"
    start(admin, upload(admin, before.encode(), what=PATIENTS))
    work()
    data = "Nombre;Teléfono;Acepta;Tutor\r\nIris Paz;;;Nova Paz\r\nNova Paz;612 345 670;si;Iris Paz\r\n".encode()

    run = upload(admin, data, what=PATIENTS)
    text = page_of(admin, "import", run.pk)
    start(admin, run)
    work()

    people = {one.full_name: one for one in Patient.objects.for_clinic(practice.clinic)}
    assert "Bring in 1 patient" in text
    assert (fresh(run).completed, fresh(run).known, fresh(run).refused) == (1, 1, 0)
    assert (people["Iris Paz"].guardian, people["Nova Paz"].guardian) == (people["Nova Paz"], None)
    assert people["Iris Paz"].reached_at.get().contact_id == people["Nova Paz"].reached_at.get().contact_id


def test_patients_brought_in_twice_are_there_once(practice: Practice, admin: Client) -> None:
    data = (
        "Nombre;Teléfono;Acepta;Tutor\r\nNova Paz;612 345 670;si;\r\nIris Paz;;;Nova Paz\r\nLeo Ibarra;;;\r\nLeo Ibarra;;;\r\n"
    ).encode()
    for _twice in range(2):
        run = upload(admin, data, what=PATIENTS)
        start(admin, run)
        work()

    assert Patient.objects.for_clinic(practice.clinic).count() == 4
    assert (fresh(run).added, fresh(run).known) == (0, 4)


def test_a_patient_known_by_the_day_of_birth_gets_the_new_number(practice: Practice, admin: Client) -> None:
    Patient.objects.for_clinic(practice.clinic).update(born_on="1980-02-01")
    data = f"Nombre;Teléfono;Acepta;Nacimiento\r\n{values.ANA};612 345 670;si;01/02/1980\r\n".encode()
    run = upload(admin, data, what=PATIENTS)
    start(admin, run)
    work()

    assert Patient.objects.for_clinic(practice.clinic).get().reached_at.count() == 2
    assert fresh(run).completed == 1


def test_our_own_export_of_patients_is_known_line_by_line(practice: Practice, admin: Client) -> None:
    practice.add("=HYPERLINK(0)", phone="612 345 670", now=clock.now())
    exported = admin.post(reverse("export-patients")).getvalue()

    text = page_of(admin, "import", upload(admin, exported, what=PATIENTS).pk)

    assert "2 known already" in text
    assert "There is nothing to bring in" in text


def test_files_are_removed_by_age_and_what_they_came_to_stays(practice: Practice, admin: Client) -> None:
    done = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30", f"Leo Ibarra;{on(practice)};x"))
    start(admin, done)
    work()
    waiting = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};19:30"))
    later = clock.now() + timedelta(seconds=1)

    assert remove_import_files(before=later - timedelta(days=1), limit=10) == 0
    assert remove_import_files(before=later, limit=10) == 2

    assert (file_of(done), file_of(waiting)) == (None, None)
    assert (fresh(done).state, fresh(waiting).state) == (ImportState.DONE, ImportState.CANCELLED)
    assert "are removed by now" in page_of(admin, "import", done.pk)
    assert "the file is removed" in page_of(admin, "import", waiting.pk)
