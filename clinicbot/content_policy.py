"""What a page may load. The admin's theme evaluates expressions and writes styles, so it alone may."""

from __future__ import annotations

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

ADMIN_ALSO = {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}


class ContentPolicyMiddleware(CSPMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(reverse("admin:index")):
            response._csp_replace = ADMIN_ALSO  # type: ignore[attr-defined]  # noqa: SLF001
        return super().process_response(request, response)
