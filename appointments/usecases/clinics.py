"""What every new clinic begins with."""

from __future__ import annotations

from datetime import time

from appointments.models import ReminderRule, SendHours
from clinicbot.models import Clinic

SEND_HOUR = time(10, 0)
"""Mid-morning, so that a cancellation arrives while the slot can still be filled."""


LONG_AHEAD_HOURS = 4 * 24
"""Who books later than four days ahead has the date in mind, and is asked on the eve only."""


def add_default_rules(clinic: Clinic) -> None:
    """Sending hours; and reminders three days before, one day before, and two hours before only for those who have not answered.

    Has rules or hours: they stay.
    """
    SendHours.objects.for_clinic(clinic).get_or_create(clinic=clinic)
    if ReminderRule.objects.for_clinic(clinic).exists():
        return
    ReminderRule.objects.create(clinic=clinic, days_before=3, at_time=SEND_HOUR, least_lead_hours=LONG_AHEAD_HOURS)
    ReminderRule.objects.create(clinic=clinic, days_before=1, at_time=SEND_HOUR)
    ReminderRule.objects.create(clinic=clinic, hours_before=2, only_if_unconfirmed=True)
