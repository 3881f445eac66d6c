"""Answering in a conversation: in one's own words, or asking them to write where only a template may go."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from appointments.forms import AnswerForm
from appointments.queries.inbox_talk import Talk
from appointments.queries.names import staff_names
from appointments.reasons import sentence_of
from appointments.usecases.asking_to_write import ask_to_write, check_person, person_asked
from appointments.views.inbox import MAY_WRITE, new_form, people_of, show_talk, talk_or_404
from appointments.views.inbox_acts import SEEN
from appointments.views.pages import read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from messaging.contracts import Person
from messaging.errors import ContactNotFoundError, FormSentBeforeError, NewsMeanwhileError
from messaging.queries.conversation_news import Seen, news_since
from messaging.usecases.writing import Answer, write_answer


@require_POST
@permission_required_here(MAY_WRITE)
def answer(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """Goes out in these words, once. What cannot go stays in the box, with the reason above it."""
    reading = read_clock()
    found = talk_or_404(request, contact_id, reading=reading)
    form = AnswerForm(request.POST, people=people_of(found))
    if not form.is_valid():
        return show_talk(request, found, form=form, reading=reading, status=400)
    written = Answer(
        contact_id=contact_id,
        text=form.cleaned_data["text"],
        person=_person(form, found),
        token=form.cleaned_data["token"],
        seen=Seen.read(form.cleaned_data["seen"]),
    )
    try:
        check_person(request.clinic, contact_id=contact_id, person=written.person)
        write_answer(request.clinic, answer=written, actor=Actor.of(request), now=reading.now)
    except ContactNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        return _refuse(request, found, error, written=written, about=form.cleaned_data["about"], reading=reading)
    return HttpResponseRedirect(resolve_url("inbox-talk", contact_id))


@require_POST
@permission_required_here(MAY_WRITE)
def ask(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """The clinic's template goes: they are asked to write."""
    reading = read_clock()
    found = talk_or_404(request, contact_id, reading=reading)
    form = AnswerForm({**request.POST.dict(), "text": "-"}, people=people_of(found))
    if not form.is_valid():
        return HttpResponseBadRequest()
    try:
        is_new = ask_to_write(
            request.clinic,
            contact_id=contact_id,
            person=person_asked(found.people, contact_id=contact_id),
            seen=Seen.read(form.cleaned_data[SEEN]),
            actor=Actor.of(request),
            now=reading.now,
        )
    except ContactNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        messages.error(request, f"{sentence_of(error)} {_('Nothing was sent.')}")
    else:
        messages.success(request, _("It goes out now.") if is_new else _("It was sent already."))
    return HttpResponseRedirect(resolve_url("inbox-talk", contact_id))


def _person(form: AnswerForm, found: Talk) -> Person:
    """The one that was chosen, or the only one there is; else the number itself."""
    chosen = form.cleaned_data["about"]
    if chosen:
        return Person("patient", int(chosen))
    return found.persons[0] if len(found.persons) == 1 else Person("contact", found.head.contact_id)


def _refuse(
    request: ClinicRequest, found: Talk, error: ClinicBotError, *, written: Answer, about: str, reading: Reading
) -> HttpResponse:
    """Nothing has gone and nothing is lost. The page shows what is new; sent again, it counts as seen."""
    kept = {"text": written.text, "about": about}
    if not isinstance(error, FormSentBeforeError):
        kept["token"] = str(written.token)
    sentence = _news(request, written) if isinstance(error, NewsMeanwhileError) else sentence_of(error)
    form = new_form(request, found, **kept)
    form.fields["text"].widget.attrs["data-land"] = True
    return show_talk(request, found, form=form, refused=sentence, reading=reading, status=409)


def _news(request: ClinicRequest, written: Answer) -> str:
    """Who has said something since the page was drawn."""
    news = news_since(request.clinic.pk, contact_id=written.contact_id, seen=written.seen)
    if news.by_id == request.user.pk:
        return _("You have answered a moment ago, in another window.")
    if news.by_id is not None:
        return _("%(name)s answered a moment ago.") % {"name": staff_names([news.by_id])[news.by_id]}
    return _("They have written meanwhile.")
