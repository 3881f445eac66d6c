"""The door that providers knock at. It checks who calls, keeps what they say, and answers; others do the work."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from clinicbot.bridging import Bridge
from clinicbot.database_down import is_database_down
from messaging import conf
from messaging.channels.whatsapp.webhook.authenticity import is_our_token, is_signed
from messaging.channels.whatsapp.webhook.envelope import take_apart
from messaging.errors import GarbledWebhookError
from messaging.usecases.calls import Call, begin_call, note_refusal
from messaging.usecases.receiving import Stored, store_call

logger = logging.getLogger(__name__)

SIGNATURE_HEADER = "X-Hub-Signature-256"


@csrf_exempt
@login_not_required
@transaction.non_atomic_requests
@require_http_methods(["GET", "POST"])
def whatsapp_webhook(request: HttpRequest) -> HttpResponse:
    """Meta's webhook for all clinics: GET is its handshake, POST brings messages, receipts and news."""
    return _handshake(request) if request.method == "GET" else _receive(request)


def _handshake(request: HttpRequest) -> HttpResponse:
    """https://developers.facebook.com/docs/graph-api/webhooks/getting-started: Meta signs no GET."""
    token = request.GET.get("hub.verify_token", "")
    if request.GET.get("hub.mode") != "subscribe" or not is_our_token(
        token, verify_token=settings.WHATSAPP_VERIFY_TOKEN
    ):
        return _plain("The verify token is not ours.", status=403)
    return _plain(request.GET.get("hub.challenge", ""))


def _receive(request: HttpRequest) -> HttpResponse:
    try:
        body = request.body
    except RequestDataTooBig:  # Over DATA_UPLOAD_MAX_MEMORY_SIZE.
        return _plain("The body is larger than we read.", status=413)
    header = request.headers.get(SIGNATURE_HEADER, "")
    if not is_signed(body, header=header, app_secret=settings.WHATSAPP_APP_SECRET):
        logger.warning("A webhook without a valid signature was refused.")
        return _plain("The signature is missing or wrong.", status=401)
    return _receive_signed(body)


def _receive_signed(body: bytes) -> HttpResponse:
    """From here on it is Meta's, and what we do not answer with 200 comes again for days, and counts against us."""
    call = Call.with_body(body)
    try:
        stored = _store(body, call=call)
    except GarbledWebhookError as error:
        note_refusal(call, status=400)
        logger.warning("A signed webhook was no JSON envelope.")
        return _plain(str(error), status=400)
    except Exception as error:  # Whatever it was, Meta got no 200; the error itself goes its usual way.
        note_refusal(call, status=503 if is_database_down(error) else 500)
        raise
    if stored.parked:
        logger.warning("Webhook items of an unknown account were kept.", extra={"items": stored.parked})
    return _plain("ok")


def _store(body: bytes, *, call: Call) -> Stored:
    """The one place besides the tick's loop that waits: a receipt turned back while the database restarts would leave every
    message in doubt to a person, and no tick can make good what Meta keeps to itself until it calls again.
    """
    bridge = Bridge(seconds=conf.webhook_patience_seconds())
    reading = bridge.over(lambda: begin_call(call))
    items = take_apart(body)
    return bridge.over(lambda: store_call(items, call=call, now=reading.now, real=reading.real))


def _plain(text: str, *, status: int = 200) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
