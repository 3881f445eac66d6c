"""What can go wrong with a booking, each with the sentence that staff read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time

from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic


class TimeInGapError(ClinicBotError):
    """That time does not exist at the clinic: the clocks go forward over it."""

    code = "time_in_gap"


class SlotInPastError(ClinicBotError):
    """That time has passed."""

    code = "slot_in_past"


class SlotTakenError(ClinicBotError):
    """The practitioner or the room is taken at that time."""

    code = "slot_taken"


class OutsideHoursError(ClinicBotError):
    """The practitioner does not work at that time."""

    code = "outside_hours"


class ClinicClosedError(ClinicBotError):
    """The clinic or the practitioner is away then."""

    code = "clinic_closed"

    def __init__(
        self,
        *,
        clinic: Clinic,
        is_of_clinic: bool,
        begins_on: date,
        ends_on: date,
        begins_at: time | None = None,
        ends_at: time | None = None,
        reason: str = "",
    ) -> None:
        """Who is away, from when to when (whole days without times) and why: for staff, not for the error's text."""
        super().__init__()
        self.clinic, self.is_of_clinic = clinic, is_of_clinic
        self.begins_on, self.begins_at = begins_on, begins_at
        self.ends_on, self.ends_at = ends_on, ends_at
        self.reason = reason


class NotAtThisClinicError(ClinicBotError):
    """The patient, practitioner, room or service belongs to another clinic or is no longer active."""

    code = "not_at_this_clinic"


class ServiceNotGivenError(ClinicBotError):
    """That practitioner does not give this service."""

    code = "service_not_given"


class AppointmentNotFoundError(ClinicBotError):
    """There is no such visit at this clinic."""

    code = "appointment_not_found"


class NotLiveError(ClinicBotError):
    """The visit is cancelled or has expired, so it cannot be changed."""

    code = "not_live"


class VisitBegunError(ClinicBotError):
    """The visit has begun or is over, so it cannot be changed."""

    code = "visit_begun"


class VisitNotBegunError(ClinicBotError):
    """The visit is still to come: nobody knows yet who will not."""

    code = "visit_not_begun"


class NotOnTheDayError(ClinicBotError):
    """The visit is on another day, so nobody is here for it."""

    code = "not_on_the_day"


class NotLateError(ClinicBotError):
    """There is more than a day to go: cancel the visit instead."""

    code = "not_late"


class PresenceNotedError(ClinicBotError):
    """Somebody noted that they are here. Say why they were not."""

    code = "presence_noted"


class ChangeNotFoundError(ClinicBotError):
    """This clinic has no such change of a visit."""

    code = "change_not_found"


class NotUndoableError(ClinicBotError):
    """This cannot be taken back; it can be changed on the visit's page."""

    code = "not_undoable"


class UndoTooLateError(ClinicBotError):
    """That was more than a day ago. Change it on the visit's page."""

    code = "undo_too_late"


class AlreadyUndoneError(ClinicBotError):
    """Somebody has taken that back already."""

    code = "already_undone"


class ChangedMeanwhileError(ClinicBotError):
    """Somebody changed the visit meanwhile. Look at it again, then decide."""

    code = "changed_meanwhile"


class PatientChangedError(ClinicBotError):
    """Somebody changed the patient meanwhile. Look again, then save."""

    code = "patient_changed"


class ReasonMissingError(ClinicBotError):
    """Say why: the reason stays on the visit's page."""

    code = "reason_missing"


class ChangedOutsideUseCaseError(ClinicBotError):
    """A visit's status, time, practitioner and room change only through its use cases."""

    code = "changed_outside_use_case"


class CallNotFoundError(ClinicBotError):
    """This clinic has no such call."""

    code = "call_not_found"


class NumberNotOfPatientError(ClinicBotError):
    """The patient is not reached at that number any more. Look at the list again."""

    code = "number_not_of_patient"


class ImportFileError(ClinicBotError):
    """The file lacks columns."""

    code = "import_columns_missing"

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__()
        self.missing = tuple(missing)


class ImportEncodingError(ClinicBotError):
    """The file is no Unicode text."""

    code = "import_encoding_unknown"

    def __init__(self, line: int) -> None:
        """line: the first that cannot be read."""
        super().__init__()
        self.line = line


class ImportRowError(ClinicBotError):
    """One value of a line says nothing that this clinic knows."""

    code = "import_value_unknown"

    def __init__(self, column: str, value: str) -> None:
        """The value is for whoever wrote the file, not for the error's text."""
        super().__init__()
        self.column, self.value = column, value


class ImportNameSharedError(ImportRowError):
    """Of two that are called so nobody can tell which is meant."""

    code = "import_name_shared"


class ImportTextError(ClinicBotError):
    """One value of a line is longer than a name or a note can be, or cannot be stored."""

    code = "import_text_unfit"

    def __init__(self, column: str) -> None:
        super().__init__()
        self.column = column


class ImportQuoteError(ClinicBotError):
    """A quotation mark has no partner, so nobody knows where the value ends."""

    code = "import_quote_open"

    def __init__(self, line: int) -> None:
        """line: how far the file was read."""
        super().__init__()
        self.line = line


class ImportEmptyError(ClinicBotError):
    """There is nothing in the file."""

    code = "import_empty"


class ImportNotTextError(ClinicBotError):
    """The file is a workbook, a picture or the like, and no text."""

    code = "import_not_text"

    def __init__(self, *, is_workbook: bool) -> None:
        super().__init__()
        self.is_workbook = is_workbook


class ImportTooManyLinesError(ClinicBotError):
    """The file has more lines than are brought in at once."""

    code = "import_too_many_lines"

    def __init__(self, *, lines: int, most: int) -> None:
        super().__init__()
        self.lines, self.most = lines, most


class ImportTooManyColumnsError(ClinicBotError):
    """The first line has more headings than can be looked through."""

    code = "import_too_many_columns"

    def __init__(self, *, columns: int, most: int) -> None:
        super().__init__()
        self.columns, self.most = columns, most


class ImportCellsError(ClinicBotError):
    """A line has more cells than the first line has headings."""

    code = "import_too_many_cells"


class ImportOverError(ClinicBotError):
    """The import runs already, or is over."""

    code = "import_over"


class ImportRunningError(ClinicBotError):
    """Another import of this clinic runs just now."""

    code = "import_running"


class PatientNameMissingError(ClinicBotError):
    """A patient needs a name."""

    code = "patient_name_missing"


class ConsentMissingError(ClinicBotError):
    """Ask whether we may send messages to this number, and mark the answer."""

    code = "consent_missing"


class WayNotFoundError(ClinicBotError):
    """The patient is not reached there, or not any more."""

    code = "way_not_found"


class GuardianMissingError(ClinicBotError):
    """A number can only be a guardian's where there is a guardian."""

    code = "guardian_missing"


class GuardianCircleError(ClinicBotError):
    """Nobody can be their own guardian, nor the guardian of theirs."""

    code = "guardian_circle"


class MergeWithSelfError(ClinicBotError):
    """A patient cannot be merged with themselves."""

    code = "merge_with_self"


class MergeGuardianError(ClinicBotError):
    """One of the two is the guardian of the other, so they are two people."""

    code = "merge_guardian"


class MergeTwoGuardiansError(ClinicBotError):
    """Each of the two has another guardian: somebody must say first which is right."""

    code = "merge_two_guardians"


class SeriesSizeError(ClinicBotError):
    """A series has two visits or more, and not more than can be booked in one go."""

    code = "series_size"


class NotInConversationError(ClinicBotError):
    """The patient is not reached at that number."""

    code = "not_in_conversation"


class WindowStillOpenError(ClinicBotError):
    """They have written meanwhile, so nobody need ask them to."""

    code = "window_still_open"


class NeverWroteError(ClinicBotError):
    """They have never written to the clinic, so there is nothing to answer."""

    code = "never_wrote"


class PlanNotFoundError(ClinicBotError):
    """This clinic has no such closure."""

    code = "plan_not_found"


class PlanNotOpenError(ClinicBotError):
    """It is closed already, or was given up: what becomes of its visits is settled."""

    code = "plan_not_open"


class PlanUndoTooLateError(ClinicBotError):
    """Patients are being told already, so it cannot be taken back as a whole."""

    code = "plan_undo_too_late"


class PlanVisitsChangedError(ClinicBotError):
    """Visits came or changed since this was drawn up. Nothing was closed."""

    code = "plan_visits_changed"


class PlanUndecidedError(ClinicBotError):
    """Some visits have no decision yet. Nothing was closed."""

    code = "plan_undecided"


class PlanTimesTakenError(ClinicBotError):
    """Some of the proposed times were taken meanwhile. Nothing was closed."""

    code = "plan_times_taken"


class KeepNoteMissingError(ClinicBotError):
    """Say why the visit stays: the note stays on its page."""

    code = "keep_note_missing"


class AlreadyLeftError(ClinicBotError):
    """That practitioner does not work here any more."""

    code = "already_left"
