"""How long to wait before the next try. tenacity computes; nothing sleeps here."""

from __future__ import annotations

from dataclasses import dataclass

from tenacity import RetryCallState, Retrying, wait_exponential, wait_random


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Grows by `factor` up to the cap. The jitter, a share of the wait, is added: never earlier, and a crowd disperses."""

    base_seconds: float
    factor: float = 2.0
    cap_seconds: float = 3600.0
    jitter: float = 0.25

    def seconds_after(self, attempt: int, *, at_least_seconds: float = 0.0) -> float:
        """The wait after that attempt, which counts from 1. `at_least_seconds`: what the other side asked for."""
        state = RetryCallState(Retrying(), None, (), {})
        state.attempt_number = attempt
        grow = wait_exponential(
            multiplier=self.base_seconds, exp_base=self.factor, max=self.cap_seconds, min=at_least_seconds
        )
        wait = grow(state)
        return wait + wait_random(0, wait * self.jitter)(state)
