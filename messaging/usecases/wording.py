"""The words of each message of a wave: as written, or in the clinic's approved template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from clinicbot.models import Clinic
from messaging.channels.base import EMAIL
from messaging.contracts import Context, TaskReason
from messaging.errors import MissingVariableError, UnknownTextError
from messaging.models import Contact, InboundMessage, MessageTemplate, SendingAccount
from messaging.reasons import Reason
from messaging.texts.book import RenderedText, TextBook
from messaging.texts.content import (
    free_content,
    free_labels,
    letter_content,
    template_content,
    template_labels,
    template_text,
)
from messaging.texts.definitions import list_template_texts
from messaging.texts.languages import base_of
from messaging.texts.templates import TemplateBook, TemplateProblem
from messaging.usecases.deciding import Case, Decision, Fate, Plan, StandsIn
from messaging.usecases.template_troubles import TemplateTrouble, trouble_key, wanted_key

UNKEPT = "[…]"


@dataclass(frozen=True, slots=True)
class Addressed:
    """A case with its contact and account. `free`: it may go as written. `context` may come to speak another language than
    the person's own.
    """

    case: Case
    context: Context
    contact: Contact
    account: SendingAccount
    free: bool
    own_language: str


@dataclass(frozen=True, slots=True)
class Wording:
    """What all words of one wave are made of."""

    addressed: Sequence[Addressed]
    clinics: Mapping[int, Clinic]
    texts: TextBook
    templates: TemplateBook
    quoted: Mapping[UUID, str]

    @classmethod
    def load(cls, addressed: Sequence[Addressed], clinics: Mapping[int, Clinic]) -> Wording:
        """Three queries."""
        return cls(
            addressed=addressed,
            clinics=clinics,
            texts=TextBook.load(
                (one.case.message.clinic_id, one.context.text, one.context.language) for one in addressed
            ),
            templates=TemplateBook.load(
                {one.account.pk for one in addressed if not one.free},
                {one.context.text for one in addressed if not one.free},
            ),
            quoted=_quoted(addressed),
        )

    def with_contexts(self, contexts: Mapping[UUID, Context]) -> Wording:
        addressed = [replace(one, context=contexts.get(one.case.message.pk, one.context)) for one in self.addressed]
        return replace(self, addressed=addressed)

    def template_of(self, one: Addressed) -> MessageTemplate | TemplateProblem:
        language = self.clinics[one.case.message.clinic_id].language
        return self.templates.find(one.account.pk, one.context.text, one.context.language, language)

    def stands_in(self, one: Addressed) -> StandsIn | None:
        """Where the template is not in the person's language: what for."""
        if one.context.language == one.own_language:
            return None
        problem = self.templates.problem_in(one.account.pk, one.context.text, one.own_language)
        return StandsIn(instead_of=one.own_language, task_key=_key_of_want(one, problem))

    def other_language_of(self, one: Addressed) -> str:
        """The language of the template it must go as, where that is not the person's own."""
        template = None if one.free else self.template_of(one)
        if not isinstance(template, MessageTemplate) or base_of(template.language) == one.context.language:
            return ""
        return base_of(template.language)


def word(one: Addressed, wording: Wording) -> Decision:
    if one.case.known_kind.by_hand:
        return _as_typed(one) if one.context.words else _broken()
    if one.context.text not in one.case.known_kind.texts:
        return _broken()
    try:
        return _as_written(one, wording) if one.free else _as_template(one, wording)
    except (UnknownTextError, MissingVariableError):
        return _broken()


def _as_typed(one: Addressed) -> Decision:
    """The words of a person: nothing in them is filled in, and nothing cut but what WhatsApp would refuse."""
    context = one.context
    words = RenderedText(text_name=context.text, language=context.language, body=context.words)
    content = free_content(words, message_id=one.case.message.pk)
    plan = Plan(
        account=one.account,
        contact=one.contact,
        language=context.language,
        text_name=context.text,
        text=content.body,
        labels=[],
        content=content,
    )
    return Decision(fate=Fate.SEND, plan=plan)


def _as_written(one: Addressed, wording: Wording) -> Decision:
    message, context = one.case.message, one.context
    rendered = wording.texts.render(message.clinic_id, context.text, context.language, context.variables)
    if one.contact.channel == EMAIL:
        content = letter_content(rendered, sender_name=wording.clinics[message.clinic_id].name)
    else:
        content = free_content(rendered, message_id=message.pk, sections=context.sections)
    plan = Plan(
        account=one.account,
        contact=one.contact,
        language=rendered.language,
        text_name=context.text,
        text=_to_keep(content.body, context),
        labels=free_labels(content),
        content=content,
        quoted_provider_id=wording.quoted.get(message.pk, ""),
        left_out=context.left_out,
    )
    return Decision(fate=Fate.SEND, plan=plan)


def _to_keep(text: str, context: Context) -> str:
    """What staff may read later: without what opens a door to whoever holds it."""
    for name in context.unkept:
        text = text.replace(context.variables[name], UNKEPT)
    return text


def _as_template(one: Addressed, wording: Wording) -> Decision:
    template = wording.template_of(one)
    if isinstance(template, TemplateProblem):
        return _no_template(one, template)
    declared = one.case.known_kind.texts[one.context.text]
    content = template_content(
        template, declared=declared, values=one.context.variables, message_id=one.case.message.pk
    )
    plan = Plan(
        account=one.account,
        contact=one.contact,
        language=template.language,
        text_name=one.context.text,
        text=_to_keep(template_text(template, content), one.context),
        labels=template_labels(template),
        content=content,
        template=template,
        quoted_provider_id=wording.quoted.get(one.case.message.pk, ""),
        left_out=one.context.left_out,
        stands_in=wording.stands_in(one),
    )
    return Decision(fate=Fate.SEND, plan=plan)


def _no_template(one: Addressed, problem: TemplateProblem) -> Decision:
    """Held: it goes when the template is back, or as written once the person writes; of what never is a template, only then."""
    if one.context.text not in list_template_texts():
        return Decision(fate=Fate.HOLD, reason=Reason.WINDOW_CLOSED)
    return Decision(
        fate=Fate.HOLD,
        reason=problem.reason,
        task=TaskReason.TEMPLATE_TROUBLE,
        task_key=_key_of_want(one, problem),
    )


def _key_of_want(one: Addressed, problem: TemplateProblem) -> str:
    """That of the template's own trouble, so that one cause asks once; else one that ends with the want."""
    if problem.template_id is not None and str(problem.reason) in map(str, TemplateTrouble):
        return trouble_key(problem.template_id, problem.reason)
    return wanted_key(one.account.pk, name=one.context.text, language=one.own_language)


def _broken() -> Decision:
    return Decision(fate=Fate.FAIL, reason=Reason.TEXT_BROKEN, task=TaskReason.NOT_DELIVERED)


def _quoted(addressed: Sequence[Addressed]) -> dict[UUID, str]:
    """By message, the provider's id of what it answers."""
    wanted = {one.case.message.pk: one.context.quoted_inbound_id for one in addressed}
    pairs = {(one.case.message.clinic_id, pk) for one in addressed if (pk := one.context.quoted_inbound_id)}
    found = InboundMessage.objects.for_pairs(pairs).values_list("pk", "provider_message_id")
    ids = dict(found)
    return {message_id: ids[pk] for message_id, pk in wanted.items() if pk in ids}
