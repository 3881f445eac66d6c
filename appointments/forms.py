"""What staff type, read and checked. What it means is decided in the use cases."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import date
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from appointments.models import MOST_VISITS, AppointmentStatus, EndReason, SeriesUnit, Service
from appointments.reasons import CANCEL_REASONS, ERRORS, OTHER, SEND_AGAIN_REASONS
from appointments.recurring import Recurrence
from appointments.search_key import search_key
from clinicbot.human_text import HumanTextField
from clinicbot.models import Language
from messaging.contracts import Category
from messaging.queries.words import CATEGORIES

OLDEST_YEARS = 130
NO, YES = "no", "yes"
PATIENT_CATEGORIES = (Category.VISITS, Category.RECALLS, Category.PAYMENTS)
END_REASONS = (EndReason.CHANGED, EndReason.NOT_THEIRS, EndReason.NOT_WANTED)


class StaffForm(forms.Form):
    """Fields in the look; a field with an error says so to readers, and takes the focus."""

    required_css_class = "needed"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in self.fields.values():
            if not isinstance(field.widget, forms.CheckboxInput | forms.RadioSelect | forms.HiddenInput):
                field.widget.attrs["class"] = "input"
        if self.is_bound:
            self._point_out()

    def refuse(self, name: str, sentence: str) -> None:
        """A use case said no about this field."""
        self.add_error(name, sentence)
        self._point_out()

    def _point_out(self) -> None:
        """Readers hear what is wrong with a field; the first one takes the focus."""
        wrong = [name for name in self.fields if name in self.errors]
        for name in wrong:
            widget = self.fields[name].widget
            widget.attrs["aria-invalid"] = "true"
            widget.attrs["aria-describedby"] = f"{self[name].id_for_label}_error"
        for name in wrong[:1]:
            self.fields[name].widget.attrs["data-land"] = True


class PatientForm(StaffForm):
    """Somebody new. A phone needs a yes; without one it is left out."""

    full_name = HumanTextField(label=_("Name"), max_length=160, widget=forms.TextInput({"autocomplete": "off"}))
    language = forms.ChoiceField(label=_("Language of messages"), choices=Language)
    born_on = forms.DateField(
        label=_("Date of birth, if known"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    phone = forms.CharField(
        label=_("Mobile phone"),
        max_length=64,
        required=False,
        widget=forms.TextInput({"type": "tel", "autocomplete": "off", "inputmode": "tel"}),
        help_text=_("WhatsApp messages go there. Without one, nothing is sent."),
    )
    agreed = forms.BooleanField(
        label=_("I asked, and they agree to get messages about visits at this number."), required=False
    )
    guardians_phone = forms.BooleanField(
        label=_("Messages about this patient go to the guardian's phone."), required=False, initial=True
    )

    def __init__(self, *args: Any, today: date, **kwargs: Any) -> None:
        self._today = today
        super().__init__(*args, **kwargs)

    def clean_born_on(self) -> date | None:
        born_on: date | None = self.cleaned_data["born_on"]
        if born_on is not None and (born_on > self._today or self._today.year - born_on.year > OLDEST_YEARS):
            raise forms.ValidationError(_("Check the date of birth."))
        return born_on


class PhoneForm(StaffForm):
    """One more number for a patient."""

    phone = forms.CharField(
        label=_("Mobile phone"),
        max_length=64,
        widget=forms.TextInput({"type": "tel", "autocomplete": "off", "inputmode": "tel"}),
    )
    agreed = forms.BooleanField(
        label=_("I asked, and they agree to get messages about visits at this number."), required=False
    )


class EndWayForm(StaffForm):
    """Why a number is not used any more."""

    reason = forms.ChoiceField(
        label=_("Why is it not used any more?"),
        choices=[(one.value, one.label) for one in END_REASONS],
        widget=forms.RadioSelect,
    )


class AgreementForm(StaffForm):
    """Another word on what may be sent to a number."""

    category = forms.ChoiceField(
        label=_("About what?"),
        choices=[(one.value, CATEGORIES[one]) for one in PATIENT_CATEGORIES],
        widget=forms.RadioSelect,
    )
    answer = forms.ChoiceField(
        label=_("What did they say?"),
        choices=[(YES, _("Yes: it may be sent")), (NO, _("No: nothing of it any more"))],
        widget=forms.RadioSelect,
    )
    reason = HumanTextField(label=_("Why (stays with the word)"), max_length=200)


class MergeForm(StaffForm):
    """The name of the one who goes, typed, because it cannot be taken back."""

    typed = HumanTextField(
        label=_("Type the name of the one who goes"), max_length=160, widget=forms.TextInput({"autocomplete": "off"})
    )

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        self._name = name
        super().__init__(*args, **kwargs)

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if search_key(typed) != search_key(self._name):
            raise forms.ValidationError(_("That is another name: %(name)s goes."), params={"name": self._name})
        return typed


class GuardianForm(StaffForm):
    """Who is to be the guardian; nobody: none any more."""

    guardian = forms.IntegerField(required=False, min_value=1, max_value=10**18)
    at_guardians = forms.BooleanField(
        label=_("Messages about this patient go to the guardian's phone."), required=False
    )


class BookForm(StaffForm):
    """The last step of booking. `token` keeps a double click from booking twice.

    tell: asked of a visit that is so soon that they are told of it in person. here: asked of one that has begun.
    """

    token = forms.UUIDField(widget=forms.HiddenInput)
    note = HumanTextField(label=_("Note (the patient does not see it)"), max_length=1000, required=False)
    tell = forms.ChoiceField(
        label=_("Send a confirmation?"),
        choices=[(NO, _("No: they know")), (YES, _("Yes, send it"))],
        initial=NO,
        required=False,
        widget=forms.RadioSelect,
    )
    here = forms.BooleanField(
        label=_("They are here. Nothing is sent."),
        required=False,
        widget=forms.CheckboxInput({"data-land": True}),  # Shown only where it must be said.
    )

    @property
    def notify(self) -> bool:
        """Yes where it was not asked."""
        return bool(self.cleaned_data["tell"] != NO)


class RepeatForm(StaffForm):
    """How often a visit comes again. With a day until which, that counts, and not how many."""

    every = forms.IntegerField(label=_("Every"), min_value=1, max_value=52, initial=2)
    unit = forms.ChoiceField(label=_("Unit"), choices=SeriesUnit, initial=SeriesUnit.WEEKS)
    times = forms.IntegerField(
        label=_("How many visits"), min_value=2, max_value=MOST_VISITS, initial=6, required=False
    )
    until = forms.DateField(label=_("Or until"), required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "times" not in self.errors and not data.get("times") and not data.get("until"):
            self.add_error("times", _("Say how many visits, or until which day."))
        return data

    @property
    def recurrence(self) -> Recurrence:
        data = self.cleaned_data
        unit = SeriesUnit(data["unit"])
        return Recurrence(every=data["every"], unit=unit, times=data["times"] or 0, until=data["until"])


class OutcomeForm(StaffForm):
    """What became of a visit. `reason`: why it is another than was noted."""

    NONE = "none"

    outcome = forms.ChoiceField(
        label=_("Did they come?"),
        choices=[
            (AppointmentStatus.ATTENDED, _("They came")),
            (AppointmentStatus.NO_SHOW, _("They did not come")),
            (AppointmentStatus.CANCELLED_LATE, _("They cancelled late, so the time is free again")),
            (NONE, _("Nothing of it: as it was before anybody noted something")),
        ],
        widget=forms.RadioSelect,
    )
    reason = HumanTextField(
        label=_("Why, if something else was noted (stays on the visit's page)"), max_length=200, required=False
    )


class MoveForm(StaffForm):
    reason = HumanTextField(
        label=_("Why (stays on the visit's page; the patient does not see it)"), max_length=200, required=False
    )


class EditForm(StaffForm):
    """What may be corrected without a word to the patient."""

    service = forms.IntegerField(label=_("Service"), widget=forms.Select)
    note = HumanTextField(
        label=_("Note (the patient does not see it)"),
        max_length=1000,
        required=False,
        widget=forms.Textarea({"rows": 3}),
    )
    drawn_service = forms.IntegerField(required=False, widget=forms.HiddenInput)
    drawn_note = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, services: Iterable[Service], **kwargs: Any) -> None:
        self._services = {one.pk: one for one in services}
        super().__init__(*args, **kwargs)
        said = gettext("%(name)s, %(minutes)s min")
        choices = [
            (pk, said % {"name": one.name, "minutes": one.duration_minutes}) for pk, one in self._services.items()
        ]
        cast(forms.Select, self.fields["service"].widget).choices = choices

    def clean_service(self) -> Service:
        service = self._services.get(self.cleaned_data["service"])
        if service is None:
            raise forms.ValidationError(ERRORS["not_at_this_clinic"])
        return service

    def drawn_from(self) -> dict[str, Any]:
        """What the page showed when it was opened; nothing of what it does not say."""
        names = {"service": "drawn_service", "note": "drawn_note"}
        return {name: self.cleaned_data[drawn] for name, drawn in names.items() if drawn in self.data}


class OverrideForm(StaffForm):
    """Somebody who may books on a closed day or outside working hours all the same."""

    override = HumanTextField(
        label=_("Why it is needed all the same (stays on the visit's page)"),
        max_length=200,
        error_messages={"required": ERRORS["reason_missing"]},
    )


class ReasonForm(StaffForm):
    """A common reason, or own words. `reason` is what stays: a stable word, or the words."""

    common = forms.ChoiceField(label=_("Why"), choices=CANCEL_REASONS, widget=forms.RadioSelect)
    own = HumanTextField(label=_("In your words"), max_length=200, required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("common") == OTHER and "own" not in self.errors and not data.get("own"):
            self.add_error("own", ERRORS["reason_missing"])
        return data

    @property
    def reason(self) -> str:
        own: str = self.cleaned_data["own"]
        return own if self.cleaned_data["common"] == OTHER else str(self.cleaned_data["common"])


class SendAgainForm(ReasonForm):
    common = forms.ChoiceField(label=_("Why"), choices=SEND_AGAIN_REASONS, widget=forms.RadioSelect)


class AnswerForm(StaffForm):
    """What staff write in a conversation. seen: how much stood there. about: whom it concerns, of several at one number."""

    text = HumanTextField(
        label=_("Your answer"),
        widget=forms.Textarea({"rows": 3, "data-answer": True}),
        error_messages={"required": _("Write something first.")},
    )
    about = forms.CharField(label=_("Concerns"), required=False, widget=forms.Select)
    token = forms.UUIDField(widget=forms.HiddenInput)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, people: Iterable[tuple[int, str]], **kwargs: Any) -> None:
        self._people = {str(pk): name for pk, name in people}
        super().__init__(*args, **kwargs)
        choices = [("", _("everybody at this number")), *self._people.items()]
        cast("forms.Select", self.fields["about"].widget).choices = choices

    def clean_about(self) -> str:
        """Who is not reached there any more is nobody's choice: then it concerns whoever is."""
        chosen: str = self.cleaned_data["about"]
        return chosen if chosen in self._people else ""

    def clean_text(self) -> str:
        """Browsers send every line end as two signs; other signs that nobody sees say nothing."""
        typed: str = self.cleaned_data["text"].replace("\r\n", "\n")
        return "".join(char for char in typed if char == "\n" or unicodedata.category(char) != "Cc")
