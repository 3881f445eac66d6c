"""What a clinic sends from: its first WhatsApp number, and its e-mail."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot.models import Clinic
from messaging.channels.base import EMAIL
from messaging.models import SavedText, SendingAccount
from messaging.usecases.template_jobs import ask_for_sync, look_every_night

WHATSAPP = "whatsapp"
EMAILS_PER_SECOND = 5.0  # All clinics share one server.


@transaction.atomic
def add_whatsapp_account(
    clinic: Clinic, *, label: str, number_id: str, business_id: str, number: str, token: str, now: datetime
) -> int:
    """Let a clinic send from that number: its templates are made and looked at from now on. Known already: nothing new.

    number_id, business_id: Meta's phone number id and WhatsApp Business Account id. Returns the account's id.
    """
    account, _is_new = SendingAccount.objects.for_clinic(clinic).get_or_create(
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
    have_templates(account, now=now)
    return account.pk


@transaction.atomic
def have_templates(account: SendingAccount, *, now: datetime) -> None:
    """Compare with WhatsApp's list soon and every night from now on, and ask for what is missing. An e-mail account has none."""
    if account.channel == WHATSAPP:
        look_every_night(account, now=now)
        ask_for_sync(account, now=now)


def have_email_account(clinic: Clinic) -> int:
    """The account that writes the clinic's e-mail from the installation's own address. Returns its id."""
    account, _is_new = SendingAccount.objects.for_clinic(clinic).get_or_create(
        channel=EMAIL,
        external_id="",
        defaults={"clinic": clinic, "label": "E-mail", "rate_per_second": EMAILS_PER_SECOND},
    )
    return account.pk


def save_text(clinic: Clinic, *, title: str, language: str, body: str, position: int) -> SavedText:
    """Words that staff can choose from in a conversation."""
    return SavedText.objects.create(clinic=clinic, title=title, language=language, body=body, position=position)
