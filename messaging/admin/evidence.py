"""Receipts that nobody could be found for, yet."""

from __future__ import annotations

from django.contrib import admin

from clinicbot.admin_base import ReadOnlyAdmin
from messaging.models import ParkedReceipt


@admin.register(ParkedReceipt)
class ParkedReceiptAdmin(ReadOnlyAdmin[ParkedReceipt]):
    list_display = ("id", "clinic_id", "account_id", "provider_message_id", "status", "parked_at")
    list_filter = ("status",)
    ordering = ("-id",)
    exclude = ("fact",)
