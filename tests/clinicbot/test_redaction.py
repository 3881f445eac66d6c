"""What is taken out of a text, and what stays."""

from __future__ import annotations

from uuid import UUID

import pytest

from clinicbot.redaction import mask_address, mask_phone, scrub, scrub_value


@pytest.mark.parametrize(
    "phone",
    [
        "+34600111222",
        "+34 600 11 12 22",
        "34600111222",
        "600 111 222",
        "(011) 4321-8765",
        "+55 (11) 91234-5678",
        "521.55.1234.5678",
    ],
)
def test_a_phone_number_goes(phone: str) -> None:
    assert scrub(f"Sent to {phone}, twice.") == "Sent to [phone], twice."


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("mail ana.perez+x@clinic.example.org now", "mail [email] now"),
        ("Authorization: Bearer EAAx.y-z/1+2=", "Authorization: Bearer [token]"),
        ("basic dXNlcjpwYXNz", "basic [token]"),
        ("https://user:pw@api.telegram.org/bot1:AA/send?chat=5 failed", "https://api.telegram.org/[path] failed"),
        ("http://127.0.0.1:8001?x=1", "http://127.0.0.1:8001/[path]"),
        ("GET /webhooks/telegram/s3cr3t/ HTTP/1.1", "GET /webhooks/[path] HTTP/1.1"),
        ("/visit/abc", "/visit/[path]"),
        ("token 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw gone", "token [token] gone"),
        ("key EAAGm0PX4ZCpsBAKz9Yq3Qw1eR", "key [token]"),
        ("key 9e107d9d372bb6826bd81d3542a419d6", "key [token]"),
        ("wamid.HBgLMzQ2MDAxMTEyMjIVAgARGBI5QTNDQTVCM0Q0", "wamid.*QTVCM0Q0"),
    ],
)
def test_what_reaches_or_impersonates_somebody_goes(text: str, scrubbed: str) -> None:
    assert scrub(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "appointment 1234567 of clinic 12",
        "0197a1b2-0000-7abc-8def-0123456789ab",
        "2026-04-14T09:30:00.123456+00:00",
        "2026-04-14 09:30",
        "between 2026-04-14 and 2026-05-01",
        "appointments.send_reminder took 1234.56 ms",
        "MANUAL_3_5_2026-04-14_0930",
        "reminder:appointment:12345:version:3:rule:2",
        "visit/<token>/",
        "clinicbot_scheduler_jobs_to_claim_by_priority_2",
        "HTTP 131026",
    ],
)
def test_ids_dates_and_names_of_code_stay(text: str) -> None:
    assert scrub(text) == text


def test_values_beside_a_sentence_are_scrubbed_by_their_text() -> None:
    uuid = UUID("0197a1b2-0000-7abc-8def-0123456789ab")

    assert [scrub_value(value) for value in (12, True, None, 1.5, uuid)] == [12, True, None, 1.5, str(uuid)]
    assert [scrub_value(value) for value in (34600111222, ["+34600111222"], {"to": "a@b.org"})] == [
        "[phone]",
        "['[phone]']",
        "{'to': '[email]'}",
    ]


def test_masks_keep_what_staff_need_to_recognise() -> None:
    assert mask_phone("+34 600 11 20 47") == "*** 2047"
    assert mask_phone("204") == "***"


@pytest.mark.parametrize(
    ("address", "masked"), [("+34600112047", "*** 2047"), ("ana@clinic.example", "a***@clinic.example"), ("", "***")]
)
def test_a_masked_address_cannot_be_written_to(address: str, masked: str) -> None:
    assert mask_address(address) == masked


def test_the_path_of_an_invitation_is_taken_out() -> None:
    assert scrub("GET /invitation/abc-def/ 200") == "GET /invitation/[path] 200"
