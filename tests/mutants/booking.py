"""The rules of booking, taken out one by one."""

from __future__ import annotations

from tests.mutants.rule import Mutant

BOOKING = "tests/appointments/test_booking.py"
BOOKING_TOGETHER = "tests/appointments/test_booking_together.py"
ANSWERING = "tests/appointments/test_answering.py"

HOLDS = "Holds expire before the replay look-up, buffers included"
READ_AGAIN = "A move, cancellation or confirmation locks and reads again"

MUTANTS = [
    Mutant(
        rule="Expiry retires the key",
        file="appointments/usecases/integrity.py",
        text=("        retire_keys(visit, now=now)\n        record_change(visit, kind=ChangeKind.EXPIRED"),
        without="        record_change(visit, kind=ChangeKind.EXPIRED",
        tests=(f"{BOOKING}::test_a_lapsed_hold_gives_its_slot_back",),
    ),
    Mutant(
        rule=HOLDS,
        file="appointments/usecases/deeds.py",
        text=("    expire_lapsed_holds(clinic, slot=slot, now=now)\n    key, patient, service ="),
        without="    key, patient, service =",
        tests=(f"{BOOKING}::test_a_lapsed_hold_gives_its_slot_back",),
    ),
    Mutant(
        rule=HOLDS,
        file="appointments/queries/visits.py",
        text="        occupied__overlap=slot.occupied,",
        without="        starts_at=slot.starts_at,",
        tests=(f"{BOOKING}::test_a_lapsed_hold_gives_the_time_around_it_back_too",),
    ),
    Mutant(
        rule=READ_AGAIN,
        file="appointments/usecases/booking.py",
        text=("    visit = hold_visit(clinic, appointment_id=appointment_id)\n    if (visit"),
        without=("    visit = seen\n    if (visit"),
        tests=(f"{BOOKING_TOGETHER}::test_a_move_that_read_the_visit_before_it_was_cancelled_moves_nothing",),
    ),
    Mutant(
        rule=READ_AGAIN,
        file="appointments/usecases/integrity.py",
        text="    return hold_visit(clinic, appointment_id=appointment_id)\n",
        without="    return visit\n",
        tests=(f"{BOOKING_TOGETHER}::test_a_change_that_read_the_visit_before_it_moved_is_of_the_visit_as_it_stands",),
    ),
    Mutant(
        rule="A refused WhatsApp request stays refused when the webhook comes again",
        file="appointments/usecases/answering.py",
        text=("    if fact.state != NEW:\n        return\n"),
        without="",
        tests=(f"{ANSWERING}::test_a_pick_that_was_refused_stays_refused_though_the_time_is_free_by_then",),
    ),
    Mutant(
        rule="A replay needs the same patient, service, room, time and a live visit",
        file="appointments/queries/visits.py",
        text="        and (visit.patient_id, visit.service_id, visit.room_id) == (patient_id, service_id, slot.room_id)\n",
        without="",
        tests=(
            f"{BOOKING}::test_another_patient_does_not_get_somebody_elses_visit",
            f"{BOOKING}::test_the_same_time_for_another_service_or_in_another_room_is_no_replay",
        ),
    ),
]
