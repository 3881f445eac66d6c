"""No address of ours holds NUL, and the database cannot be asked for one."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse

from clinicbot.human_text import NUL


class NoNulMiddleware:
    """Answers that there is no such page, whoever would have read which part of the address.

    In what is posted it is for each form to say where it stands.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if NUL in request.path_info or NUL in query or "%00" in query:
            raise Http404
        return self._get_response(request)
