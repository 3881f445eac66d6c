"""A row and what it names belong to one clinic, by the database's word."""

from __future__ import annotations

from django.db import migrations

# (table, column, table it points at)
SAME_CLINIC = [
    ("appointments_appointment", "patient_id", "appointments_patient"),
    ("appointments_appointment", "practitioner_id", "appointments_practitioner"),
    ("appointments_appointment", "room_id", "appointments_room"),
    ("appointments_appointment", "service_id", "appointments_service"),
    ("appointments_appointmentchange", "appointment_id", "appointments_appointment"),
    ("appointments_bookingkey", "appointment_id", "appointments_appointment"),
    ("appointments_formtoken", "appointment_id", "appointments_appointment"),
    ("appointments_closure", "practitioner_id", "appointments_practitioner"),
    ("appointments_workinghours", "practitioner_id", "appointments_practitioner"),
    ("appointments_workinghours", "room_id", "appointments_room"),
    ("appointments_patient", "guardian_id", "appointments_patient"),
    ("appointments_patientcontact", "patient_id", "appointments_patient"),
    ("appointments_patientcontact", "contact_id", "messaging_contact"),
]


def same_clinic(table: str, column: str, target: str) -> migrations.RunSQL:
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {target} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("appointments", "0001_visits")]

    operations = [same_clinic(table, column, target) for table, column, target in SAME_CLINIC]
