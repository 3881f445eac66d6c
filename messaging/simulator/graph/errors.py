"""A refusal in Meta's form, for an answer and for a `failed` status."""

from __future__ import annotations

from typing import Any

from messaging.simulator.graph.codes import HREF, code_of
from messaging.simulator.ids import new_trace_id


class GraphError(Exception):
    """Answered at once. `details` is for humans."""

    def __init__(
        self, code: int, details: str = "", *, subcode: int | None = None, http: int | None = None, user_title: str = ""
    ) -> None:
        super().__init__(code)
        self.code = code
        self.details = details
        self.subcode = subcode
        self.http = http or code_of(code).http
        self.user_title = user_title

    def body(self) -> dict[str, Any]:
        title = code_of(self.code).title
        error: dict[str, Any] = {"message": f"(#{self.code}) {title}", "type": "OAuthException", "code": self.code}
        if self.details:
            error["error_data"] = {"messaging_product": "whatsapp", "details": self.details}
        if self.subcode is not None:
            error["error_subcode"] = self.subcode
        if self.code in (2, 131016, 133004):
            error["is_transient"] = True
        if self.user_title:
            error["error_user_title"] = self.user_title
            error["error_user_msg"] = self.details
        return {"error": {**error, "fbtrace_id": new_trace_id()}}


def error_in_a_status(code: int) -> dict[str, Any]:
    """One item of `statuses[].errors`."""
    title = code_of(code).title
    details = DETAILS.get(code, title)
    return {"code": code, "title": title, "message": title, "error_data": {"details": details}, "href": HREF}


DETAILS = {
    131026: "Message undeliverable.",
    131042: "Message failed to send because there were one or more errors related to your payment method.",
    131047: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
    131049: "This message was not delivered to maintain healthy ecosystem engagement.",
    131050: "The recipient has chosen to stop receiving marketing messages from this business.",
    132015: "The template was paused before this message could be sent.",
}
