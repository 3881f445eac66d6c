"""From a list of the admin to a batch, and the list of batches."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_scope import active_clinic
from clinicbot.batches import draft_batch, find_act
from clinicbot.errors import NothingChosenError, TooManyChosenError
from clinicbot.models import BulkBatch


def is_of_all_pages(request: HttpRequest) -> bool:
    """Whether whoever acts means all rows that match, and not those alone that stand on the page."""
    return request.POST.get("select_across") == "1"


def start_draft(request: HttpRequest, rows: QuerySet[Any], *, act: str) -> HttpResponseRedirect | None:
    """To the page that asks for a yes. None: nothing can be drafted, and why has been said."""
    try:
        batch = draft_batch(
            rows,
            act=act,
            clinic=active_clinic(request),
            chosen_by=request.GET.urlencode() if is_of_all_pages(request) else "",
            actor=Actor.of(request),
            now=clock.now(),
        )
    except (NothingChosenError, TooManyChosenError) as error:
        messages.error(request, _("%(why)s Nothing was done.") % {"why": error})
        return None
    return HttpResponseRedirect(reverse("batch", args=[batch.pk]))


class BulkBatchAdmin(ReadOnlyAdmin[BulkBatch]):
    """A batch has a page of its own, which says how far it is."""

    list_display = ("id", "title", "who", "count", "progress", "state", "reason", "accepted_at", "finished_at")
    list_filter = ("state",)
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkBatch]:
        return super().get_queryset(request).defer("ids")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> Any:
        if self.get_object(request, object_id) is None:
            return super().change_view(request, object_id, *args, **kwargs)
        return HttpResponseRedirect(reverse("batch", args=[object_id]))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        response = super().changelist_view(request, extra_context)
        changes = (getattr(response, "context_data", None) or {}).get("cl")
        if changes is not None:
            by = {row.drafted_by for row in changes.result_list}
            people = get_user_model().objects.in_bulk(by)
            for row in changes.result_list:
                row.who = str(people.get(row.drafted_by, row.drafted_by))
        return response

    @admin.display(description=_("what"))
    def title(self, batch: BulkBatch) -> str:
        act = find_act(batch.act)
        return str(act.title) if act else batch.act

    @admin.display(description=_("by"))
    def who(self, batch: BulkBatch) -> str:
        return str(getattr(batch, "who", batch.drafted_by))

    @admin.display(description=_("carried out"))
    def progress(self, batch: BulkBatch) -> str:
        return f"{100 * batch.place // batch.count} %" if batch.count else "–"


admin.site.register(BulkBatch, BulkBatchAdmin)
