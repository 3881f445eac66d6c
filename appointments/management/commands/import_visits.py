"""Bring in the visits of another program from a file: looked at first, then written a few lines at a time."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from appointments.brought_files.columns import COLUMNS, NEEDED, VISITS
from appointments.brought_files.lines import read_visit_file
from appointments.queries.bringing.reports import ImportReport
from appointments.reasons import sentence_of
from appointments.usecases.importing_files import preview_import, run_import
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic


class Command(BaseCommand):
    help = (
        "Read visits from a CSV file (UTF-8 or Windows-1252; commas, semicolons or tabs; columns, in our words or in others "
        "that people use: "
        + ", ".join(COLUMNS[VISITS])
        + "; needed: "
        + ", ".join(NEEDED[VISITS])
        + "). Nothing is sent. Without --write it only says what it would do. Stopped in the middle, the same command goes on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--clinic", required=True, metavar="SLUG")
        parser.add_argument("--write", action="store_true", help="Write the visits of every line that can be written.")
        reminders = parser.add_mutually_exclusive_group(required=True)
        reminders.add_argument(
            "--remind-from", type=date.fromisoformat, metavar="DATE", help="Visits from that day on get reminders."
        )
        reminders.add_argument("--no-reminders", action="store_true", help="None do, until they are started.")

    def handle(self, *, file: Path, clinic: str, write: bool, remind_from: date | None = None, **options: Any) -> None:
        found = Clinic.objects.filter(slug=clinic).first()
        if found is None:
            raise CommandError(f"There is no clinic called {clinic}.")
        try:
            lines = read_visit_file(file.read_bytes())
        except OSError:
            raise CommandError(f"{file} cannot be read.") from None
        except ClinicBotError as error:
            raise CommandError(sentence_of(error)) from None
        now = clock.now()
        if write:
            report = run_import(
                found, lines, remind_from=remind_from, actor=Actor.system(), now=now, tell=self._tell_how_far
            )
        else:
            report = preview_import(found, lines, remind_from=remind_from, now=now)
        self._tell(report, is_written=write)

    def _tell_how_far(self, report: ImportReport) -> None:
        self.stdout.write(f"  {report.read} of {report.lines} lines")

    def _tell(self, report: ImportReport, *, is_written: bool) -> None:
        for problem in report.problems:
            self.stdout.write(f"  line {problem.line}: {problem.sentence}")
        verb = "Written" if is_written else "Would be written"
        self.stdout.write(
            f"{verb}: {report.written} visits, {report.to_come} of them to come, {report.reminded} with reminders. "
            f"There already: {report.known}. Left out, since they ended or were only held: {report.ended}."
        )
        if report.by_name:
            numbers = ", ".join(str(line) for line in report.by_name)
            self.stdout.write(
                f"Joined to a patient of this name, who has a number where the line has none: {len(report.by_name)} visits "
                f"(lines {numbers}). Add a phone or born_on to a line that is a namesake's."
            )
        if report.kept_no:
            self.stdout.write(
                f"{report.kept_no} patients agreed by the file and had said no to messages before: the no holds."
            )
        if not is_written:
            self.stdout.write("Nothing was written. Say the same with --write.")
        if report.problems:
            raise CommandError(f"{len(report.problems)} lines cannot be written.")
