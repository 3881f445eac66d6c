from __future__ import annotations

from cryptography.fernet import Fernet
from django.db import connection
from django.test import override_settings
from encrypted_model_fields.fields import get_crypter

from clinicbot.models import Clinic
from messaging.models import SendingAccount


def test_a_token_is_not_readable_in_the_database(clinic: Clinic) -> None:
    account = SendingAccount.objects.create(clinic=clinic, channel="whatsapp", external_id="1", access_token="EAAB-1")

    with connection.cursor() as cursor:
        cursor.execute("SELECT access_token FROM messaging_sendingaccount WHERE id = %s", [account.pk])
        stored = cursor.fetchone()[0]

    assert "EAAB" not in stored
    assert SendingAccount.objects.for_clinic(clinic).get().access_token == "EAAB-1"


def test_what_an_older_key_encrypted_is_read_after_a_rotation() -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    with override_settings(FIELD_ENCRYPTION_KEY=[old]):
        written_before = get_crypter().encrypt(b"EAAB-1")

    with override_settings(FIELD_ENCRYPTION_KEY=[new, old]):
        written_after = get_crypter().encrypt(b"EAAB-2")
        read = get_crypter().decrypt(written_before)

    with override_settings(FIELD_ENCRYPTION_KEY=[new]):
        assert get_crypter().decrypt(written_after) == b"EAAB-2"
    assert read == b"EAAB-1"
