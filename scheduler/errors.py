"""What can go wrong with jobs, queues and schedules."""

from __future__ import annotations

from clinicbot.errors import ClinicBotError


class JobKindTakenError(ClinicBotError):
    """Two job kinds share one name; jobs could not tell them apart."""

    code = "job_kind_taken"


class BadJobArgsError(ClinicBotError):
    """The job's arguments are not those of its kind."""

    code = "bad_job_args"


class JobArgsTooLargeError(ClinicBotError):
    """The job's arguments are larger than 4 KB: pass ids, not what they stand for."""

    code = "job_args_too_large"


class UnknownJobKindError(ClinicBotError):
    """Nobody has registered a job of that kind."""

    code = "unknown_job_kind"


class NaiveTimeError(ClinicBotError, ValueError):
    """A time without a zone could mean any moment of a day."""

    code = "naive_time"


class JobNotQueuedError(ClinicBotError):
    """A job was neither queued nor found queued; its key changes hands faster than we can look."""

    code = "job_not_queued"


class WrongResultCountError(ClinicBotError):
    """A batch handler must give one result for each job, in order."""

    code = "wrong_result_count"


class BadCronError(ClinicBotError):
    """The cron expression has not five valid fields, or never comes true."""

    code = "bad_cron"


class UnknownZoneError(ClinicBotError):
    """That time zone does not exist."""

    code = "unknown_zone"


class ScheduleKeyTakenError(ClinicBotError):
    """The clinic has a schedule of that key already."""

    code = "schedule_key_taken"


class ScheduleNotFoundError(ClinicBotError):
    """The clinic has no schedule of that key."""

    code = "schedule_not_found"


class BadQueueLimitsError(ClinicBotError):
    """A queue needs at least one batch at a time, and a rate above zero or none."""

    code = "bad_queue_limits"


class BadBudgetError(ClinicBotError):
    """The budget is a number of seconds above zero."""

    code = "bad_budget"


class BatchOfAnotherError(ClinicBotError):
    """Somebody else chose these rows: only they can confirm it."""

    code = "batch_of_another"


class BatchNotOpenError(ClinicBotError):
    """Somebody has confirmed or stopped this batch already."""

    code = "batch_not_open"
