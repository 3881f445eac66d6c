"""The admin shows, offers and accepts rows of the active clinic only, and never counts a big table."""

from __future__ import annotations

import re
from datetime import datetime, time
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, path, reverse

from appointments.models import Practitioner, Room, WorkingHours
from clinicbot import admin_lists
from clinicbot.admin_base import ReadOnlyAdmin, TenantAdmin, TenantTabularInline
from clinicbot.admin_site import ClinicAdminSite
from clinicbot.models import AuditEntry, Clinic, Role
from clinicbot.urls import urlpatterns as product_urls
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob
from tests.factories import ClinicFactory, MembershipFactory, UserFactory

site = ClinicAdminSite("admin")


@admin.register(Room, site=site)
class RoomAdmin(TenantAdmin[Room]):
    list_display = ("id", "name")
    search_fields = ("name",)


class HoursInline(TenantTabularInline):
    model = WorkingHours
    extra = 1


@admin.register(Practitioner, site=site)
class PractitionerAdmin(TenantAdmin[Practitioner]):
    inlines = (HoursInline,)


@admin.register(WorkingHours, site=site)
class HoursAdmin(TenantAdmin[WorkingHours]):
    list_filter = ("practitioner", "weekday")
    autocomplete_fields = ("room",)


@admin.register(ScheduledJob, site=site)
class JobAdmin(ReadOnlyAdmin[ScheduledJob]):
    list_display = ("id", "clinic_id", "kind", "state")
    search_keys = ("unique_key",)
    actions = ("retry_selected",)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "retry")

    @admin.action(description="Try again", permissions=["retry"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[ScheduledJob]) -> None:
        self.message_user(request, f"retried {sorted(queryset.values_list('pk', flat=True))}")


@admin.register(OutboxEvent, site=site)
class EventAdmin(ReadOnlyAdmin[OutboxEvent]):
    list_display = ("id", "type")


urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", site.urls),
    *(one for one in product_urls if getattr(one, "namespace", None) != "admin"),
]

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture
def own(clinic: Clinic) -> Clinic:
    return clinic


@pytest.fixture
def other(db: None) -> Clinic:
    return ClinicFactory.create()


@pytest.fixture
def at_own(client: Client, own: Clinic) -> Client:
    """The browser of the own clinic's admin."""
    member = MembershipFactory.create(clinic=own, role=Role.CLINIC_ADMIN)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def practitioner_of(clinic: Clinic, name: str) -> Practitioner:
    return Practitioner.objects.create(clinic=clinic, full_name=name, initials="X")


def job_of(clinic: Clinic, now: datetime, **wishes: Any) -> ScheduledJob:
    wishes = {"queue": "q", "kind": "test.job", "run_at": now, "created_at": now} | wishes
    return ScheduledJob.objects.create(clinic=clinic, **wishes)


def page(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(f"admin:{name}", args=args))
    assert response.status_code == 200, response.headers
    return response.content.decode()


def test_a_list_has_the_own_rows_only(at_own: Client, own: Clinic, other: Clinic) -> None:
    Room.objects.create(clinic=own, name="Own room")
    Room.objects.create(clinic=other, name="Foreign room")

    listed = page(at_own, "appointments_room_changelist")

    assert "Own room" in listed
    assert "Foreign room" not in listed


@pytest.mark.parametrize("view", ["change", "history", "delete"])
def test_the_page_of_another_clinic_s_row_does_not_exist(at_own: Client, other: Clinic, view: str) -> None:
    foreign = Room.objects.create(clinic=other, name="Foreign room")
    url = reverse(f"admin:appointments_room_{view}", args=[foreign.pk])

    for response in (at_own.get(url), at_own.post(url, {"name": "Stolen", "post": "yes"})):
        assert response.status_code == 302
        assert response["Location"] == reverse("admin:index")
    assert Room.objects.for_clinic(other).get().name == "Foreign room"


def test_an_action_does_not_reach_another_clinic_s_row(at_own: Client, own: Clinic, other: Clinic) -> None:
    mine = Room.objects.create(clinic=own, name="Own room")
    foreign = Room.objects.create(clinic=other, name="Foreign room")
    url = reverse("admin:appointments_room_changelist")

    at_own.post(url, {"action": "delete_selected", "_selected_action": [mine.pk, foreign.pk], "post": "yes"})

    assert not Room.objects.for_clinic(own).exists()
    assert Room.objects.for_clinic(other).exists()


def test_a_form_offers_rows_of_the_own_clinic_and_takes_no_others(at_own: Client, own: Clinic, other: Clinic) -> None:
    ours = practitioner_of(own, "Dr Own")
    theirs = practitioner_of(other, "Dr Foreign")
    hours = {"weekday": 0, "begins": "09:00", "ends": "10:00"}

    form = page(at_own, "appointments_workinghours_add")
    url = reverse("admin:appointments_workinghours_add")
    refused = at_own.post(url, hours | {"practitioner": theirs.pk})
    at_own.post(url, hours | {"practitioner": ours.pk})

    assert "Dr Own" in form
    assert "Dr Foreign" not in form
    assert refused.status_code == 200
    assert [row.practitioner_id for row in WorkingHours.unscoped.all()] == [ours.pk]
    assert WorkingHours.objects.for_clinic(own).get().practitioner == ours


def test_autocomplete_finds_rows_of_the_own_clinic_only(at_own: Client, own: Clinic, other: Clinic) -> None:
    for clinic in (own, other):
        Room.objects.create(clinic=clinic, name=f"Room of {clinic.slug}")
    asked = {"app_label": "appointments", "model_name": "workinghours", "field_name": "room", "term": "Room"}

    found = at_own.get(reverse("admin:autocomplete"), asked).json()

    assert [row["text"] for row in found["results"]] == [f"Room of {own.slug}"]


def test_a_filter_lists_rows_of_the_own_clinic_only(at_own: Client, own: Clinic, other: Clinic) -> None:
    for clinic, name in ((own, "Dr Own"), (own, "Dr Second"), (other, "Dr Foreign")):
        WorkingHours.objects.create(
            clinic=clinic, practitioner=practitioner_of(clinic, name), weekday=0, begins=time(9), ends=time(10)
        )

    listed = page(at_own, "appointments_workinghours_changelist")

    assert "Dr Own" in listed
    assert "Dr Second" in listed
    assert "Dr Foreign" not in listed


def test_filtering_by_another_clinic_s_row_shows_nothing_of_it(at_own: Client, other: Clinic) -> None:
    theirs = practitioner_of(other, "Dr Foreign")
    WorkingHours.objects.create(clinic=other, practitioner=theirs, weekday=0, begins=time(9), ends=time(10))

    url = reverse("admin:appointments_workinghours_changelist")
    response = at_own.get(url, {"practitioner__id__exact": theirs.pk})

    assert list(response.context["cl"].result_list) == []
    assert "Dr Foreign" not in response.content.decode()


def test_a_new_row_belongs_to_the_active_clinic(at_own: Client, own: Clinic, other: Clinic) -> None:
    at_own.post(reverse("admin:appointments_room_add"), {"name": "Blue", "is_active": "on", "clinic": other.pk})

    assert Room.unscoped.get().clinic == own


def test_a_name_taken_at_this_clinic_is_an_error_of_the_form(at_own: Client, own: Clinic, other: Clinic) -> None:
    Room.objects.create(clinic=other, name="Blue")
    url = reverse("admin:appointments_room_add")

    first = at_own.post(url, {"name": "Blue"})
    second = at_own.post(url, {"name": "Blue"})

    assert (first.status_code, second.status_code) == (302, 200)
    assert Room.objects.for_clinic(own).count() == 1


def test_rows_of_an_inline_get_the_clinic_and_the_history_no_names(at_own: Client, own: Clinic) -> None:
    at_own.post(
        reverse("admin:appointments_practitioner_add"),
        {
            "full_name": "Dr Secret Name",
            "initials": "SN",
            "hue": 1,
            "is_active": "on",
            "hours-TOTAL_FORMS": 1,
            "hours-INITIAL_FORMS": 0,
            "hours-0-weekday": 2,
            "hours-0-begins": "09:00",
            "hours-0-ends": "12:00",
        },
    )

    practitioner = Practitioner.objects.for_clinic(own).get()
    hours = WorkingHours.objects.for_clinic(own).get()
    entry = LogEntry.objects.get()
    audit = AuditEntry.objects.get()
    assert hours.practitioner == practitioner
    assert entry.object_repr == f"practitioner {practitioner.pk}"
    assert (audit.clinic, audit.action, audit.subject_id) == (own, "added", str(practitioner.pk))
    assert "Secret" not in entry.change_message + str(audit.detail)
    assert f'"object": "{hours.pk}"' in entry.change_message


def test_a_superuser_sees_the_chosen_clinic_or_all_and_adds_only_where_one_is_chosen(
    client: Client, own: Clinic, other: Clinic
) -> None:
    for clinic in (own, other):
        Room.objects.create(clinic=clinic, name=f"Room of {clinic.slug}")
    client.force_login(UserFactory.create(is_superuser=True), backend="clinicbot.auth.ClinicRoleBackend")
    add = reverse("admin:appointments_room_add")

    everywhere = page(client, "appointments_room_changelist")
    add_everywhere = client.get(add).status_code
    client.post(reverse("choose-clinic"), {"clinic": own.pk})
    here = page(client, "appointments_room_changelist")

    assert own.slug in everywhere
    assert other.slug in everywhere
    assert add_everywhere == 403
    assert f"Room of {other.slug}" not in here
    assert client.get(add).status_code == 200


def test_a_superuser_who_chose_no_clinic_is_offered_the_choices_of_the_row_s_clinic(
    client: Client, own: Clinic, other: Clinic
) -> None:
    ours = practitioner_of(own, "Dr Own")
    practitioner_of(other, "Dr Foreign")
    hours = WorkingHours.objects.create(clinic=own, practitioner=ours, weekday=0, begins=time(9), ends=time(10))
    client.force_login(UserFactory.create(is_superuser=True), backend="clinicbot.auth.ClinicRoleBackend")

    form = page(client, "appointments_workinghours_change", hours.pk)

    assert "Dr Own" in form
    assert "Dr Foreign" not in form


def test_strangers_and_people_without_a_clinic_do_not_get_in(client: Client) -> None:
    index = reverse("admin:index")

    stranger = client.get(client.get(index)["Location"])
    client.force_login(UserFactory.create(is_staff=True), backend="clinicbot.auth.ClinicRoleBackend")

    assert stranger["Location"] == "/login/?next=/admin/"
    assert client.get(index, follow=False).status_code == 302
    assert client.get(reverse("admin:login"))["Location"] == "/clinic/?next=%2Fadmin%2F"


@pytest.mark.parametrize("view", ["add", "change", "delete"])
def test_what_machines_write_is_only_read(at_own: Client, own: Clinic, now: datetime, view: str) -> None:
    job = job_of(own, now)
    url = reverse(f"admin:scheduler_scheduledjob_{view}", args=[] if view == "add" else [job.pk])

    assert at_own.post(url, {"state": "dead", "post": "yes"}).status_code == 403
    assert ScheduledJob.objects.for_clinic(own).get().state == "queued"


def test_what_machines_write_has_a_readable_page(at_own: Client, own: Clinic, now: datetime) -> None:
    job = job_of(own, now, last_error="TransientError")

    text = page(at_own, "scheduler_scheduledjob_change", job.pk)

    assert "TransientError" in text
    assert 'name="last_error"' not in text


def test_an_action_needs_a_permission_of_its_own(client: Client, own: Clinic, now: datetime) -> None:
    job = job_of(own, now)
    desk = MembershipFactory.create(clinic=own, role=Role.CLINIC_ADMIN)
    client.force_login(desk.user, backend="clinicbot.auth.ClinicRoleBackend")
    url = reverse("admin:scheduler_scheduledjob_changelist")
    act = {"action": "retry_selected", "_selected_action": [job.pk]}

    allowed = client.post(url, act, follow=True).content.decode()
    retry = Permission.objects.get(codename="retry_scheduledjob")
    retry.group_set.clear()
    refused = client.post(url, act, follow=True).content.decode()

    assert f"retried [{job.pk}]" in allowed
    assert "retried" not in refused


def listed_ids(client: Client, name: str, term: str) -> list[str]:
    response = client.get(reverse(f"admin:{name}_changelist"), {"q": term})
    return [str(row.pk) for row in response.context["cl"].result_list]


def test_search_finds_by_number_and_by_exact_key(at_own: Client, own: Clinic, other: Clinic, now: datetime) -> None:
    job = job_of(own, now, unique_key="reminder:7")
    foreign = job_of(other, now, unique_key="reminder:7")
    find = "scheduler_scheduledjob"

    assert listed_ids(at_own, find, str(job.pk)) == [str(job.pk)]
    assert listed_ids(at_own, find, " reminder:7 ") == [str(job.pk)]
    assert listed_ids(at_own, find, "REMINDER:7") == []
    assert listed_ids(at_own, find, str(foreign.pk)) == []
    assert listed_ids(at_own, find, "9" * 30) == []
    assert listed_ids(at_own, find, "²") == []


def test_search_finds_by_uuid_where_ids_are_uuids(at_own: Client, own: Clinic, now: datetime) -> None:
    uuid = "0197a1b2-0000-7abc-8def-0123456789ab"
    OutboxEvent.objects.create(
        clinic=own, id=uuid, aggregate_type="a", aggregate_id="1", type="t", payload={}, occurred_at=now
    )

    assert listed_ids(at_own, "outbox_outboxevent", uuid.upper()) == [uuid]
    assert listed_ids(at_own, "outbox_outboxevent", "1") == []


def test_a_search_compares_columns_as_they_are(at_own: Client, own: Clinic, now: datetime) -> None:
    job_of(own, now, unique_key="k")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        listed_ids(at_own, "scheduler_scheduledjob", "k")
        listed_ids(at_own, "scheduler_scheduledjob", "1")

    searched = [query["sql"] for query in queries if 'FROM "scheduler_scheduledjob"' in query["sql"]]
    assert searched
    assert not [sql for sql in searched if "UPPER(" in sql or '"id"::' in sql]


def test_a_long_list_is_not_counted_to_its_end(
    at_own: Client, own: Clinic, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_lists, "COUNTED_UP_TO", 60)
    for number in range(70):
        job_of(own, now, unique_key=str(number))

    with CaptureQueriesContext(connection) as queries:
        listed = page(at_own, "scheduler_scheduledjob_changelist")

    counts = [
        query["sql"] for query in queries if "COUNT(" in query["sql"] and "scheduler_scheduledjob" in query["sql"]
    ]
    assert counts
    assert all("LIMIT 61" in sql for sql in counts)
    assert "60+" in listed


def test_a_column_of_numbers_bears_the_title_of_what_they_name_in_the_readers_language(
    at_own: Client, own: Clinic, now: datetime
) -> None:
    job = job_of(own, now)
    at_own.cookies["django_language"] = "es"

    text = page(at_own, "scheduler_scheduledjob_changelist")

    assert re.search(r">\s*Clínica\s*<", text)
    assert "Clinic id" not in text
    assert f"tarea {job.pk}" in page(at_own, "scheduler_scheduledjob_change", job.pk)
