"""What each of Meta's codes asks of us. Source: its error-code pages, read September and November 2026."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from messaging.channels.base import Verdict


@dataclass(frozen=True, slots=True)
class Reaction:
    """after_seconds: a floor for the next try. is_vague: the code says that something was wrong, but not what."""

    verdict: Verdict
    after_seconds: float | None = None
    is_vague: bool = False


# Our bug or bad data: never again.
_REJECTED = [
    2388019, 2388039, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299,
    131008, 131009, 131021, 131030, 131051, 131052, 131053, 131055, 131060, 132005, 132008, 132018, 132068,
    134011, 134100, 134102, 139100, 139101, 139102, 139103,
]  # fmt: skip

# Token, permission, billing, registration, policy, quality: every message of the account would meet the same.
_PAUSE_ACCOUNT = [
    0, 10, 33, 104, 190, 368, 2500, 2635,
    131005, 131031, 131037, 131042, 131045, 131048, 131064,
    133000, 133005, 133006, 133008, 133009, 133010, 133015, 133016,
]  # fmt: skip

# Counts, names, content, quality of one template.
_PAUSE_TEMPLATE = [131063, 132000, 132001, 132007, 132012, 132015, 132016]

# This person, or this person's country, cannot have this message here. Says nothing of the next one.
_OTHER_CHANNEL = [130403, 130472, 130497, 131049, 131062, 137000]

_RETRY_AFTER = {
    2: 300.0,
    4: 120.0,
    613: 120.0,
    80007: 300.0,
    130429: 5.0,
    131000: 30.0,
    131016: 60.0,
    131057: 60.0,
    132069: 600.0,
    133004: 60.0,
    134101: 600.0,
}

PAIR_SECONDS = 6.0  # One message to one person in six seconds.
PERMISSIONS = range(200, 300)


def _reactions() -> Iterator[tuple[int, Reaction]]:
    for verdict, codes in (
        (Verdict.REJECTED, _REJECTED),
        (Verdict.PAUSE_ACCOUNT, [*_PAUSE_ACCOUNT, *PERMISSIONS]),
        (Verdict.PAUSE_TEMPLATE, _PAUSE_TEMPLATE),
        (Verdict.OTHER_CHANNEL, _OTHER_CHANNEL),
    ):
        yield from ((code, Reaction(verdict)) for code in codes)
    yield from ((code, Reaction(Verdict.RETRY, seconds)) for code, seconds in _RETRY_AFTER.items())
    yield 1, Reaction(Verdict.RETRY, 30.0, is_vague=True)
    yield 100, Reaction(Verdict.REJECTED, is_vague=True)
    yield 135000, Reaction(Verdict.RETRY, 30.0, is_vague=True)
    yield 131026, Reaction(Verdict.RECIPIENT_UNREACHABLE)
    yield 131047, Reaction(Verdict.USE_TEMPLATE)
    yield 131050, Reaction(Verdict.OPTED_OUT)
    yield 131056, Reaction(Verdict.RETRY_RECIPIENT, PAIR_SECONDS)
    yield 139200, Reaction(Verdict.USE_TEMPLATE)


REACTIONS = dict(_reactions())

# As (code, subcode): a number or account that is not ours, or no longer.
SUBCODE_REACTIONS = {(100, 33): Reaction(Verdict.PAUSE_ACCOUNT)}
