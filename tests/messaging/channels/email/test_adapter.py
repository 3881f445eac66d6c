"""One letter over SMTP: what arrives, and what each word of a server comes to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from messaging.channels.base import Account, FreeContent, Letterhead, OutboundMessage, Outcome, Verdict
from messaging.channels.email.adapter import EmailChannel
from tests.messaging.channels.email.servers import free_port, line, mail_server, silence

ATTEMPT = UUID("01960000-0000-7000-8000-000000000001")
GREETED = b"220 mx\r\n250 mx\r\n250 OK\r\n250 OK\r\n354 Go on\r\n"
END = b"\r\n.\r\n"


def mail(body: str = "Hola", **rest: Any) -> OutboundMessage:
    head = Letterhead(subject="Una invitación", sender_name="Clínica Sol, S.A.", language="es")
    account = Account(account_id=1, clinic_id=1, channel="email", external_id="", secrets={})
    content = FreeContent(body=body, letterhead=head)
    return OutboundMessage(
        **{"attempt_id": ATTEMPT, "account": account, "email": "ana@example.org", "content": content, **rest}
    )


@pytest.fixture(autouse=True)
def _from(settings: Settings) -> None:
    settings.EMAIL_HOST, settings.DEFAULT_FROM_EMAIL = "127.0.0.1", "bot@clinic.example"


def send_to(port: int, settings: Settings, message: OutboundMessage | None = None) -> Outcome:
    settings.EMAIL_PORT = port
    return EmailChannel().send(message or mail())


def test_a_letter_arrives_as_written_in_the_clinic_s_name(settings: Settings) -> None:
    with mail_server() as server:
        outcome = send_to(server.port, settings, mail("Hola, Ana.\n\n.punto\nhttp://x.example/a?b=1&c=2"))

    [taken] = server.taken
    letter = taken.letter
    plain, html = letter.get_body(("plain",)), letter.get_body(("html",))
    assert (taken.sender, taken.recipients) == ("bot@clinic.example", ["ana@example.org"])
    assert letter["From"].addresses[0].display_name == "Clínica Sol, S.A."
    assert (letter["Subject"], letter["To"]) == ("Una invitación", "ana@example.org")
    assert plain is not None
    assert plain.get_content().replace("\r\n", "\n") == "Hola, Ana.\n\n.punto\nhttp://x.example/a?b=1&c=2\n"
    assert html is not None
    assert '<a href="http://x.example/a?b=1&amp;c=2">' in html.get_content()
    assert outcome == Outcome(verdict=Verdict.ACCEPTED, provider_message_id=f"<{ATTEMPT}@clinic.example>")


def test_it_names_our_attempt_its_time_and_that_no_person_sent_it(settings: Settings) -> None:
    with mail_server() as server:
        send_to(server.port, settings)

    letter = server.taken[0].letter
    assert letter["Message-ID"] == f"<{ATTEMPT}@clinic.example>"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["Content-Language"] == "es"
    assert letter["Date"].datetime.year == 2025
    assert letter["List-Unsubscribe"] is None


def test_what_people_type_is_neither_a_header_nor_markup(settings: Settings) -> None:
    """channels C55, C56."""
    head = Letterhead(subject="Hi\r\nBcc: e@x.example", sender_name="A\nBcc: e@x.example", language="en")
    content = FreeContent(body="<h1><a href=//evil>x</a></h1>", letterhead=head)

    with mail_server() as server:
        send_to(server.port, settings, mail(content=content))

    [taken] = server.taken
    html = taken.letter.get_body(("html",))
    assert taken.letter["Bcc"] is None
    assert taken.letter["Subject"] == "Hi Bcc: e@x.example"
    assert html is not None
    assert "<h1>" not in html.get_content()


@pytest.mark.parametrize(
    ("command", "answer", "verdict"),
    [
        ("MAIL", "421 4.3.2 Closing", Verdict.RETRY),
        ("MAIL", "550 5.7.1 Not your address", Verdict.PAUSE_ACCOUNT),
        ("MAIL", "530 5.7.0 Authentication required", Verdict.PAUSE_ACCOUNT),
        ("RCPT", "450 4.2.0 Greylisted", Verdict.RETRY),
        ("RCPT", "550 5.1.1 No such user <ana@example.org>", Verdict.RECIPIENT_UNREACHABLE),
        ("RCPT", "550 Unknown", Verdict.RECIPIENT_UNREACHABLE),
        ("RCPT", "550 5.2.1 Mailbox disabled", Verdict.RECIPIENT_UNREACHABLE),
        ("RCPT", "552 5.2.2 Mailbox full", Verdict.RETRY),
        ("RCPT", "550 5.7.1 Relaying denied", Verdict.PAUSE_ACCOUNT),
        ("RCPT", "554 5.7.1 Policy", Verdict.REJECTED),
        ("DATA", "451 4.3.0 Later", Verdict.RETRY),
        ("DATA", "550 5.7.515 Access denied, sender's domain does not meet the level", Verdict.PAUSE_ACCOUNT),
        ("DATA", "550 5.7.26 Unauthenticated: SPF did not pass", Verdict.PAUSE_ACCOUNT),
        ("DATA", "554 5.7.1 Spam", Verdict.REJECTED),
        ("DATA", "550 5.1.1 Nobody here", Verdict.RECIPIENT_UNREACHABLE),
        ("DATA", "552 5.3.4 Too big", Verdict.REJECTED),
    ],
)
def test_a_server_s_no_is_a_verdict(settings: Settings, command: str, answer: str, verdict: Verdict) -> None:
    with mail_server(answers={command: answer}) as server:
        outcome = send_to(server.port, settings)

    assert outcome.verdict == verdict
    assert answer.startswith(outcome.code)
    assert "ana@example.org" not in repr(outcome)
    assert server.taken == []


def test_a_full_mailbox_is_tried_a_few_times_only(settings: Settings) -> None:
    with mail_server(answers={"RCPT": "452 4.2.2 Over quota"}) as server:
        assert send_to(server.port, settings).is_vague


@pytest.mark.parametrize(("password", "verdict"), [("right", Verdict.ACCEPTED), ("wrong", Verdict.PAUSE_ACCOUNT)])
def test_a_refused_login_pauses_the_account(settings: Settings, password: str, verdict: Verdict) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "bot", password
    with mail_server(password="right") as server:
        outcome = send_to(server.port, settings)

    assert outcome.verdict == verdict
    assert password not in repr(outcome)


def test_a_server_without_the_encryption_we_want_gets_nothing(settings: Settings) -> None:
    settings.EMAIL_USE_TLS = True
    with mail_server() as server:
        outcome = send_to(server.port, settings)

    assert (outcome.verdict, outcome.code, server.taken) == (Verdict.PAUSE_ACCOUNT, "not_supported", [])


def test_where_nobody_listens_nothing_has_left(settings: Settings) -> None:
    outcome = send_to(free_port(), settings)

    assert (outcome.verdict, outcome.detail) == (Verdict.RETRY, "ConnectionRefusedError")


@pytest.mark.parametrize(
    ("script", "hears", "verdict"),
    [
        (b"554 5.7.1 Go away\r\n", b"", Verdict.PAUSE_ACCOUNT),
        (b"220 mx\r\n250 mx\r\n", b"mail", Verdict.RETRY),
        (GREETED.removesuffix(b"354 Go on\r\n"), b"DATA", Verdict.RETRY),
        (GREETED, END, Verdict.UNKNOWN),
        (GREETED + b"what?\r\n", END, Verdict.UNKNOWN),
        (GREETED + b"250 Taken\r\n", END, Verdict.ACCEPTED),
    ],
)
def test_a_cut_line_is_unknown_only_once_the_text_was_on_its_way(
    settings: Settings, script: bytes, hears: bytes, verdict: Verdict
) -> None:
    with line(script, hears=hears) as port:
        assert send_to(port, settings).verdict == verdict


@pytest.mark.parametrize(
    ("greeting", "verdict"), [(b"", Verdict.RETRY), (b"220", Verdict.RETRY), (GREETED, Verdict.UNKNOWN)]
)
def test_the_whole_conversation_ends_in_time(settings: Settings, greeting: bytes, verdict: Verdict) -> None:
    settings.EMAIL_CALL_SECONDS = 0.2
    with silence(greeting) as port:
        assert send_to(port, settings).verdict == verdict


def test_without_a_server_it_is_held_and_outside_the_list_it_is_not_called(settings: Settings) -> None:
    """channels C7: outside production nothing else leaves."""
    with mail_server() as server:
        settings.OUTBOUND_ALLOWLIST = ["graph.example"]
        kept_in = send_to(server.port, settings)
        settings.EMAIL_HOST = ""
        nowhere = send_to(server.port, settings)

    assert (kept_in.verdict, kept_in.detail) == (Verdict.RETRY, "HostNotAllowed")
    assert (nowhere.verdict, nowhere.code) == (Verdict.PAUSE_ACCOUNT, "no_email_server")
    assert server.taken == []


def test_a_domain_of_any_script_is_spelt_as_servers_spell_it(settings: Settings) -> None:
    with mail_server() as server:
        send_to(server.port, settings, mail(email="ana@clínica.example"))

    assert server.taken[0].recipients == ["ana@xn--clnica-4va.example"]
