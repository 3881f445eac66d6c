from __future__ import annotations

from django.urls import path

from messaging.admin_pages import templates, texts
from messaging.views import whatsapp_webhook

SETTINGS = "admin/settings"
TEXT = f"{SETTINGS}/texts/<slug:text_name>/<slug:language>"

urlpatterns = [
    path("webhooks/whatsapp/", whatsapp_webhook, name="whatsapp-webhook"),
    path(f"{SETTINGS}/texts/", texts.texts, name="settings-texts"),
    path(f"{TEXT}/", texts.text, name="settings-text"),
    path(f"{TEXT}/look/", texts.look, name="settings-text-look"),
    path(f"{TEXT}/reset/", texts.reset, name="settings-text-reset"),
    path(f"{TEXT}/undo/", texts.undo, name="settings-text-undo"),
    path(f"{SETTINGS}/templates/", templates.templates, name="settings-templates"),
    path(f"{SETTINGS}/templates/<int:template_id>/submit/", templates.submit, name="settings-template-submit"),
    path(f"{SETTINGS}/templates/<int:template_id>/resume/", templates.resume, name="settings-template-resume"),
    path(f"{SETTINGS}/numbers/<int:account_id>/look/", templates.look_now, name="settings-templates-look"),
]
