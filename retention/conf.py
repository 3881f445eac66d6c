"""How long what the machine writes is kept, and how much of a tick its removal may take."""

from __future__ import annotations

from datetime import timedelta

KEEP_TICKS = timedelta(days=14)
"""From a tick's beginning. The charts look back this far."""

KEEP_SAMPLES = timedelta(days=8)
"""From each. The page of queues looks back a week."""

KEEP_FINISHED_JOBS = timedelta(days=30)
"""From a job's end, if it is done, skipped or cancelled. Dead jobs stay until a person deals with them."""

KEEP_OCCURRENCES = timedelta(days=400)
"""From the planning of a recurring job. Longer than any grace, and last year's can be looked up."""

KEEP_DELIVERED_EVENTS = timedelta(days=30)
"""From the end of an event's last delivery. Events with a pending or dead delivery stay."""

KEEP_WEBHOOK_BODIES = timedelta(days=7)
"""From when an item was handled. What people wrote is in rows of its own by then."""

KEEP_WEBHOOK_ITEMS = timedelta(days=90)
"""From when an item was handled: long after a provider has stopped repeating it."""

KEEP_PARKED_RECEIPTS = timedelta(days=30)
"""From when it came. A receipt that no attempt has claimed is about somebody else's message."""

KEEP_PROBES = KEEP_REFUSALS = timedelta(days=30)
"""From each. Evidence is weighed within the hour; the rest is for whoever asks what happened last week."""

KEEP_WRITTEN_ANSWERS = timedelta(days=30)
"""From when staff wrote one. It goes within a day or not at all, and may be written again; what went is kept with its attempt."""

KEEP_INVITATIONS = timedelta(days=90)
"""From when one was accepted, taken back or over. The audit trail says longer who invited; whoever was, works there or not."""

KEEP_TALLIES = timedelta(days=1)
"""From the beginning of an hour in which something was counted."""

KEEP_IMPORT_FILES = timedelta(days=7)
"""From when an import last went on, or was only looked at. Of one that is over only the refused lines are left, to be mended."""

KEEP_NOTES_BEFORE = timedelta(days=2)
"""From a change of a visit's note: what it said before can be taken back for a day."""

KEEP_BATCHES = timedelta(days=90)
"""From when its rows were chosen. The audit trail says longer who did what."""

KEEP_PURGE_RUNS = timedelta(days=400)
"""From a purge run itself."""

EVERY_SECONDS = 3600
"""How often what is old is looked for."""

BATCH = 1_000
"""Rows in one transaction: some ten milliseconds of locks."""

SHARE_SECONDS = 5.0
"""The most of a tick that one purge takes. What is left waits for the next round."""
