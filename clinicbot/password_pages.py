"""A forgotten password, from the login page to a new one. Django's views, our words, and our own post."""

from __future__ import annotations

from typing import Any

from axes.utils import reset as unlock
from django import forms
from django.contrib.auth import views
from django.contrib.auth.forms import SetPasswordForm
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from clinicbot import audit, clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.emails import to_email
from clinicbot.errors import MalformedEmailError, TooOftenError
from clinicbot.forgotten import MOST_AN_HOUR, send_password_letters


class AddressForm(forms.Form):
    """The address of a login. The answer is the same whether or not there is one."""

    email = forms.CharField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput({"class": "input", "autocomplete": "email", "autofocus": True}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""

    def clean_email(self) -> str:
        try:
            return to_email(self.cleaned_data["email"])
        except MalformedEmailError as error:
            raise forms.ValidationError(str(error)) from None


class AskForLetter(views.PasswordResetView):
    template_name = "password/ask.html"
    form_class = AddressForm  # type: ignore[assignment]
    success_url = reverse_lazy("password-sent")

    def form_valid(self, form: Any) -> HttpResponse:
        reading = clock.read()
        try:
            send_password_letters(
                email=form.cleaned_data["email"], language=get_language() or "en", real=reading.real, now=reading.now
            )
        except TooOftenError:
            text = _("That was asked for %d times within the hour. Look into your mail, or try again in an hour.")
            form.add_error("email", text % MOST_AN_HOUR)
            return self.form_invalid(form)
        return HttpResponseRedirect(self.get_success_url())


class LetterSent(views.PasswordResetDoneView):
    template_name = "password/sent.html"


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["new_password1"].help_text = _(
            "At least 10 characters, not digits only, and not a common password."
        )
        self.fields["new_password2"].help_text = ""
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"


class ChooseNew(views.PasswordResetConfirmView):
    """The link works once and for a while. With the password, every session of this login on any device ends."""

    template_name = "password/new.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("password-changed")

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            response = super().form_valid(form)
            user = form.user
            actor = Actor(ActorKind.STAFF, user.pk)
            audit.record(actor, clinic=None, action="new password", subject=user, now=clock.now())
            unlock(username=user.get_username())  # Whoever reads the letter need not wait out another's wrong tries.
        return response


class Changed(views.PasswordResetCompleteView):
    template_name = "password/changed.html"
