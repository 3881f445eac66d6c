from __future__ import annotations

from django.urls import path

from messaging.views import whatsapp_webhook

urlpatterns = [path("webhooks/whatsapp/", whatsapp_webhook, name="whatsapp-webhook")]
