from __future__ import annotations

from django.contrib import admin
from django.urls import path

from scheduler import admin_pages, batch_pages, views

urlpatterns = [
    path("tick/", views.tick, name="tick"),
    path("admin/batches/<int:batch_id>/", admin.site.admin_view(batch_pages.batch), name="batch"),
    path("admin/batches/<int:batch_id>/stop/", admin.site.admin_view(batch_pages.stop), name="batch-stop"),
    path("admin/queues/", admin.site.admin_view(admin_pages.queues), name="queues"),
    path("admin/queues/<slug:name>/pause/", admin.site.admin_view(admin_pages.pause), name="pause-queue"),
    path("admin/queues/<slug:name>/resume/", admin.site.admin_view(admin_pages.resume), name="resume-queue"),
]
