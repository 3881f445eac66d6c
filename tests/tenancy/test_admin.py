"""Every page of the admin, as each role of one clinic: nothing of another is read, found, offered, taken or changed (clinics C62)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db import models
from django.test import Client, RequestFactory
from django.urls import reverse

from clinicbot.access import work_at
from clinicbot.admin_scope import is_tenant
from clinicbot.models import Clinic, Membership, Role
from tests.factories import MembershipFactory
from tests.tenancy.world import MARK, Tenants, betrays, changed, snapshot

PAGES: list[tuple[Any, Any]] = sorted(
    ((model, page) for model, page in admin.site._registry.items() if is_tenant(model) or model is Clinic),
    key=lambda entry: str(entry[0]._meta.label),
)
ROLES = pytest.mark.parametrize("role", list(Role))


def url(model: Any, view: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=args)


def listed(client: Client, model: Any, query: dict[str, Any] | None = None) -> tuple[set[Any], str]:
    """The ids in a list, and the page. Who may not look sees nothing."""
    response = client.get(url(model, "changelist"), query or {})
    assert response.status_code in (200, 302, 403), (model, query, response.status_code)
    context = response.context
    rows = context["cl"].result_list if response.status_code == 200 and context and "cl" in context else []
    return {row.pk for row in rows}, response.content.decode()


def request_of(tenants: Tenants, role: Role) -> Any:
    member = MembershipFactory.create(clinic=tenants.own.clinic, role=role)
    request: Any = RequestFactory().get("/")
    request.user, request.clinic, request.membership = member.user, tenants.own.clinic, member
    work_at(request.user, member)
    return request


def test_the_foreign_clinic_has_a_row_for_every_page(tenants: Tenants) -> None:
    assert [model._meta.label for model, _ in PAGES if not tenants.foreign_rows(model).exists()] == []


@ROLES
def test_no_list_search_or_filter_finds_a_foreign_row(tenants: Tenants, role: Role) -> None:
    client, leaks = tenants.sign_in(role), []

    for model, page in PAGES:
        foreign = set(tenants.foreign_rows(model).values_list("pk", flat=True))
        for query in queries_of(tenants, model, page, foreign):
            found, text = listed(client, model, query)
            if (found & foreign) or (betrays(text) and MARK not in query.values()):
                leaks.append((model._meta.label, query, betrays(text)))

    assert leaks == []


def queries_of(tenants: Tenants, model: Any, page: Any, foreign: set[Any]) -> Iterator[dict[str, Any]]:
    yield {}
    yield {"q": str(min(foreign, key=str))}
    yield {"q": MARK}
    for entry in page.list_filter:
        name = str(entry[0] if isinstance(entry, tuple) else entry)
        field = model._meta.get_field(name.split("__", maxsplit=1)[0]) if not callable(entry) else None
        if field is not None and field.is_relation:
            yield {f"{name}__id__exact": tenants.foreign_id(field.related_model)}


@ROLES
def test_a_foreign_id_in_the_address_opens_and_changes_nothing(tenants: Tenants, role: Role) -> None:
    client, before, leaks = tenants.sign_in(role), snapshot(tenants.foreign.clinic), []

    for model, _page in PAGES:
        for pk in tenants.foreign_rows(model).values_list("pk", flat=True)[:3]:
            for view in ("change", "history", "delete"):
                address = url(model, view, quote(pk))
                answers = [client.get(address), client.post(address, {"post": "yes", "reason": "x", "name": "x"})]
                for answer in answers:
                    text = answer.content.decode()
                    if answer.status_code not in (302, 403, 404, 405) or betrays(text):
                        leaks.append((address, answer.status_code, betrays(text)))

    assert leaks == []
    assert changed(before, tenants.foreign.clinic) == []


@ROLES
def test_no_action_reaches_a_foreign_row(tenants: Tenants, role: Role) -> None:
    client, before, leaks = tenants.sign_in(role), snapshot(tenants.foreign.clinic), []

    for model, page in PAGES:
        names = [
            "delete_selected",
            *(action if isinstance(action, str) else action.__name__ for action in page.actions or ()),
        ]
        ids = [str(pk) for pk in tenants.foreign_rows(model).values_list("pk", flat=True)[:20]]
        for name in names:
            for everything in ("0", "1"):
                wish = {
                    "action": name,
                    "_selected_action": ids,
                    "reason": "x",
                    "post": "yes",
                    "select_across": everything,
                }
                answer = client.post(url(model, "changelist"), wish, follow=True)
                if answer.status_code >= 500 or betrays(answer.content.decode()):
                    leaks.append((model._meta.label, name, answer.status_code))

    assert leaks == []
    assert changed(before, tenants.foreign.clinic) == []


@ROLES
def test_no_choice_of_a_form_is_a_foreign_row(tenants: Tenants, role: Role) -> None:
    """Of each form and inline, to add and to change: what a field offers is what it takes."""
    request, leaks = request_of(tenants, role), []

    for model, page in PAGES:
        own: Any = models.QuerySet(model).filter(**{page.clinic_lookup: tenants.own.clinic.pk}).first()
        rows: list[Any] = [None, own]
        for row in rows:
            if not (page.has_change_permission(request, row) if row else page.has_add_permission(request)):
                continue  # No form: it is only read.
            forms = [page.get_form(request, row, change=row is not None)]
            forms += [formset.form for formset, _inline in page.get_formsets_with_inlines(request, row)]
            for form in forms:
                for name, field in form.base_fields.items():
                    offered = getattr(field, "queryset", None)
                    if offered is not None and foreign_among(tenants, offered):
                        leaks.append((model._meta.label, name))

    assert leaks == []


def foreign_among(tenants: Tenants, offered: models.QuerySet[Any]) -> bool:
    if offered.model is User:
        return offered.filter(memberships__clinic=tenants.foreign.clinic).exists()
    if is_tenant(offered.model) or offered.model is Clinic:
        foreign = tenants.foreign_rows(offered.model)
        return bool(offered.filter(pk__in=foreign.values("pk")).exists())
    return False


@ROLES
def test_autocomplete_gives_no_foreign_row(tenants: Tenants, role: Role) -> None:
    """Asked for every key of every model, whether or not a page offers it."""
    client, leaks = tenants.sign_in(role), []

    for model, _page in PAGES:
        for field in model._meta.fields:
            if field.is_relation:
                query = {
                    "app_label": model._meta.app_label,
                    "model_name": model._meta.model_name,
                    "field_name": field.name,
                }
                for term in ("", MARK):
                    answer = client.get(reverse("admin:autocomplete"), {**query, "term": term})
                    if answer.status_code not in (200, 403, 404) or betrays(answer.content.decode()):
                        leaks.append((model._meta.label, field.name, answer.status_code))

    assert leaks == []


@ROLES
def test_the_admins_other_pages_speak_of_no_other_clinic(tenants: Tenants, role: Role) -> None:
    client = tenants.sign_in(role)
    houses = sorted({model._meta.app_label for model, _ in PAGES})

    pages = [reverse("admin:index"), *(reverse("admin:app_list", args=[house]) for house in houses), reverse("queues")]
    pages += [reverse("admin:panel", args=[name]) for name in ("appointments.arriving", "scheduler.queues")]
    texts = [client.get(page).content.decode() for page in pages]

    assert [betrays(text) for text in texts] == [None] * len(pages)


@ROLES
def test_the_foreign_clinic_in_the_session_gives_nothing_there(tenants: Tenants, role: Role) -> None:
    """A role at A gives nothing at B."""
    client, before = tenants.sign_in(role, pretending=True), snapshot(tenants.foreign.clinic)

    leaks = []
    for model, _page in PAGES:
        found, text = listed(client, model)
        if betrays(text) or found & set(tenants.foreign_rows(model).values_list("pk", flat=True)):
            leaks.append(model._meta.label)
    refused = client.post(reverse("choose-clinic"), {"clinic": tenants.foreign.clinic.pk})

    assert leaks == []
    assert refused.status_code == 403
    assert changed(before, tenants.foreign.clinic) == []
    assert not Membership.objects.filter(
        clinic=tenants.foreign.clinic, user_id=client.session["_auth_user_id"]
    ).exists()
