"""A forgotten password: the letter, its link, and what nobody learns by asking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import AuditEntry, Clinic, Tally
from messaging.models import Attempt, Message
from tests.clinicbot.inviting import Mailbox, open_mailbox
from tests.factories import ClinicFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db

OLD, NEW = "correct horse battery", "staple-less and long"
ASK = "/password/"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with open_mailbox() as mailbox:
        yield mailbox


@pytest.fixture
def sandra(clinic: Clinic) -> User:
    return login_of(MembershipFactory.create(clinic=clinic).user, email="sandra@example.org")


def login_of(user: User, *, email: str) -> User:
    user.email = email
    user.set_password(OLD)
    user.save()
    return user


def ask(email: str, *, language: str = "en") -> tuple[int, str]:
    """What anybody sees who asks, with the page it leads to."""
    response = Client(headers={"accept-language": language}).post(ASK, {"email": email}, follow=True)
    return response.status_code, re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def links(mailbox: Mailbox) -> list[str]:
    mailbox.collect(now=clock.now())
    return [found.group() for body in mailbox.bodies if (found := re.search(r"/password/\w+/[\w-]+/", body))]


def choose(link: str, *, password: str = NEW) -> tuple[Client, str]:
    """Whoever follows the link, and what they see after choosing."""
    browser = Client(headers={"accept-language": "en"})
    path = browser.get(link, follow=True).request["PATH_INFO"]
    answer = browser.post(path, {"new_password1": password, "new_password2": password}, follow=True)
    return browser, answer.content.decode()


def can_log_in(user: User, password: str) -> bool:
    client = Client()
    client.post(reverse("login"), {"username": user.username, "password": password})
    return "_auth_user_id" in client.session


def test_the_link_in_the_letter_leads_to_a_new_password(sandra: User, mailbox: Mailbox, settings: Settings) -> None:
    settings.BASE_URL = "https://bot.example"

    asked = ask(" Sandra@Example.org")
    [link] = links(mailbox)
    _browser, said = choose(link)

    assert "Look into your mail" in asked[1]
    assert [letter.email for letter in mailbox.letters] == ["sandra@example.org"]
    assert f"https://bot.example{link}" in mailbox.bodies[0]
    assert sandra.username in mailbox.bodies[0]
    assert "The new password is saved" in said
    assert (can_log_in(sandra, OLD), can_log_in(sandra, NEW)) == (False, True)
    assert AuditEntry.objects.get(action="new password").subject_id == str(sandra.pk)


@pytest.mark.parametrize(("language", "word"), [("es", "contraseña"), ("pt", "senha"), ("en", "password")])
def test_letter_and_pages_speak_as_whoever_asks(sandra: User, mailbox: Mailbox, language: str, word: str) -> None:
    login = Client(headers={"accept-language": language}).get("/login/").content.decode()
    ask(sandra.email, language=language)
    links(mailbox)

    assert f'href="{ASK}"' in login
    assert word in login
    assert word in mailbox.bodies[0]


def test_the_answer_is_the_same_whether_or_not_there_is_such_a_login(sandra: User, mailbox: Mailbox) -> None:
    UserFactory.create(email="closed@example.org", is_active=False)

    answers = [ask(email) for email in (sandra.email, "nobody@example.org", "closed@example.org") for _thrice in "123"]
    too_often = [ask(email) for email in (sandra.email, "nobody@example.org")]

    assert len(set(answers)) == 1
    assert [answer[1].replace(sandra.email, "nobody@example.org") for answer in too_often] == [too_often[1][1]] * 2
    assert "That was asked for 3 times within the hour." in too_often[0][1]
    assert {letter.email for letter in mailbox.letters} <= {sandra.email}


def test_after_an_hour_it_may_be_asked_for_again_and_addresses_are_not_kept(sandra: User, mailbox: Mailbox) -> None:
    for _four_times in range(4):
        ask(sandra.email)
    Tally.objects.update(since=clock.real() - timedelta(hours=1))

    assert "Look into your mail" in ask(sandra.email)[1]
    assert sandra.email not in str(list(Tally.objects.values()))


def test_asked_for_again_within_a_minute_it_is_one_letter(sandra: User, mailbox: Mailbox) -> None:
    ask(sandra.email)
    ask(sandra.email)

    assert Message.unscoped.count() in (1, 2)  # Two where the minute was over between them.
    assert len({message.created_at.replace(second=0, microsecond=0) for message in Message.unscoped.all()}) == (
        Message.unscoped.count()
    )


def test_a_link_works_once(sandra: User, mailbox: Mailbox) -> None:
    ask(sandra.email)
    [link] = links(mailbox)
    choose(link)

    again = Client(headers={"accept-language": "en"}).get(link, follow=True).content.decode()

    assert "This link no longer works" in again
    assert can_log_in(sandra, NEW)


def test_a_link_works_for_a_while_only(sandra: User, mailbox: Mailbox, settings: Settings) -> None:
    ask(sandra.email)
    [link] = links(mailbox)
    settings.PASSWORD_RESET_TIMEOUT = -1

    assert "This link no longer works" in Client(headers={"accept-language": "en"}).get(link).content.decode()


def test_a_link_is_nobody_else_s(sandra: User, mailbox: Mailbox) -> None:
    other = login_of(UserFactory.create(), email="other@example.org")
    for email in (sandra.email, other.email):
        ask(email)
    first, second = links(mailbox)
    mixed = f"/password/{second.split('/')[2]}/{first.split('/')[3]}/"

    assert "This link no longer works" in Client(headers={"accept-language": "en"}).get(mixed).content.decode()


def test_sessions_on_other_devices_end(sandra: User, mailbox: Mailbox) -> None:
    elsewhere = Client()
    elsewhere.post(reverse("login"), {"username": sandra.username, "password": OLD})
    assert elsewhere.get("/").status_code == 200
    ask(sandra.email)
    [link] = links(mailbox)

    browser, _said = choose(link)

    assert elsewhere.get("/").status_code == 302
    assert "_auth_user_id" not in browser.session


def test_a_weak_password_is_refused_in_words_and_the_link_still_works(sandra: User, mailbox: Mailbox) -> None:
    ask(sandra.email)
    [link] = links(mailbox)

    _browser, said = choose(link, password="1234")
    choose(link)

    assert "at least 10 characters" in said
    assert can_log_in(sandra, NEW)


def test_who_was_locked_out_by_wrong_tries_gets_in(sandra: User, mailbox: Mailbox) -> None:
    for number in range(9):
        can_log_in(sandra, f"wrong {number}")
    assert not can_log_in(sandra, OLD)
    ask(sandra.email)
    [link] = links(mailbox)

    choose(link)

    assert can_log_in(sandra, NEW)


def test_who_works_nowhere_gets_a_letter_too(clinic: Clinic, mailbox: Mailbox) -> None:
    """Invited and not yet a member, or the superuser."""
    login_of(UserFactory.create(is_superuser=True), email="root@example.org")

    ask("root@example.org")

    assert len(links(mailbox)) == 1


def test_without_any_clinic_nothing_breaks(mailbox: Mailbox) -> None:
    login_of(UserFactory.create(), email="root@example.org")

    assert "Look into your mail" in ask("root@example.org")[1]
    assert links(mailbox) == []


def test_two_logins_with_one_address_get_a_letter_each(sandra: User, mailbox: Mailbox) -> None:
    second = login_of(MembershipFactory.create().user, email=sandra.email)

    ask(sandra.email)
    links(mailbox)

    assert (
        sorted(user.username in body for user in (sandra, second) for body in mailbox.bodies)
        == [False] * 2 + [True] * 2
    )


def test_a_login_closed_before_it_went_gets_none(sandra: User, mailbox: Mailbox) -> None:
    ask(sandra.email)
    User.objects.update(is_active=False)

    assert links(mailbox) == []
    assert Message.unscoped.get().reason == "login_closed"


def test_a_suspended_clinic_s_people_get_theirs(sandra: User, clinic: Clinic, mailbox: Mailbox) -> None:
    Clinic.objects.update(suspended_at=clock.now())

    ask(sandra.email)

    assert len(links(mailbox)) == 1


def test_the_link_is_kept_nowhere_that_people_look(sandra: User, mailbox: Mailbox) -> None:
    ask(sandra.email)
    [link] = links(mailbox)

    token = link.split("/")[3]
    assert [token in attempt.text for attempt in Attempt.unscoped.all()] == [False]
    assert token not in str(list(Message.unscoped.values()) + list(AuditEntry.objects.values()))


def test_another_clinic_sees_nothing_of_it(sandra: User, mailbox: Mailbox) -> None:
    foreign = ClinicFactory.create()

    ask(sandra.email)

    assert not Message.objects.for_clinic(foreign).exists()


@pytest.mark.parametrize(
    ("of_login", "typed"),
    [
        ("sandra@mik.example.org", "sandra@m\u0131k.example.org"),  # A dotless i.
        ("sandra@mik.example.org", "\u017fandra@mik.example.org"),  # A long s.
        ("kim@mik.example.org", "\u212aim@mik.example.org"),  # The sign of Kelvin.
        ("sandra@m\u0131k.example.org", "sandra@mik.example.org"),
        ("\u017fandra@mik.example.org", "sandra@mik.example.org"),
        ("xsandra@mik.example.org", "sandra@mik.example.org"),
    ],
)
def test_an_address_that_only_looks_alike_gets_no_letter(
    sandra: User, mailbox: Mailbox, of_login: str, typed: str
) -> None:
    login_of(sandra, email=of_login)

    ask(typed)

    assert (links(mailbox), Message.unscoped.count()) == ([], 0)


def test_letters_before_the_at_that_are_not_plain_are_refused_in_words(sandra: User, mailbox: Mailbox) -> None:
    assert "Before the @ an e-mail address has plain letters only" in ask("\u017fandra@example.org")[1]


def test_the_letter_goes_to_the_address_that_stands_at_the_login(sandra: User, mailbox: Mailbox) -> None:
    """Other spellings of one domain find it, and count together."""
    login_of(sandra, email="Sandra@m\u00fcller.example.org")

    ask("SANDRA@xn--mller-kva.example.org")
    found = len(links(mailbox))
    again = [ask(f"sandra@{domain}.example.org")[1] for domain in ("m\u00fcller", "M\u00dcLLER", "mu\u0308ller")]

    assert found == 1
    assert [letter.email for letter in mailbox.letters] == ["sandra@m\u00fcller.example.org"]
    assert "3 times within the hour" in again[-1]
