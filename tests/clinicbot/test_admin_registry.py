"""What holds for every page of the admin, whichever house it comes from."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin import RelatedFieldListFilter
from django.db import models
from django.test import Client, RequestFactory
from django.urls import reverse

from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import ScopedRelatedFilter, is_tenant
from clinicbot.models import Clinic, Role
from tests.factories import MembershipFactory, UserFactory

PAGES = sorted(admin.site._registry.items(), key=lambda entry: entry[0]._meta.label)
TENANT_PAGES = [(model, page) for model, page in PAGES if is_tenant(model)]

HOUSES = ("clinicbot", "outbox", "scheduler", "messaging", "appointments", "retention")
OURS = sorted(
    (model for model in apps.get_models() if model._meta.app_label in HOUSES), key=lambda model: model._meta.label
)
WITHOUT_A_PAGE = {
    "appointments.CallAttempt": "is told on the page of its visit",
    "appointments.ClinicMove": "is told on the page of each visit that it concerned",
    "appointments.ClosurePlan": "stands on the staff pages of closures",
    "appointments.ClosureVisit": "stands on the page of its closure",
    "appointments.DerivedTimes": "is what the tick derived times with",
    "appointments.HolidayCalendar": "is what the holidays, which stand among the closures, were written from",
    "appointments.ImportFile": "is read by its import, holds names, and goes when that is over",
    "appointments.ImportRun": "has a page of its own beside the export, with what it came to",
    "appointments.EndedWay": "stands on the patient's page, as a number that is not used any more",
    "appointments.MergedPatient": "stands on the page of the patient who was kept",
    "appointments.FormToken": "guards one form against a double click",
    "appointments.PageUse": "counts what is pressed on a patient's page",
    "appointments.PractitionerService": "is ticked on the practitioner's page",
    "clinicbot.Tally": "counts what one address or machine asked for within an hour",
    "appointments.VisitSeries": "stands on the page of each of its visits",
    "appointments.PatientContact": "stands on the patient's page",
    "appointments.WorkingHours": "stand on the practitioner's page",
    "clinicbot.ClockOffset": "is moved by the demo's clock",
    "messaging.Conversation": "is the inbox's, and shows there whose it is and who ended it",
    "messaging.WrittenAnswer": "stands in the inbox, and as an attempt of its message",
    "messaging.MessageSubject": "stands on the message's page",
    "scheduler.QueueSample": "is drawn on the page of queues",
    "scheduler.StepClock": "is when each step last ran; health tells of it",
}
WRITTEN_BY_PEOPLE = {
    "appointments.Appointment",
    "appointments.Closure",
    "appointments.Patient",
    "appointments.Practitioner",
    "appointments.ReminderRule",
    "appointments.Room",
    "appointments.SendHours",
    "appointments.Service",
    "clinicbot.Clinic",
    "clinicbot.Membership",
    "messaging.KillSwitch",  # Thrown by its form; neither changed nor deleted.
    "messaging.SendingAccount",
    "messaging.SavedText",
    "scheduler.Queue",  # How fast it goes is a superuser's to say.
}


def label_of(value: object) -> str:
    return value._meta.label if isinstance(value, type) and issubclass(value, models.Model) else ""


@pytest.mark.parametrize("model", OURS, ids=label_of)
def test_each_model_has_a_page_or_a_reason_for_none(model: type[models.Model]) -> None:
    assert (model in admin.site._registry) != (model._meta.label in WITHOUT_A_PAGE)


@pytest.mark.django_db
@pytest.mark.parametrize("model", OURS, ids=label_of)
def test_what_people_do_not_write_is_not_written_by_hand(model: type[models.Model]) -> None:
    """A superuser is refused too; who wants it changed takes an action."""
    request = RequestFactory().get("/")
    request.user = UserFactory.create(is_superuser=True)
    page = admin.site._registry.get(model)
    may = page is not None and (
        page.has_add_permission(request) or page.has_change_permission(request) or page.has_delete_permission(request)
    )

    assert may == (model._meta.label in WRITTEN_BY_PEOPLE)


@pytest.mark.parametrize(("model", "page"), TENANT_PAGES, ids=label_of)
def test_rows_of_a_clinic_stand_on_the_tenant_base(model: type[models.Model], page: Any) -> None:
    assert isinstance(page, TenantAdmin)


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "page"), TENANT_PAGES, ids=label_of)
def test_no_filter_lists_rows_of_other_clinics(model: type[models.Model], page: Any) -> None:
    request = RequestFactory().get("/")
    request.user = UserFactory.create(is_superuser=True)

    filters = [entry[1] for entry in page.get_list_filter(request) if isinstance(entry, tuple)]

    assert not [
        one for one in filters if issubclass(one, RelatedFieldListFilter) and not issubclass(one, ScopedRelatedFilter)
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "page"), PAGES, ids=label_of)
def test_each_list_opens_and_is_searched(client: Client, clinic: Clinic, model: type[models.Model], page: Any) -> None:
    MembershipFactory.create(user__is_superuser=True, user__username="boss", clinic=clinic)
    member = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    statuses = []

    for user in (member.user, clinic.memberships.get(user__username="boss").user):
        client.force_login(user, backend="clinicbot.auth.ClinicRoleBackend")
        statuses += [client.get(url, query).status_code for query in ({}, {"q": "1"}, {"q": "a key"})]

    assert statuses[:3] in ([200] * 3, [403] * 3)
    assert statuses[3:] == [200] * 3


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "page"), PAGES, ids=label_of)
def test_no_list_asks_the_database_for_nul_or_for_numbers_that_are_none(
    client: Client, clinic: Clinic, model: type[models.Model], page: Any
) -> None:
    boss = MembershipFactory.create(user__is_superuser=True, clinic=clinic).user
    client.force_login(boss, backend="clinicbot.auth.ClinicRoleBackend")
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    filters = [str(entry[0] if isinstance(entry, tuple) else entry) for entry in page.list_filter]

    asked = [client.get(f"{url}?{name}=a%00") for name in ("q", "pk", "o", "p", *filters)]
    posted = client.post(url, {"action": "delete_selected", "_selected_action": ["a\0", "x"], "reason": "\0"})

    assert [answer.status_code for answer in asked] == [404] * len(asked)
    assert posted.status_code in (200, 302)  # 200: a list without actions.
