"""What a correction comes to where somebody else may have corrected the same since the page was drawn."""

from __future__ import annotations

from collections.abc import Mapping

from appointments.models import Patient
from clinicbot.human_text import is_same_text


def touched(patient: Patient, *, wanted: Mapping[str, str], drawn: Mapping[str, str]) -> dict[str, str]:
    """The columns that are to change: not as they stand, and not as the page showed them.

    drawn: what it showed, by column; of one that it says nothing of, what stands there.
    """
    return {
        name: value
        for name, value in wanted.items()
        if not any(is_same_text(value, other) for other in (_present(patient, name), _shown(patient, name, drawn)))
    }


def clashing(patient: Patient, *, wanted: Mapping[str, str], drawn: Mapping[str, str]) -> list[str]:
    """Those among them that have become something else meanwhile."""
    return [
        name
        for name in touched(patient, wanted=wanted, drawn=drawn)
        if not is_same_text(_present(patient, name), _shown(patient, name, drawn))
    ]


def _present(patient: Patient, name: str) -> str:
    return str(getattr(patient, name))


def _shown(patient: Patient, name: str, drawn: Mapping[str, str]) -> str:
    return drawn.get(name, _present(patient, name))
