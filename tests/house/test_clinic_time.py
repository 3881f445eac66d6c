"""Times become text for people in one module (clinics C03); everything else may only write what machines read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.sources import PROJECT, Source, calls, house_sources, imported_modules, last_name

THE_PLACE = "clinicbot/clinic_time.py"

# What is written there is a key, a wire format, a log's stamp or a form's value, and read by machines alone.
FOR_MACHINES = {
    "appointments/admin/hours_forms.py": "what a link to the wizard carries",
    "appointments/chat_actions.py": "what a button carries",
    "appointments/demo/phones.py": "JSON between the demo's processes",
    "appointments/job_args.py": "unique keys of jobs",
    "appointments/queries/offers.py": "what a chosen time is sent as",
    "appointments/queries/bringing/judged.py": "idempotency keys",
    "appointments/queries/bringing/looks.py": "a look as JSON",
    "appointments/usecases/bringing/running.py": "what the record of an import says of its day",
    "appointments/queries/exports.py": "columns that an import reads",
    "appointments/views/exports.py": "what the record of an export says of its days",
    "appointments/usecases/deeds.py": "idempotency keys",
    "appointments/usecases/tapping.py": "parameters of an answer",
    "clinicbot/bulk.py": "values on their way to the database",
    "clinicbot/demo_clock.py": "JSON between the demo's processes",
    "clinicbot/logs.py": "the stamp of a log line",
    "clinicbot/plain.py": "events and arguments as JSON",
    "messaging/usecases/parking.py": "a receipt as JSON",
    "messaging/usecases/template_jobs.py": "unique keys of jobs",
    "scheduler/usecases/enqueueing.py": "rows as JSON",
    "scheduler/usecases/finishing.py": "rows as JSON",
    "scheduler/usecases/occurrences.py": "the name of an occurrence",
}
FORMATTERS = re.compile(
    r"babel\.dates|django\.utils\.(dateformat|timesince|formats\.(date_format|time_format|localize))|django\.contrib\.humanize"
)
FILTERS = re.compile(
    r"\|\s*(date|time|timesince|timeuntil|naturaltime|naturalday|localtime|utc|timezone|strftime)\b|{%\s*(now|localtime|timezone)\b"
    r"|\.strftime\b|\.ctime\b"
)


def written_times(source: Source) -> Iterator[str]:
    """`strftime`, `isoformat`, `ctime`, and `{day:%d}` in f-strings."""
    for call in calls(source):
        if last_name(call) in {"strftime", "isoformat", "ctime"}:
            yield source.at(call)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec and re.search("%[a-zA-Z-]", ast.unparse(node)):
            yield source.at(node)


def test_only_one_module_says_times_to_people() -> None:
    found = [
        place
        for source in house_sources()
        if source.name != THE_PLACE and source.name not in FOR_MACHINES
        for place in written_times(source)
    ]

    assert found == []


def test_only_that_module_knows_how_languages_write_dates() -> None:
    found = [
        source.at(node)
        for source in house_sources()
        if source.name != THE_PLACE
        for node, module in imported_modules(source)
        if FORMATTERS.match(module)
    ]

    assert found == []


def test_no_template_formats_a_time_but_by_its_filters() -> None:
    templates = sorted((PROJECT / "templates").rglob("*.html"))
    found = [
        f"{path.relative_to(PROJECT)}: {match[0]}"
        for path in templates
        for match in FILTERS.finditer(path.read_text(encoding="utf-8"))
    ]

    assert len(templates) > 30
    assert found == []


@pytest.mark.parametrize("line", ['{{ a|date:"c" }}', "{{ a | time }}", "{% now 'Y' %}", "{{ b|timesince:a }}"])
def test_the_look_at_templates_finds_what_it_looks_for(line: str) -> None:
    assert FILTERS.search(line)
    assert not FILTERS.search(
        "{{ a|short_date:clinic }}, {{ a|clock_time:clinic }} {{ day.isoformat }} {% translate 'now' %}"
    )
