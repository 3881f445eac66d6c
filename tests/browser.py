"""One real browser for the whole run: a second of Playwright's loops in the same thread would not start."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

# Playwright runs a loop in this thread; the tests' own queries beside it are as synchronous as ever.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()
