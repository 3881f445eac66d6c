"""A clinic's first WhatsApp number."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from clinicbot.models import Clinic
from messaging.models import SendingAccount
from messaging.usecases.template_jobs import ask_for_sync, look_every_night

WHATSAPP = "whatsapp"


@transaction.atomic
def add_whatsapp_account(
    clinic: Clinic, *, label: str, number_id: str, business_id: str, number: str, token: str, now: datetime
) -> int:
    """Let a clinic send from that number: its templates are made and looked at from now on. Known already: nothing new.

    number_id, business_id: Meta's phone number id and WhatsApp Business Account id. Returns the account's id.
    """
    account, is_new = SendingAccount.objects.for_clinic(clinic).get_or_create(
        channel=WHATSAPP,
        external_id=number_id,
        defaults={
            "clinic": clinic,
            "label": label,
            "parent_id": business_id,
            "display_address": number,
            "access_token": token,
        },
    )
    if is_new:
        look_every_night(account, now=now)
    ask_for_sync(account, after=timedelta(), now=now)
    return account.pk
