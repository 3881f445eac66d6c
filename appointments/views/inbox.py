"""The inbox: its list, and one conversation with what stands beside it."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from appointments.forms import AnswerForm
from appointments.queries.inbox_beside import beside
from appointments.queries.inbox_list import A_PAGE, InboxWish, inbox_of
from appointments.queries.inbox_talk import Talk, talk_of
from appointments.usecases.asking_to_write import foresee_asking, person_asked
from appointments.views.pages import number_of, page, part, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.clock import Reading
from clinicbot.members import members_of
from messaging.queries.chat import TalkHead, find_talk, find_words
from messaging.queries.inbox import ALL, SHOWN
from messaging.queries.tasks import count_waiting

MAY_READ = "messaging.view_stafftask"
MAY_WRITE = "messaging.add_writtenanswer"
SHOW, LOOK_FOR, MANY, AT = "show", "q", "shown", "at"
LONGEST_SEARCH = 60


@require_safe
@permission_required_here(MAY_READ)
def inbox(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    context = {**_frame(request), **_list(request, reading=reading)}
    return page(request, "inbox/page.html", context, reading=reading)


@require_safe
@permission_required_here(MAY_READ)
def inbox_list(request: ClinicRequest) -> HttpResponse:
    """The rows alone, for a page that is open."""
    reading = read_clock()
    context = {**_list(request, reading=reading), "waiting": count_waiting(request.clinic.pk)}
    return part(request, "inbox/list.html", context, reading=reading)


@require_safe
@permission_required_here(MAY_READ)
def talk(request: ClinicRequest, contact_id: int) -> HttpResponse:
    reading = read_clock()
    found = talk_or_404(request, contact_id, reading=reading)
    return show_talk(request, found, form=new_form(request, found), reading=reading)


@require_safe
@permission_required_here(MAY_READ)
def talk_live(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """What may change while the page is open: what was said, and whose it is."""
    reading = read_clock()
    context = {"talk": talk_or_404(request, contact_id, reading=reading), "is_live": True, **_frame(request)}
    return part(request, "inbox/live.html", context, reading=reading)


@require_safe
@permission_required_here(MAY_READ)
def talk_beside(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """The visits, and the saved texts for the box."""
    reading = read_clock()
    head = _head_or_404(request, contact_id, reading=reading)
    context = {"beside": beside(request.clinic, head=head, now=reading.now), "head": head}
    return part(request, "inbox/beside.html", {**context, **_days(request, reading)}, reading=reading)


@require_safe
@permission_required_here(MAY_WRITE)
def talk_offer(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """Outside the window: the template as they would read it, or why none can go."""
    reading = read_clock()
    found = talk_or_404(request, contact_id, reading=reading)
    offer = foresee_asking(
        request.clinic,
        contact_id=contact_id,
        person=person_asked(found.people, contact_id=contact_id),
        real=reading.real,
        now=reading.now,
    )
    context = {"talk": found, "offer": offer, "token": uuid4()}
    return part(request, "inbox/offer.html", context, reading=reading)


@require_safe
@permission_required_here("messaging.finish_stafftask")
def talk_members(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """To whom it can be given."""
    reading = read_clock()
    head = _head_or_404(request, contact_id, reading=reading)
    context = {"head": head, "members": members_of(request.clinic), **_frame(request)}
    return part(request, "inbox/members.html", context, reading=reading)


def show_talk(
    request: ClinicRequest, found: Talk, *, form: AnswerForm, reading: Reading, refused: str = "", status: int = 200
) -> HttpResponse:
    """The whole page, with what was typed."""
    context = {**_frame(request), "talk": found, "form": form, "refused": refused, **_days(request, reading)}
    return page(request, "inbox/talk.html", context, reading=reading, status=status)


def new_form(request: ClinicRequest, found: Talk, **kept: Any) -> AnswerForm:
    """An empty box, or one with words to be written again."""
    again = request.GET.get("again", "")
    initial = {"token": uuid4(), "seen": str(found.head.seen), "text": _words(request, found, again), **kept}
    return AnswerForm(initial=initial, people=people_of(found))


def people_of(found: Talk) -> list[tuple[int, str]]:
    return [(one.pk, one.full_name) for one in found.people]


def talk_or_404(request: ClinicRequest, contact_id: int, *, reading: Reading) -> Talk:
    found = talk_of(request.clinic, contact_id=contact_id, now=reading.now)
    if found is None:
        raise Http404
    return found


def _head_or_404(request: ClinicRequest, contact_id: int, *, reading: Reading) -> TalkHead:
    head = find_talk(request.clinic.pk, contact_id=contact_id, now=reading.now)
    if head is None:
        raise Http404
    return head


def inbox_url(request: ClinicRequest) -> str:
    """Back to the list, as it was filtered."""
    show = request.POST.get(SHOW) or request.GET.get(SHOW, "")
    return reverse("inbox", query={SHOW: show} if show in SHOWN and show != ALL else None)


def _frame(request: ClinicRequest) -> dict[str, Any]:
    """What the page keeps of the address, whatever part of it is drawn."""
    show = request.GET.get(SHOW, "")
    return {
        "section": "inbox",
        "show": show if show in SHOWN else ALL,
        "looked_for": request.GET.get(LOOK_FOR, "").strip()[:LONGEST_SEARCH],
        "user_id": request.user.pk,
        "is_member": request.membership is not None,
    }


def _list(request: ClinicRequest, *, reading: Reading) -> dict[str, Any]:
    frame = _frame(request)
    wish = InboxWish(
        user_id=frame["user_id"],
        show=frame["show"],
        text=frame["looked_for"],
        shown=number_of(request.GET.get(MANY, "")) or A_PAGE,
    )
    found = inbox_of(request.clinic, wish=wish, now=reading.now)
    at = number_of(request.GET.get(AT, ""))
    return {**frame, "inbox": found, "at": at, "more": wish.shown + A_PAGE, **_days(request, reading)}


def _days(request: ClinicRequest, reading: Reading) -> dict[str, Any]:
    return {"today": today_at(request.clinic, reading=reading)}


def _words(request: ClinicRequest, found: Talk, again: str) -> str:
    try:
        message_id = UUID(again)
    except ValueError:
        return ""
    return find_words(request.clinic.pk, contact_id=found.head.contact_id, message_id=message_id)
