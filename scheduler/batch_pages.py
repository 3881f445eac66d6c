"""The page of a batch: what is about to happen and the yes that it waits for; then how far it is."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_scope import active_clinic
from clinicbot.batches import BulkAct, find_act
from clinicbot.human_text import HumanTextField
from clinicbot.models import BatchState, BulkBatch
from scheduler.batch_times import clinic_moment
from scheduler.errors import BatchNotOpenError, BatchOfAnotherError
from scheduler.usecases.batches import accept_batch, stop_batch

SPREADS = (
    (0, gettext_lazy("at once")),
    (600, gettext_lazy("over 10 minutes")),
    (3_600, gettext_lazy("over an hour")),
    (14_400, gettext_lazy("over 4 hours")),
)

A_DAY = timedelta(days=1)
"""Somewhere it is still yesterday."""
FURTHEST = timedelta(days=366)


class ConfirmForm(forms.Form):
    """typed: the number of rows, so that nobody acts on ten thousand by a slip. What was typed wrong stays to be seen."""

    reason = HumanTextField(label=gettext_lazy("Why"), max_length=200)
    spread_seconds = forms.TypedChoiceField(label=gettext_lazy("How fast"), choices=SPREADS, coerce=int)
    day = forms.DateField(label=gettext_lazy("To which day"), widget=forms.DateInput({"type": "date"}))
    time = forms.TimeField(label=gettext_lazy("At what time"), widget=forms.TimeInput({"type": "time"}))
    typed = forms.CharField(label="")

    def __init__(self, *args: Any, count: int, needs_moment: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.count = count
        if not needs_moment:
            del self.fields["day"], self.fields["time"]
        self.fields["typed"].label = _("Type %(count)d to go on") % {"count": count}
        for name, field in self.fields.items():
            field.widget.attrs["class"] = "input"
            if name in self.errors:
                field.widget.attrs.update({"aria-invalid": "true", "aria-describedby": f"{name}-error"})

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        today = clock.now().date()
        if not today - A_DAY <= day <= today + FURTHEST:
            raise forms.ValidationError(_("Choose a day from today on, within a year."))
        return day

    def clean_typed(self) -> str:
        digits = "".join(char for char in self.cleaned_data["typed"] if char.isdigit())
        if digits != str(self.count):
            raise forms.ValidationError(_("That is not the number of rows. Nothing was done."))
        return digits


@require_http_methods(["GET", "HEAD", "POST"])
def batch(request: HttpRequest, batch_id: int) -> HttpResponse:
    found, act = _find(request, batch_id)
    now = clock.now()
    form = ConfirmForm(
        request.POST if request.method == "POST" else None, count=found.count, needs_moment=act.needs_moment
    )
    if request.method == "POST" and form.is_valid():
        _accept(request, found, form)
        return HttpResponseRedirect(reverse("batch", args=[found.pk]))
    context = {
        **admin.site.each_context(request),
        "title": str(act.title),
        "batch": found,
        "act": act,
        "form": form,
        "is_draft": found.state == BatchState.DRAFT,
        "is_mine": found.drafted_by == request.user.pk,
        "is_running": found.state == BatchState.RUNNING,
        "who": get_user_model().objects.filter(pk=found.drafted_by).first(),
        "some_ids": found.ids[:10] if found.state == BatchState.DRAFT else [],
        "percent": 100 * found.place // found.count,
        "left_alone": found.place - found.succeeded,
        "clinic": active_clinic(request),
        "now": now,
        "row_words": ngettext_lazy("%(count)d row", "%(count)d rows", "count") % {"count": found.count},
    }
    return render(request, "scheduler/batch.html", context, status=400 if form.errors else 200)


def _accept(request: HttpRequest, found: BulkBatch, form: ConfirmForm) -> None:
    day, time = form.cleaned_data.get("day"), form.cleaned_data.get("time")
    moment = clinic_moment(active_clinic(request), day=day, time=time) if day and time else None
    try:
        accept_batch(
            found,
            reason=form.cleaned_data["reason"],
            spread_seconds=form.cleaned_data["spread_seconds"],
            moment=moment,
            actor=Actor.of(request),
            now=clock.now(),
        )
    except BatchOfAnotherError:
        messages.warning(request, _("Somebody else chose these rows: only they can confirm it."))
    except BatchNotOpenError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("Confirmed. It begins with the next tick, within a minute."))


@require_POST
def stop(request: HttpRequest, batch_id: int) -> HttpResponse:
    found, _act = _find(request, batch_id)
    try:
        stop_batch(found, actor=Actor.of(request), now=clock.now())
    except BatchNotOpenError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("Stopped. What was done stays done."))
    return HttpResponseRedirect(reverse("batch", args=[found.pk]))


def _find(request: HttpRequest, batch_id: int) -> tuple[BulkBatch, BulkAct]:
    """Of the clinic where this person works; a superuser's own place is all of them."""
    clinic = active_clinic(request)
    rows = BulkBatch.objects.filter(pk=batch_id).defer("ids")  # Long, and asked for every ten seconds while it runs.
    if clinic is not None:
        rows = rows.filter(clinic=clinic)
    elif not is_superuser(request.user):
        rows = rows.none()
    found = rows.first()
    act = find_act(found.act) if found else None
    if found is None or act is None:
        raise Http404
    if not request.user.has_perm(act.permission):
        raise PermissionDenied
    return found, act
