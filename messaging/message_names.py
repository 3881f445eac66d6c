"""Names of this house's own message kinds. Frozen once released."""

from __future__ import annotations

OPT_OUT_CONFIRMATION = "messaging.opt_out_confirmation"
OPT_IN_CONFIRMATION = "messaging.opt_in_confirmation"
STAFF_INVITATION = "messaging.staff_invitation"
PASSWORD_LETTER = "messaging.password_letter"
MESSAGES_OFF = "messaging.messages_off"
WRITTEN_ANSWER = "messaging.written_answer"
