"""What other houses hold in their hands: job arguments, claimed jobs, results, and the decorators that register kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from clinicbot.errors import BadPayloadError, NotPlainError
from clinicbot.plain import from_plain, to_plain
from scheduler.errors import BadJobArgsError, JobKindTakenError

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

MAX_ARGS_BYTES = 4096
DEFAULT_TIME_LIMIT_SECONDS = 30


class Reason(StrEnum):
    """Why a job ended or waits, where the scheduler itself decides. Kinds add words of their own."""

    TRANSIENT = "transient"
    PERMANENT = "permanent"
    RATE_LIMITED = "rate_limited"
    UNKNOWN_KIND = "unknown_kind"
    BAD_ARGS = "bad_args"
    CRASHED = "crashed"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    CANCELLED_BY_STAFF = "cancelled_by_staff"
    RETRIED_BY_STAFF = "retried_by_staff"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobArgs:
    """Ids and times of one job, at most 4 KB as JSON. `kind` is `<house>.<verb>_<noun>`, frozen once released.

    Fields may be str, int, float, bool, UUID, datetime, date, time, lists or tuples of these, and None.
    """

    kind: ClassVar[str]

    def payload(self) -> dict[str, Any]:
        """The fields as JSON can hold them.

        Raises:
            BadJobArgsError: a field holds something else than ids and times.
        """
        try:
            return to_plain(self)
        except NotPlainError as error:
            raise BadJobArgsError(f"{self.kind}: {error}") from None

    @classmethod
    def restore(cls, payload: Mapping[str, Any]) -> Self:
        """The arguments as they were enqueued.

        Raises:
            BadJobArgsError: a field is missing, unknown or of another type.
        """
        try:
            return from_plain(cls, payload)
        except BadPayloadError:
            raise BadJobArgsError(f"These are not the arguments of {cls.kind}.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurringArgs(JobArgs):
    """Arguments of a job that a schedule plans. The planner fills in the date and time meant at the clinic."""

    local_at: str = ""


ArgsT_co = TypeVar("ArgsT_co", bound=JobArgs, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """One job to enqueue. `unique_key` is unique among the clinic's live jobs; `priority` None: the kind's own."""

    clinic_id: int
    args: JobArgs
    run_at: datetime
    unique_key: str | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueued:
    """`is_new` False: a live job holds that key already, and `job_id` is its."""

    job_id: int
    is_new: bool


class Claimed(NamedTuple, Generic[ArgsT_co]):
    """One job in the hands of the process that claimed it. `lease_no` fences every later write. Made by the ten thousand."""

    job_id: int
    lease_no: int
    clinic_id: int
    attempt: int
    args: ArgsT_co


class Verdict(StrEnum):
    DONE = "done"
    SKIPPED = "skipped"
    RETRY = "retry"
    SNOOZE = "snooze"
    CANCELLED = "cancelled"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one job. `reason` is a stable word, `after_seconds` a floor for retry and snooze.

    A retry spends the attempt, and the last one makes the job dead; a snooze gives it back.
    """

    verdict: Verdict = Verdict.DONE
    reason: str = ""
    after_seconds: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def done(cls, **detail: Any) -> Result:
        """Most jobs end with nothing to tell, and so with one and the same result."""
        return cls(detail=detail) if detail else _DONE

    @classmethod
    def skipped(cls, reason: str) -> Result:
        return cls(verdict=Verdict.SKIPPED, reason=reason)

    @classmethod
    def cancelled(cls, reason: str) -> Result:
        return cls(verdict=Verdict.CANCELLED, reason=reason)

    @classmethod
    def retry(cls, reason: str, *, after_seconds: float | None = None) -> Result:
        return cls(verdict=Verdict.RETRY, reason=reason, after_seconds=after_seconds)

    @classmethod
    def snooze(cls, reason: str, *, after_seconds: float) -> Result:
        return cls(verdict=Verdict.SNOOZE, reason=reason, after_seconds=after_seconds)

    @classmethod
    def rate_limited(cls, *, after_seconds: float | None = None) -> Result:
        """The other side asked for patience. Spends no attempt; waits at least `after_seconds` (its `Retry-After`)."""
        return cls(verdict=Verdict.SNOOZE, reason=Reason.RATE_LIMITED, after_seconds=after_seconds)

    @classmethod
    def dead(cls, reason: str) -> Result:
        return cls(verdict=Verdict.DEAD, reason=reason)


_DONE = Result()


class BatchRunner(Protocol):
    """Runs a batch inside the transaction that finishes it; one result per claimed job, in order."""

    def __call__(self, batch: Sequence[Claimed[Any]], *, now: datetime) -> list[Result]: ...


class ExternalRunner(Protocol):
    """Runs one job with no transaction open: one call to the outside, its result recorded under the lease."""

    def __call__(self, job: Claimed[Any], *, now: datetime) -> Result: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """How jobs of one kind run. Exactly one of `run_batch` and `run_external` is set. title: what staff call it."""

    name: str
    args_class: type[JobArgs]
    queue: str
    time_limit_seconds: int
    priority: int
    run_batch: BatchRunner | None = None
    run_external: ExternalRunner | None = None
    title: StrOrPromise = ""


_kinds: dict[str, JobKind] = {}
_aliases: dict[str, str] = {}


def batch_job(
    args_class: type[JobArgs],
    *,
    queue: str,
    time_limit_seconds: int = DEFAULT_TIME_LIMIT_SECONDS,
    priority: int = 5,
    aliases: Sequence[str] = (),
    title: StrOrPromise = "",
) -> Callable[[BatchRunner], BatchRunner]:
    """Register a kind whose jobs run together, in one transaction with their finish. Priority 0 (first) to 9.

    Raises:
        JobKindTakenError: the name or an alias (a former name, whose jobs still wait) is taken.
    """

    def register(run: BatchRunner) -> BatchRunner:
        kind = JobKind(
            name=args_class.kind,
            args_class=args_class,
            queue=queue,
            time_limit_seconds=time_limit_seconds,
            priority=priority,
            run_batch=run,
            title=title,
        )
        _add(kind, aliases=aliases)
        return run

    return register


def external_job(
    args_class: type[JobArgs],
    *,
    queue: str,
    time_limit_seconds: int = DEFAULT_TIME_LIMIT_SECONDS,
    priority: int = 5,
    aliases: Sequence[str] = (),
    title: StrOrPromise = "",
) -> Callable[[ExternalRunner], ExternalRunner]:
    """Register a kind that calls the outside (template sync, probe, ping): one job at a time, no open transaction.

    Raises:
        JobKindTakenError: the name or an alias is taken.
    """

    def register(run: ExternalRunner) -> ExternalRunner:
        kind = JobKind(
            name=args_class.kind,
            args_class=args_class,
            queue=queue,
            time_limit_seconds=time_limit_seconds,
            priority=priority,
            run_external=run,
            title=title,
        )
        _add(kind, aliases=aliases)
        return run

    return register


def _add(kind: JobKind, *, aliases: Sequence[str]) -> None:
    for name in (kind.name, *aliases):
        if name in _kinds or name in _aliases:
            raise JobKindTakenError(f"Two job kinds are called {name}.")
    _kinds[kind.name] = kind
    _aliases.update(dict.fromkeys(aliases, kind.name))


def find_kind(name: str) -> JobKind | None:
    """By its name or by a former one."""
    return _kinds.get(_aliases.get(name, name))


def title_of_kind(name: str) -> str:
    """What staff call such jobs; of a kind that nobody knows or named, its name."""
    kind = find_kind(name)
    return str(kind.title) if kind and kind.title else name


def list_kinds() -> list[JobKind]:
    return list(_kinds.values())


def external_kind_names() -> list[str]:
    """Former names too: the claim compares with what is stored."""
    return [name for name, kind in _kinds_by_every_name() if kind.run_external]


def time_limits_seconds() -> dict[str, int]:
    """By present and former names."""
    return {name: kind.time_limit_seconds for name, kind in _kinds_by_every_name()}


def longest_limit_seconds(queue: str) -> int:
    """Of the kinds that run in that queue."""
    return max(
        (kind.time_limit_seconds for kind in _kinds.values() if kind.queue == queue),
        default=DEFAULT_TIME_LIMIT_SECONDS,
    )


def _kinds_by_every_name() -> list[tuple[str, JobKind]]:
    return [*_kinds.items(), *((alias, _kinds[name]) for alias, name in _aliases.items())]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJob:
    """A job as other houses see it, for the story of a visit. `reason` is a stable word: why it waits or how it ended."""

    job_id: int
    kind: str
    args: Mapping[str, Any]
    run_at: datetime
    state: str
    reason: str


_queues: dict[str, tuple[int, float | None]] = {}


def declare_queue(name: str, *, concurrency: int, rate_per_second: float | None = None) -> None:
    """Name a queue that `post_migrate` creates with these defaults. A superuser's later changes stay."""
    _queues[name] = (concurrency, rate_per_second)


def declared_queues() -> Mapping[str, tuple[int, float | None]]:
    return _queues


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadJob:
    """A job that was given up. `why`: class and code of its last failure, or the stable word; never a text."""

    job_id: int
    clinic_id: int
    kind: str
    unique_key: str
    why: str
    finished_at: datetime
