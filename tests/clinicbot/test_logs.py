"""How a log line looks, and what Django's own lines must not say."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client, RequestFactory

from clinicbot.error_reports import CodeOnlyReporter
from clinicbot.errors import ClockNotMovableError
from clinicbot.logs import JsonLines, RoutesNotPaths


def line_of(message: str, *args: object, error: BaseException | None = None, **extra: object) -> dict[str, Any]:
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logging.getLogger("t").makeRecord("t", logging.INFO, __file__, 1, message, args, exc_info, extra=extra)
    RoutesNotPaths().filter(record)
    text = JsonLines().format(record)
    assert "\n" not in text
    line: dict[str, Any] = json.loads(text)
    return line


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything the root logger would have written while the test ran."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    handler.addFilter(RoutesNotPaths())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def test_a_line_is_a_sentence_and_its_ids() -> None:
    line = line_of("Job gave up.", job_id=12, kind="appointments.send_reminder")

    assert (line["message"], line["level"], line["logger"]) == ("Job gave up.", "INFO", "t")
    assert (line["job_id"], line["kind"]) == (12, "appointments.send_reminder")


def test_a_number_that_slipped_in_is_taken_out() -> None:
    line = line_of("Sent to %s.", "+34600111222", to="ana@example.org")

    assert (line["message"], line["to"]) == ("Sent to [phone].", "[email]")


def test_our_own_error_keeps_its_words_and_its_code() -> None:
    line = line_of("Step failed.", error=raised(ClockNotMovableError()))

    assert line["code"] == "clock_not_movable"
    assert line["error_text"] == "Only the demo may move the clock, and only forwards."


def test_another_s_error_keeps_its_name_and_place_only() -> None:
    line = line_of("Step failed.", error=raised(IntegrityError("DETAIL: Key (name)=(Ana Pérez) already exists.")))

    assert line["error"] == "IntegrityError"
    assert "test_logs.py" in line["stack"][-1]
    assert "Ana" not in json.dumps(line, ensure_ascii=False)


def test_a_missing_page_is_logged_without_its_path(client: Client, written: io.StringIO) -> None:
    client.get("/nowhere/secret-token-of-a-patient/")

    assert "Not Found: (no route)" in written.getvalue()
    assert "secret-token" not in written.getvalue()


def test_a_refused_host_is_logged_without_path_or_query(client: Client, written: io.StringIO) -> None:
    client.get("/visit/secret-token/?phone=34600111222", headers={"host": "evil.example.org"})

    assert "DisallowedHost" in written.getvalue()
    assert "secret-token" not in written.getvalue()
    assert "34600111222" not in written.getvalue()


def test_an_error_report_without_debug_has_lines_of_code_and_no_data() -> None:
    request = RequestFactory().post("/visit/secret-token/", {"name": "Ana Pérez"})
    error = raised(ValueError("Ana Pérez"))

    reporter = CodeOnlyReporter(request, type(error), error, error.__traceback__)

    for report in (reporter.get_traceback_text(), reporter.get_traceback_html()):
        assert "ValueError" in report
        assert "test_logs.py" in report
        assert "Ana" not in report
        assert "secret-token" not in report
