"""WhatsApp's templates of a clinic's number: which can be used, what the others mean for patients, and what to do now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.actors import Actor
from clinicbot.admin_pages import render_settings, settings_page
from clinicbot.models import Language
from messaging.channels.whatsapp.components import shape_of
from messaging.errors import TemplateNotEditableError, TemplateNotFoundError
from messaging.models import MessageTemplate, SendingAccount
from messaging.queries.own_texts import languages_of, own_words_of, says_other_words, templates_of, whatsapp_accounts
from messaging.queries.waiting import count_waiting_for_templates
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import get_source
from messaging.texts.placeholders import as_template_body
from messaging.texts.template_words import BY_STAFF, CATEGORIES, TemplateWords, Tone, words_of
from messaging.texts.titles import TITLED, title_of
from messaging.usecases.template_jobs import ask_for_sync
from messaging.usecases.template_submitting import ask_for_submission, is_editable
from messaging.usecases.templates import resume_template

SECTION = "settings-templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One text in one language, as WhatsApp has it. `theirs` and `ours` where the two say different words."""

    text_name: str
    title: str
    language: Language
    words: TemplateWords
    template: MessageTemplate | None
    theirs: str = ""
    ours: str = ""
    their_buttons: str = ""
    our_buttons: str = ""
    category: str = ""

    @property
    def needs_a_look(self) -> bool:
        return self.words.tone != Tone.WELL or self.is_behind or bool(self.category)

    @property
    def is_behind(self) -> bool:
        """In use, and yet with other words than those said inside the window."""
        return self.words.tone == Tone.WELL and bool(self.theirs)

    @property
    def may_submit(self) -> bool:
        return self.template is not None and is_editable(self.template) and (self.is_behind or self._may_help)

    @property
    def _may_help(self) -> bool:
        return self.words.tone == Tone.WRONG

    @property
    def may_resume(self) -> bool:
        return self.template is not None and self.template.paused_reason == BY_STAFF


@require_safe
@settings_page(SECTION)
def templates(request: ClinicRequest) -> HttpResponse:
    accounts = whatsapp_accounts(request.clinic.pk)
    account = _chosen(request, accounts)
    cells = _cells(account, languages=languages_of(request.clinic)) if account else []
    looks = [cell for cell in cells if cell.needs_a_look]
    context = {
        "accounts": accounts,
        "account": account,
        "languages": languages_of(request.clinic),
        "lines": [(title_of(name), [cell for cell in cells if cell.text_name == name]) for name in _in_order()],
        "looks": sorted(
            looks, key=lambda cell: (cell.words.tone != Tone.WRONG, cell.language != request.clinic.language)
        ),
        "in_use": sum(cell.words.tone == Tone.WELL for cell in cells),
        "to_look": sum(cell.words.tone != Tone.WRONG for cell in looks),
        "wrong": sum(cell.words.tone == Tone.WRONG for cell in looks),
        "waiting": count_waiting_for_templates(request.clinic.pk) if looks else 0,
        "now": clock.now(),
    }
    title = _("WhatsApp templates")
    return render_settings(request, "settings/templates.html", context, section=SECTION, title=title)


@require_POST
@settings_page(SECTION)
def look_now(request: ClinicRequest, account_id: int) -> HttpResponse:
    account = _or_404(next((one for one in whatsapp_accounts(request.clinic.pk) if one.pk == account_id), None))
    ask_for_sync(account, now=clock.now())
    messages.success(request, _("WhatsApp's list will be read within a minute."))
    return _back(request)


@require_POST
@settings_page(SECTION)
def submit(request: ClinicRequest, template_id: int) -> HttpResponse:
    try:
        ask_for_submission(request.clinic.pk, template_id=template_id, actor=Actor.of(request), now=clock.now())
    except TemplateNotFoundError:
        raise Http404 from None
    except TemplateNotEditableError:
        messages.error(request, _("WhatsApp does not let this template be changed now. Look at its list again."))
    else:
        messages.success(request, _("Our words go to WhatsApp for approval. Until then this template does not send."))
    return _back(request)


@require_POST
@settings_page(SECTION)
def resume(request: ClinicRequest, template_id: int) -> HttpResponse:
    try:
        resume_template(request.clinic.pk, template_id=template_id, actor=Actor.of(request), now=clock.now())
    except TemplateNotFoundError:
        raise Http404 from None
    messages.success(request, _("The template is used again."))
    return _back(request)


def _back(request: ClinicRequest) -> HttpResponse:
    return HttpResponseRedirect(resolve_url(SECTION))


def _or_404(account: SendingAccount | None) -> SendingAccount:
    if account is None:
        raise Http404
    return account


def _chosen(request: ClinicRequest, accounts: list[SendingAccount]) -> SendingAccount | None:
    wish = request.GET.get("number", "")
    return next((one for one in accounts if str(one.pk) == wish), accounts[0] if accounts else None)


def _in_order() -> list[str]:
    """As the texts stand on their own page."""
    wanted = set(list_template_texts())
    return [name for name in TITLED if name in wanted]


def _cells(account: SendingAccount, *, languages: Sequence[Language]) -> list[Cell]:
    """Two queries."""
    found, own = templates_of(account.clinic_id), own_words_of(account.clinic_id)
    return [
        _cell(name, language, found.get((account.pk, name, language)), own=own)
        for name in _in_order()
        for language in languages
    ]


def _cell(
    name: str, language: Language, template: MessageTemplate | None, *, own: Mapping[tuple[str, str], str]
) -> Cell:
    source = get_source(name, language)
    ours = own.get((name, language), source.body)
    words = words_of(template)
    told: dict[str, Any] = {
        "text_name": name,
        "title": title_of(name),
        "language": language,
        "words": words,
        "template": template,
    }
    if template is None:
        return Cell(**told)
    shape = shape_of(template.components)
    told["category"] = str(CATEGORIES.get(template.category, template.category)) if _is_dear(template) else ""
    their_buttons = " · ".join(button.label for button in shape.buttons)
    our_buttons = " · ".join(label for _action, label in source.buttons)
    if not says_other_words(template, body=ours) and their_buttons == our_buttons:
        return Cell(**told)
    return Cell(
        **told,
        theirs=shape.body,
        ours=as_template_body(ours),
        their_buttons=their_buttons,
        our_buttons=our_buttons,
    )


def _is_dear(template: MessageTemplate) -> bool:
    """Charged as something else than a service message, now or soon."""
    return {template.category, template.correct_category} - {"", "UTILITY"} != set()
