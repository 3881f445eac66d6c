from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinicbot.errors import HttpMaybeSentError, HttpNotSentError
from clinicbot.http import HttpResponse
from messaging.channels.base import Outcome, Verdict
from messaging.channels.whatsapp.errors import outcome_of_exception, outcome_of_receipt_error, outcome_of_response

# Section 3 of the facts, code by code: what it asks of us, whichever way it comes.
TABLE = {
    Verdict.RETRY: [1, 2, 4, 80007, 130429, 131000, 131016, 131057, 132069, 133004, 134101, 135000],
    Verdict.RETRY_RECIPIENT: [131056],
    Verdict.USE_TEMPLATE: [131047, 139200],
    Verdict.OTHER_CHANNEL: [130403, 130472, 130497, 131049, 131062, 137000],
    Verdict.RECIPIENT_UNREACHABLE: [131026],
    Verdict.OPTED_OUT: [131050],
    Verdict.PAUSE_ACCOUNT: [
        0, 10, 33, 104, 190, 200, 299, 368, 131005, 131031, 131037, 131042, 131045, 131048, 131064, 133000, 133010,
        133015, 133016,
    ],
    Verdict.PAUSE_TEMPLATE: [131063, 132000, 132001, 132007, 132012, 132015, 132016],
    Verdict.REJECTED: [
        100, 131008, 131009, 131021, 131030, 131051, 131053, 131055, 132005, 132008, 132018, 132068, 134100, 134102,
        139100,
    ],
}  # fmt: skip
EVERY_CODE = [(code, verdict) for verdict, codes in TABLE.items() for code in codes]


def answer(status: int, body: Any = None, *, raw: bytes | None = None, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, headers=named, body=json.dumps(body).encode() if raw is None else raw)


def error(code: Any, **rest: Any) -> dict[str, Any]:
    return {"message": f"(#{code}) Something", "type": "OAuthException", "code": code, **rest}


def refused(status: int, code: Any, **rest: Any) -> Outcome:
    return outcome_of_response(answer(status, {"error": error(code, **rest)}))


@pytest.mark.parametrize(("code", "verdict"), EVERY_CODE)
def test_a_code_means_the_same_in_an_answer_and_in_a_receipt(code: int, verdict: Verdict) -> None:
    said_at_once = refused(400, code)
    said_later = outcome_of_receipt_error({"code": code, "title": "Something"})

    assert said_at_once.verdict == said_later.verdict == verdict
    assert said_at_once.code == said_later.code == str(code)


def test_a_title_in_spanish_changes_nothing() -> None:
    english = outcome_of_receipt_error({"code": 131026, "title": "Message undeliverable"})
    spanish = outcome_of_receipt_error({"code": 131026, "title": "Mensaje no entregado"})

    assert english.verdict == spanish.verdict == Verdict.RECIPIENT_UNREACHABLE


def test_a_registration_error_pauses_the_account_although_it_comes_as_500() -> None:
    assert refused(500, 131045).verdict == Verdict.PAUSE_ACCOUNT


def test_a_number_that_is_not_ours_pauses_the_account() -> None:
    assert refused(400, 100, error_subcode=33).verdict == Verdict.PAUSE_ACCOUNT
    assert refused(400, 100).verdict == Verdict.REJECTED


def test_a_code_written_as_text_is_a_code() -> None:
    assert refused(400, "131047").verdict == Verdict.USE_TEMPLATE


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (400, Verdict.REJECTED),
        (404, Verdict.REJECTED),
        (401, Verdict.PAUSE_ACCOUNT),
        (403, Verdict.PAUSE_ACCOUNT),
        (429, Verdict.RETRY),
        (500, Verdict.RETRY),
        (503, Verdict.RETRY),
    ],
)
def test_an_unknown_code_goes_by_its_class(status: int, verdict: Verdict) -> None:
    assert refused(status, 999_001).verdict == verdict


def test_an_unknown_code_that_calls_itself_transient_is_tried_again() -> None:
    assert refused(400, 999_001, is_transient=True).verdict == Verdict.RETRY


def test_a_refusal_that_does_not_say_why_is_marked_as_such() -> None:
    assert refused(400, 999_001).is_vague
    assert refused(400, 100).is_vague
    assert refused(400, 135000).is_vague
    assert not refused(400, 131009).is_vague
    assert not refused(400, 190).is_vague
    assert not refused(400, 130429).is_vague


def test_too_many_calls_waits_as_long_as_it_was_told() -> None:
    outcome = outcome_of_response(answer(429, {"error": error(130429)}, Retry_After="90"))

    assert outcome.verdict == Verdict.RETRY
    assert outcome.after_seconds == 90


def test_too_many_calls_from_the_edge_has_no_word_of_metas() -> None:
    outcome = outcome_of_response(answer(429, raw=b"<html>slow down</html>", Retry_After="120"))

    assert outcome.verdict == Verdict.RETRY
    assert outcome.after_seconds == 120


def test_a_retry_after_date_counts_from_the_answers_own() -> None:
    until, said = "Tue, 14 Apr 2026 07:02:00 GMT", "Tue, 14 Apr 2026 07:00:00 GMT"

    outcome = outcome_of_response(answer(429, {"error": error(4)}, Retry_After=until, Date=said))

    assert outcome.after_seconds == 120


@pytest.mark.parametrize("wish", ["", "soon", "-5", "99999999", "Tue, 14 Apr 2026 07:02:00 GMT", "²"])
def test_a_strange_retry_after_never_stops_us_for_long(wish: str) -> None:
    outcome = outcome_of_response(answer(429, {"error": error(130429)}, Retry_After=wish))

    assert outcome.after_seconds is not None
    assert 5 <= outcome.after_seconds <= 3600


@pytest.mark.parametrize(
    "raw", [b"<html>Bad gateway</html>", b"", b"null", b"[]", b'{"message": "upstream timeout"}', b'{"error": "down"}']
)
def test_a_500_without_metas_own_word_may_have_been_sent(raw: bytes) -> None:
    assert outcome_of_response(answer(502, raw=raw)).verdict == Verdict.UNKNOWN


def test_a_400_without_metas_own_word_was_refused_before_meta() -> None:
    assert outcome_of_response(answer(407, raw=b"<html/>")).verdict == Verdict.RETRY


def test_an_accepted_message_brings_its_id_and_metas_spelling_of_the_number() -> None:
    body = {
        "messaging_product": "whatsapp",
        "contacts": [{"input": "+525512345678", "wa_id": "5215512345678"}],
        "messages": [{"id": "wamid.HBg", "message_status": "held_for_quality_assessment"}],
    }

    outcome = outcome_of_response(answer(200, body))

    assert outcome == Outcome(
        verdict=Verdict.ACCEPTED,
        provider_message_id="wamid.HBg",
        recipient_id="5215512345678",
        detail="held_for_quality_assessment",
    )


def test_a_message_to_a_user_without_number_brings_the_user_id() -> None:
    body = {"contacts": [{"input": "US.1", "user_id": "US.1"}], "messages": [{"id": "wamid.1"}]}

    outcome = outcome_of_response(answer(200, body))

    assert (outcome.recipient_id, outcome.user_id) == ("", "US.1")


@pytest.mark.parametrize(
    "raw", [b"", b"{}", b'{"messages": []}', b'{"messages": [{"id": ""}]}', b'{"messages": [3]}', b"<html/>"]
)
def test_a_200_without_a_message_id_leaves_us_in_doubt(raw: bytes) -> None:
    assert outcome_of_response(answer(200, raw=raw)).verdict == Verdict.UNKNOWN


def test_a_refused_connection_is_tried_again() -> None:
    outcome = outcome_of_exception(HttpNotSentError(host="graph", route="whatsapp.messages", cause="ConnectionRefused"))

    assert outcome.verdict == Verdict.RETRY
    assert outcome.after_seconds is not None


def test_a_read_timeout_leaves_us_in_doubt() -> None:
    outcome = outcome_of_exception(HttpMaybeSentError(host="graph", route="whatsapp.messages", cause="TimeoutError"))

    assert outcome.verdict == Verdict.UNKNOWN


@pytest.mark.parametrize("nothing", [None, {}, [], "131026", {"title": "Failed"}, {"code": None}, {"code": True}])
def test_a_failed_receipt_without_a_reason_is_final(nothing: Any) -> None:
    outcome = outcome_of_receipt_error(nothing)

    assert outcome.verdict == Verdict.REJECTED
    assert outcome.code == ""


def test_staff_read_the_details_in_metas_words() -> None:
    outcome = outcome_of_receipt_error(
        {"code": 131047, "title": "Re-engagement", "error_data": {"details": "More than 24 hours have passed."}}
    )

    assert outcome.detail == "More than 24 hours have passed."


def test_error_data_may_be_plain_text() -> None:
    assert outcome_of_receipt_error({"code": 1, "error_data": "Try\nagain"}).detail == "Try again"


def test_the_kept_detail_is_short_and_holds_no_number_address_or_token() -> None:
    details = "To +57 300 123 4567, ana@example.com, id 573001234567, wamid.HBgNNTczMDAxMjM0NTY3FQIAERgS " + "x" * 500

    detail = refused(400, 131009, error_data={"details": details}).detail

    assert len(detail) <= 300
    for part in ("4567", "300 123", "ana@example", "HBgNNTcz"):
        assert part not in detail


@pytest.mark.parametrize("strange", ["\0", "\ud800", "a\0b"])
def test_what_no_column_can_hold_is_taken_out(strange: str) -> None:
    accepted = outcome_of_response(answer(200, {"messages": [{"id": f"wamid.{strange}"}]}))

    assert accepted.provider_message_id.encode().startswith(b"wamid.")
    assert b"\0" not in accepted.provider_message_id.encode()
    assert b"\0" not in refused(400, 131009, error_data={"details": strange}).detail.encode()


@pytest.mark.parametrize("code", [10**40, -(10**40), "9" * 40])
def test_a_code_that_is_no_code_is_none(code: Any) -> None:
    assert refused(400, code).code == "http_400"


def test_an_id_too_long_to_keep_leaves_us_in_doubt() -> None:
    assert outcome_of_response(answer(200, {"messages": [{"id": "w" * 161}]})).verdict == Verdict.UNKNOWN


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "code", "messages", "contacts", "id", "error_data", "details", "error_subcode", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANY_JSON, st.sampled_from([200, 201, 302, 400, 401, 404, 429, 500, 503]), st.text(max_size=20))
def test_whatever_comes_back_has_an_outcome(body: Any, status: int, wish: str) -> None:
    outcome = outcome_of_response(answer(status, body, Retry_After=wish))

    assert isinstance(outcome.verdict, Verdict)
    assert (outcome.verdict == Verdict.ACCEPTED) == bool(outcome.provider_message_id)


@given(ANY_JSON)
def test_whatever_a_receipt_says_has_an_outcome(error: Any) -> None:
    assert outcome_of_receipt_error(error).verdict != Verdict.ACCEPTED
