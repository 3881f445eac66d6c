"""What limits a figure, as far as profiles told: printed beside each aim that was missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.bench.figures import Figure

# By the first words of a figure's name. Processor time was measured apart (process and server), where others use the machine.
_LIMITS = {
    "jobs drained, 1 clinic": (
        "Of each job 20 us are Python and 27 us the server, of the bare loop's 8 and 15: an entry for the lease, one for the clinic's"
        " list and a row lock before the handler runs, which the bare loop does without."
    ),
    "jobs drained, 200 clinics": "As for one clinic, and 9 us of the server's for taking turns between the clinics.",
    "two tick processes": (
        "One process and its server take a core between them, so two need both: whatever else runs on them is missing. And the"
        " queue's row is locked from claim to commit, so that its limits hold across hosts; that commit does not wait for the disk."
    ),
    "reminder jobs": (
        "A batch takes some twenty statements: visits, households, rules, hours and what was said before are read afresh. Three"
        " quarters of the processor's time are Python, most of it rows that become objects and statements that Django writes."
    ),
    "messages sent": (
        "A wave waits for its slowest call, and then for some twenty round trips and three commits on the one thread that may"
        " touch the database: the outcomes, the next wave's judgement, the rate, its start. Only its lease is taken during the calls:"
        " judged a moment earlier, it would go although the visit was cancelled or the person said stop since."
    ),
    "receipts kept, one a call": (
        "Eight round trips and two commits a call, so that one that is cut off is on record; a third of the rest is Django's"
        " request. More web workers take more; this is one."
    ),
    "receipts applied, one a call": "Forty share a transaction and its statements; each message is locked and read whole.",
    "receipts kept, 1,000": "Each is encrypted by itself, and has an entry in four indexes.",
    "receipts applied, 1,000": (
        "Each is decrypted and read, and its attempt and message are locked, read whole and written: most of it is Python. The"
        " message's row moves in all its indexes, for it is found by its state."
    ),
    "1,000 due": "The claim reads the same few index pages; the rest is what else the machine does.",
}


def what_limits(figures: Iterable[Figure]) -> Iterator[str]:
    for figure in figures:
        if not figure.is_met:
            known = (why for name, why in _LIMITS.items() if figure.name.startswith(name))
            yield f"{figure.name}: {next(known, 'nobody has looked yet.')}"
