"""A web server on an empty database, outside pytest."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connection, connections
from django.test.runner import DiscoverRunner
from django.test.testcases import LiveServerThread
from django.test.utils import override_settings

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.settings.environment import PROJECT
from tests.migrated import migrated_database


@contextmanager
def serving() -> Iterator[str]:
    """Its address."""
    logging.disable(logging.WARNING)  # Each request is a line, and there are thousands.
    compile_catalogues(PROJECT / "locale")
    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    connection.settings_dict["TEST"]["TEMPLATE"] = migrated_database()
    databases = runner.setup_databases()
    thread = LiveServerThread("127.0.0.1", StaticFilesHandler)
    thread.daemon = True
    try:
        with override_settings(ALLOWED_HOSTS=["127.0.0.1", "testserver"]):
            thread.start()
            thread.is_ready.wait()
            if thread.error:
                raise thread.error
            yield f"http://127.0.0.1:{thread.port}"
    finally:
        thread.terminate()
        connections.close_all()
        runner.teardown_databases(databases)
        runner.teardown_test_environment()
