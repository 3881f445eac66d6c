"""What holds for every page of the admin, whichever house it comes from."""

from __future__ import annotations

from typing import Any

import pytest
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


def label_of(value: object) -> str:
    return value._meta.label if isinstance(value, type) and issubclass(value, models.Model) else ""


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
