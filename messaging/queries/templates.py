"""Reading templates and who has them."""

from __future__ import annotations

from messaging.models import SendingAccount


def find_syncable_account_id(clinic_id: int, *, account_id: int) -> int | None:
    """None when the account is gone, or nobody has said which business account its templates belong to."""
    accounts = SendingAccount.objects.for_clinic(clinic_id).filter(pk=account_id).exclude(parent_id="")
    return accounts.values_list("pk", flat=True).first()
