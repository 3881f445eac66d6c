"""The inbox in a browser: by keys, by two people, on a phone, with names and texts that are too long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment
from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.ids import uuid7
from messaging.contracts import Person, TaskReason
from messaging.models import Contact, Conversation, SavedText, StaffTask, TaskState, WrittenAnswer
from messaging.queries.conversation_news import seen_now
from messaging.usecases.tasks import open_task
from messaging.usecases.writing import Answer, write_answer
from tests.appointments.chat import hear
from tests.appointments.making import Practice
from tests.appointments.pages import booked
from tests.factories import MembershipFactory
from tests.messaging.templates import make_account

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk" * 3


@pytest.fixture
def ana(practice: Practice) -> Contact:
    """She wrote something that needs a person, of a visit to come; and so did somebody nobody knows."""
    make_account(practice.clinic)
    booked(practice, days=1)
    contact = Contact.objects.for_clinic(practice.clinic).get()
    asks(practice, contact, "ok but maybe 15 min late?")
    stranger = Contact.objects.create(
        clinic=practice.clinic, channel="whatsapp", address="+34699330833", created_at=clock.now()
    )
    asks(practice, stranger, "do you work on Saturdays?")
    SavedText.objects.create(
        clinic=practice.clinic, title="See you", language="es", body="Hola {{ patient }}, le esperamos."
    )
    return contact


@pytest.fixture(autouse=True)
def settled(page: Page) -> Iterator[None]:
    """What a page still fetches is answered before the rows go."""
    yield
    page.wait_for_load_state("networkidle")
    page.goto("about:blank")


def asks(practice: Practice, contact: Contact, text: str) -> None:
    inbound = hear(practice.clinic, now=clock.now(), text=text, contact=contact)
    open_task(
        practice.clinic.pk,
        reason=TaskReason.UNCLEAR_ANSWER,
        unique_key=f"contact:{contact.pk}:unclear",
        person=Person("contact", contact.pk),
        inbound_id=inbound.pk,
        now=clock.now(),
    )


def written(practice: Practice) -> list[str]:
    return list(WrittenAnswer.objects.for_clinic(practice.clinic).order_by("pk").values_list("text", flat=True))


def waiting(practice: Practice) -> int:
    return StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN).count()


def test_who_wrote_is_answered_by_keys_alone(page: Page, practice: Practice, ana: Contact) -> None:
    page.reload()
    expect(page.locator(".nav .count").first).to_have_text("2")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/inbox/")
    page.wait_for_load_state()
    page.keyboard.press("j")
    expect(page.locator(f"#conv-{ana.pk}")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/inbox/{ana.pk}/**")
    expect(page.locator(".inbox-beside")).to_contain_text("10:30")
    expect(page.locator("#conv-" + str(ana.pk))).to_have_attribute("aria-current", "true")

    page.get_by_role("button", name="See you").click()
    page.keyboard.type(" Hasta mañana.")
    page.keyboard.press("Control+Enter")

    expect(page.locator(".bubble-own").last).to_contain_text("Hola Ana, le esperamos. Hasta mañana.")
    expect(page.locator("#talk-state")).to_contain_text("done by")
    assert written(practice) == ["Hola Ana, le esperamos. Hasta mañana."]
    assert waiting(practice) == 1


def test_done_is_one_key_and_z_takes_it_back(page: Page, practice: Practice, ana: Contact) -> None:
    page.goto(reverse("inbox-talk", args=[ana.pk]))
    page.wait_for_load_state()

    page.keyboard.press("e")

    page.wait_for_url("**/inbox/")
    expect(page.locator(".toast")).to_contain_text("Done.")
    page.wait_for_load_state()
    assert waiting(practice) == 1
    page.keyboard.press("z")
    page.wait_for_url(f"**/inbox/{ana.pk}/")
    assert waiting(practice) == 2


def test_what_is_new_comes_by_itself_and_a_colleague_s_answer_is_seen_before_sending(
    page: Page, practice: Practice, ana: Contact
) -> None:
    page.goto(reverse("inbox-talk", args=[ana.pk]))
    page.fill("[data-answer]", "Mine")
    marta = MembershipFactory.create(clinic=practice.clinic, user__first_name="Marta").user
    answer = Answer(
        contact_id=ana.pk,
        text="Hers",
        person=Person("contact", ana.pk),
        token=uuid7(),
        seen=seen_now(practice.clinic.pk, contact_id=ana.pk),
    )
    write_answer(practice.clinic, answer=answer, actor=Actor(ActorKind.STAFF, marta.pk), now=clock.now())

    page.get_by_role("button", name="Send").click()

    expect(page.get_by_role("alert")).to_contain_text("answered a moment ago.")
    expect(page.locator("[data-answer]")).to_have_value("Mine")
    expect(page.locator("[data-answer]")).to_be_focused()
    hear(practice.clinic, now=clock.now(), text="one more thing", contact=ana)
    expect(page.locator(".bubble").last).to_contain_text("one more thing", timeout=20_000)
    expect(page.locator("#talk-news")).to_contain_text("Something new was said.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your text has not gone.")
    assert written(practice) == ["Hers"]
    page.keyboard.press("Control+Enter")
    expect(page.locator(".bubble-own").last).to_contain_text("Mine")
    assert written(practice) == ["Hers", "Mine"]


def test_what_comes_below_the_end_that_is_on_the_page_is_not_seen_before_it_is(
    page: Page, practice: Practice, ana: Contact
) -> None:
    for number in range(30):
        hear(practice.clinic, now=clock.now(), text=f"and {number}", contact=ana)
    page.goto(reverse("inbox-talk", args=[ana.pk]))
    page.wait_for_load_state("networkidle")
    log = page.locator("#talk-log")
    kept = [page.locator(f"#talk-state input[name={name}]") for name in ("seen", "tasks")]
    kept.append(page.locator("#compose input[name=seen]"))
    before = [one.input_value() for one in kept]
    seen_at = Conversation.objects.for_clinic(practice.clinic).get().seen_at
    log.evaluate("one => { one.scrollTop = 0; }")

    last = hear(practice.clinic, now=clock.now(), text="one more thing", contact=ana)
    open_task(
        practice.clinic.pk,
        reason=TaskReason.ASKS_FOR_PERSON,
        unique_key="more",
        person=Person("contact", ana.pk),
        now=clock.now(),
    )

    expect(page.locator(".bubble").last).to_contain_text("one more thing", timeout=20_000)
    page.wait_for_load_state("networkidle")
    assert [one.input_value() for one in kept] == before
    assert Conversation.objects.for_clinic(practice.clinic).get().seen_at == seen_at
    with page.expect_response("**/seen/"):
        log.evaluate("one => { one.scrollTop = one.scrollHeight; }")
    assert all(now != then for now, then in zip([one.input_value() for one in kept], before, strict=True))
    assert Conversation.objects.for_clinic(practice.clinic).get().seen_at == last.received_at


def test_a_double_click_sends_once(page: Page, practice: Practice, ana: Contact) -> None:
    page.goto(reverse("inbox-talk", args=[ana.pk]))
    page.fill("[data-answer]", "Once")

    page.get_by_role("button", name="Send").dblclick()

    expect(page.locator(".bubble-own").last).to_contain_text("Once")
    assert written(practice) == ["Once"]


def test_a_conversation_is_given_to_a_colleague(page: Page, practice: Practice, ana: Contact) -> None:
    MembershipFactory.create(clinic=practice.clinic, user__first_name="Marta", user__last_name="Sol")
    page.goto(reverse("inbox-talk", args=[ana.pk]))

    page.locator("#talk-members summary").click()
    page.get_by_role("button", name="Marta Sol").click()

    expect(page.locator("#talk-state")).to_contain_text("assigned to Marta Sol")
    expect(page.locator(".toast")).to_contain_text("Marta Sol's now")


def test_who_looks_for_somebody_sees_them_as_they_type(page: Page, ana: Contact) -> None:
    page.goto(reverse("inbox"))

    page.locator("#inbox-q").press_sequentially("0833")

    expect(page.locator(".conv")).to_have_count(1)
    expect(page.locator(".conv")).to_contain_text("Number ending in 0833")
    expect(page.locator("#inbox-q")).to_be_focused()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_reader_and_every_screen_can_use_it(
    page: Page, practice: Practice, ana: Contact, width: int, theme: str
) -> None:
    booked(practice, days=2, patient=practice.add(LONG_NAME, phone="622 333 444", now=clock.now()))
    long = Contact.objects.for_clinic(practice.clinic).get(address="+34622333444")
    asks(practice, long, LONG_WORD)
    silent = Contact.objects.create(
        clinic=practice.clinic, channel="whatsapp", address="+34699330834", created_at=clock.now()
    )
    asks(practice, silent, "long ago")
    Contact.unscoped.filter(pk=silent.pk).update(last_inbound_at=clock.now() - timedelta(days=3))
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})

    urls = [reverse("inbox"), *(reverse("inbox-talk", args=[one.pk]) for one in (ana, long, silent))]
    urls += [reverse("inbox", query={"show": "mine"}), reverse("inbox", query={"q": "zzz"}), reverse("tasks")]
    for url in urls:
        page.goto(url)
        page.wait_for_load_state("networkidle")
        violations = [
            (one["id"], [node["html"][:200] for node in one["nodes"]]) for one in Axe().run(page).response["violations"]
        ]
        assert violations == [], url
        assert page.evaluate("document.documentElement.scrollWidth") <= width, url


def test_on_a_phone_the_list_leads_to_the_conversation_and_back(page: Page, practice: Practice, ana: Contact) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(reverse("inbox"))
    page.locator(f"#conv-{ana.pk}").click()
    expect(page.locator(".inbox-list")).to_be_hidden()
    page.fill("[data-answer]", "From the phone")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".bubble-own").last).to_contain_text("From the phone")

    page.get_by_role("link", name="Back to the inbox").click()

    expect(page.locator(".inbox-list")).to_be_visible()


def test_who_confirms_or_moves_from_beside_a_conversation_comes_back_to_it(
    page: Page, practice: Practice, ana: Contact
) -> None:
    page.goto(reverse("inbox-talk", args=[ana.pk]))

    page.get_by_role("button", name="Confirmed by phone").click()

    page.wait_for_url(f"**/inbox/{ana.pk}/")
    assert Appointment.objects.for_clinic(practice.clinic).get().status == "confirmed"
    page.locator(".inbox-beside").get_by_role("link", name="Cancel").click()
    page.get_by_label("The patient called").check()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/inbox/{ana.pk}/")
    assert Appointment.objects.for_clinic(practice.clinic).get().status == "cancelled_by_clinic"
