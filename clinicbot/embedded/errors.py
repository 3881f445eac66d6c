from __future__ import annotations


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot serve. The message is one line: what is wrong and what to do."""
