"""What a clinic says, text by text and language by language: its own words or ours, shown on a phone while they are typed."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.actors import Actor
from clinicbot.admin_pages import render_settings, settings_page
from clinicbot.human_text import HumanTextField
from clinicbot.last_changes import find_last_change, said_of
from messaging.errors import MissingVariableError, OwnWordsChangedError, OwnWordsRefusedError
from messaging.queries.own_texts import (
    find_own_words,
    is_a_clinics,
    languages_of,
    list_texts,
    own_words_of,
    says_other_words,
    templates_of,
    whatsapp_accounts,
)
from messaging.texts.declared import declared_variables, required_variables
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import get_source
from messaging.texts.placeholders import variables_of
from messaging.texts.showing import Shown, show
from messaging.texts.template_words import words_of
from messaging.texts.titles import VARIABLES, title_of
from messaging.usecases.overrides import list_faults, preview, remove_override, save_override, tidy_words
from messaging.usecases.template_submitting import is_editable

SECTION = "settings-texts"
UNDO = "own_words_undo"
MOST_TYPED = 4096


class Variable(NamedTuple):
    """`written`: as it stands in a text."""

    name: str
    written: str
    meaning: str
    is_required: bool
    is_used: bool


class WordsForm(forms.Form):
    """drawn_from: the clinic's own words as they were when the page was drawn, so that nobody writes over somebody unseen."""

    body = HumanTextField(label=gettext_lazy("Words"), max_length=MOST_TYPED, widget=forms.Textarea)
    drawn_from = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)


@require_safe
@settings_page(SECTION)
def texts(request: ClinicRequest) -> HttpResponse:
    own = own_words_of(request.clinic.pk)
    context = {
        "groups": list_texts(own, languages=languages_of(request.clinic)),
        "languages": languages_of(request.clinic),
        "own_count": sum(is_a_clinics(*key) for key in own),
    }
    return render_settings(request, "settings/texts.html", context, section=SECTION, title=_("Texts to patients"))


@require_http_methods(["GET", "HEAD", "POST"])
@settings_page(SECTION)
def text(request: ClinicRequest, text_name: str, language: str) -> HttpResponse:
    """One text in one language."""
    _or_404(text_name, language)
    own = own_words_of(request.clinic.pk)
    present = own.get((text_name, language), "")
    form = WordsForm(request.POST) if request.method == "POST" else _fresh(text_name, language, present=present)
    if request.method == "POST" and form.is_valid() and _save(request, form, text_name=text_name, language=language):
        return HttpResponseRedirect(resolve_url("settings-text", text_name, language))
    drawn_from = form.data.get("drawn_from", present) if form.is_bound else present
    body = str(form["body"].value() or "")
    context = {
        **_text_context(request, text_name, language, own=own, body=body),
        "form": form,
        "drawn_from": drawn_from,
        "ours": get_source(text_name, language).body,
        "undo": _undo_of(request, text_name, language),
    }
    status = 400 if form.errors else 200
    title = title_of(text_name)
    return render_settings(request, "settings/text.html", context, section=SECTION, title=title, status=status)


@require_POST
@settings_page(SECTION)
def look(request: ClinicRequest, text_name: str, language: str) -> HttpResponse:
    """The phone beside the words, while they are typed. Nothing is written."""
    _or_404(text_name, language)
    body = request.POST.get("body", "")[:MOST_TYPED]
    context = {**_shown(request, text_name, language, body=body), "clinic": request.clinic, "language": language}
    return render(request, "settings/phone_live.html", context)


@require_POST
@settings_page(SECTION)
def reset(request: ClinicRequest, text_name: str, language: str) -> HttpResponse:
    """Back to our words, which can be taken back."""
    _or_404(text_name, language)
    drawn_from = request.POST.get("drawn_from")
    try:
        was_there = remove_override(
            request.clinic,
            text_name=text_name,
            language=language,
            instead_of=drawn_from,
            actor=Actor.of(request),
            now=clock.now(),
        )
    except OwnWordsChangedError:
        messages.error(request, _("Somebody changed these words meanwhile, so they stay. Look at them again."))
    else:
        if was_there and drawn_from:
            _remember(request, text_name, language, before=drawn_from, after="")
        messages.success(request, _("From now on our words are said again."))
    return HttpResponseRedirect(resolve_url("settings-text", text_name, language))


@require_POST
@settings_page(SECTION)
def undo(request: ClinicRequest, text_name: str, language: str) -> HttpResponse:
    """The words as they were before the last act of this member, where nobody has changed them since."""
    _or_404(text_name, language)
    last = _undo_of(request, text_name, language)
    request.session.pop(UNDO, None)
    if last is None:
        messages.info(request, _("There is nothing to take back any more."))
        return HttpResponseRedirect(resolve_url("settings-text", text_name, language))
    wish: dict[str, Any] = {
        "text_name": text_name,
        "language": language,
        "instead_of": last["after"],
        "actor": Actor.of(request),
        "now": clock.now(),
    }
    try:
        if last["before"]:
            save_override(request.clinic, body=last["before"], **wish)
        else:
            remove_override(request.clinic, **wish)
    except (OwnWordsChangedError, OwnWordsRefusedError):
        messages.error(request, _("Somebody changed these words meanwhile, so they stay. Look at them again."))
    else:
        messages.success(request, _("The words are as they were before."))
    return HttpResponseRedirect(resolve_url("settings-text", text_name, language))


def _or_404(text_name: str, language: str) -> None:
    if not is_a_clinics(text_name, language):
        raise Http404


def _fresh(text_name: str, language: str, *, present: str) -> WordsForm:
    return WordsForm(initial={"body": present or get_source(text_name, language).body, "drawn_from": present})


def _save(request: ClinicRequest, form: WordsForm, *, text_name: str, language: str) -> bool:
    """False, with every fault beside the words, where nothing was saved."""
    before = form.cleaned_data["drawn_from"]
    wish: dict[str, Any] = {
        "text_name": text_name,
        "language": language,
        "instead_of": before,
        "actor": Actor.of(request),
        "now": clock.now(),
    }
    words = tidy_words(form.cleaned_data["body"])
    is_ours = words == get_source(text_name, language).body
    try:
        if is_ours:  # Whoever writes our words has none of their own.
            remove_override(request.clinic, **wish)
        else:
            save_override(request.clinic, body=words, **wish)
    except OwnWordsRefusedError as error:
        for fault in error.faults:
            form.add_error("body", fault)
        return False
    except OwnWordsChangedError as error:
        _tell_clash(request, form, present=error.present, text_name=text_name, language=language)
        return False
    if tidy_words(before) != ("" if is_ours else words):
        _remember(request, text_name, language, before=before, after="" if is_ours else words)
    messages.success(request, _("Saved. Within 24 hours after a patient wrote, these words are said from now on."))
    return True


def _tell_clash(request: ClinicRequest, form: WordsForm, *, present: str, text_name: str, language: str) -> None:
    """Who changed it. What was typed stays, and whoever saves it again has seen what is there by now."""
    row = find_own_words(request.clinic.pk, text_name=text_name, language=language)
    if row is not None:
        change = find_last_change(row, clinic=request.clinic, column="body")
        form.add_error("body", said_of(change, row=row, column="body"))
    else:
        said = _("Nothing was saved: somebody changed this meanwhile. Look again, then save. It is now: %(now)s")
        form.add_error("body", said % {"now": _("our words")})
    form.data = {**form.data.dict(), "drawn_from": present}  # type: ignore[attr-defined]


def _text_context(
    request: ClinicRequest, text_name: str, language: str, *, own: dict[tuple[str, str], str], body: str
) -> dict[str, Any]:
    used, required = variables_of(body), required_variables(text_name)
    present = own.get((text_name, language), "")
    return {
        **_shown(request, text_name, language, body=body),
        **_template(request, text_name, language, present=present or get_source(text_name, language).body),
        "text_name": text_name,
        "language": language,
        "is_own": bool(present),
        "siblings": [(one, (text_name, one.value) in own) for one in languages_of(request.clinic)],
        "variables": [
            Variable(name, f"{{{{ {name} }}}}", str(VARIABLES[name]), name in required, name in used)
            for name in declared_variables(text_name)
        ],
    }


def _shown(request: ClinicRequest, text_name: str, language: str, *, body: str) -> dict[str, Any]:
    """What a phone would show. Words that cannot be filled in yet are shown as they are typed."""
    words = tidy_words(body)
    source = get_source(text_name, language)
    try:
        filled = preview(request.clinic, text_name=text_name, language=language, body=words).body if words else ""
    except MissingVariableError:
        filled = words
    shown: Shown = show(filled, written=words, is_template=text_name in list_template_texts())
    return {
        "shown": shown,
        "buttons": [label for _action, label in source.buttons],
        "list_label": source.list_label,
        "faults": list_faults(text_name, language, words),
        "room": shown.limit - shown.length,
    }


def _template(request: ClinicRequest, text_name: str, language: str, *, present: str) -> dict[str, Any]:
    """What WhatsApp has of this text, of the clinic's first number. Two queries; none for an answer, which needs no template."""
    if text_name not in list_template_texts():
        return {"is_template": False}
    accounts = whatsapp_accounts(request.clinic.pk)
    if not accounts:
        return {"is_template": True, "has_number": False}
    found = templates_of(request.clinic.pk, text_name=text_name).get((accounts[0].pk, text_name, language))
    return {
        "is_template": True,
        "has_number": True,
        "template": found,
        "template_words": words_of(found),
        "says_other_words": found is not None and says_other_words(found, body=present),
        "may_submit": found is not None and is_editable(found),
    }


def _remember(request: ClinicRequest, text_name: str, language: str, *, before: str, after: str) -> None:
    request.session[UNDO] = {
        "clinic": request.clinic.pk,
        "text": text_name,
        "language": language,
        "before": tidy_words(before),
        "after": after,
    }


def _undo_of(request: ClinicRequest, text_name: str, language: str) -> dict[str, Any] | None:
    last: dict[str, Any] | None = request.session.get(UNDO)
    wanted = {"clinic": request.clinic.pk, "text": text_name, "language": language}
    return last if last and {key: last.get(key) for key in wanted} == wanted else None
