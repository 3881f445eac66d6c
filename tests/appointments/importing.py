"""Files as people upload them, and imports driven to their end."""

from __future__ import annotations

from datetime import date, timedelta

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from appointments.job_args import BringInLines
from appointments.models import ImportFile, ImportRun
from clinicbot import clock
from clinicbot.ticks import Deadline
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.working import run_due_jobs
from tests.appointments.making import Practice
from tests.appointments.pages import day_ahead

VISITS, PATIENTS = "visits", "patients"


def visit_file(practice: Practice, *rows: str, encoding: str = "utf-8", more: str = "") -> bytes:
    """As Excel in Spain writes it; each row is patient;date;time and whatever `more` names."""
    head = f"Paciente;Fecha;Hora;Profesional;Servicio{more}"
    lines = []
    for row in rows:
        patient, day, at, *rest = row.split(";")
        lines.append(";".join([patient, day, at, practice.practitioner.full_name, practice.service.name, *rest]))
    return "\r\n".join([head, *lines]).encode(encoding)


def on(practice: Practice, days: int = 9) -> str:
    return f"{day_ahead(practice.clinic, days):%d/%m/%Y}"


def upload(client: Client, data: bytes, *, what: str = VISITS, name: str = "citas.csv") -> ImportRun:
    """The import that the page makes of it."""
    answer = client.post(reverse("imports"), {"what": what, "file": SimpleUploadedFile(name, data)})
    assert answer.status_code == 302, answer.content.decode()
    return ImportRun.unscoped.get(pk=int(answer["Location"].split("/")[-2]))


def start(client: Client, run: ImportRun, *, first: date | str = "") -> None:
    assert client.post(reverse("import-start", args=[run.pk]), {"from": str(first)}).status_code == 302


def work() -> None:
    """What ticks do, until nothing of an import is to be done."""
    while live := ScheduledJob.unscoped.filter(kind=BringInLines.kind, state=JobState.QUEUED).count():
        reading = clock.read()
        report = run_due_jobs(now=reading.now + timedelta(seconds=1), real=reading.real, deadline=Deadline(60))
        assert report.counts, live


def fresh(run: ImportRun) -> ImportRun:
    return ImportRun.unscoped.get(pk=run.pk)


def file_of(run: ImportRun) -> ImportFile | None:
    return ImportFile.unscoped.filter(run=run).first()


def somebody(number: int) -> str:
    """A name of letters alone: one with digits would be found in every time of a log."""
    letters = "".join(chr(ord("A") + int(digit)) for digit in str(number))
    return f"Nova Zq{letters.lower()}x"
