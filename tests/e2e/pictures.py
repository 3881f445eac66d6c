"""Takes the pictures of docs/ from a running demo: python -m tests.e2e.pictures SITE PHONES FOLDER"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from appointments.demo.cast import AZAHAR, PASSWORD

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE = ViewportSize(width=1280, height=860)


def log_in(page: Page, site: str) -> None:
    page.goto(f"{site}/login/")
    page.fill("#id_username", AZAHAR.desk[0])
    page.fill("#id_password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("#day-live")
    page.wait_for_load_state()  # Before that no key is listened to.


def book(page: Page, name: str) -> None:
    """The first free time."""
    for key, lands_on in (("n", "#q"), (name, ".time"), ("1", "[data-once]")):
        page.keyboard.type(key)
        if key == name:
            page.keyboard.press("Enter")
        page.wait_for_function("selector => document.activeElement?.matches(selector)", arg=lands_on)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")


def take(page: Page, path: Path) -> None:
    page.mouse.move(2, 2)
    page.evaluate("document.fonts.ready")
    page.screenshot(path=path, animations="disabled")


def main(site: str, phones: str, folder: Path) -> None:
    """The day, the phones with an answered confirmation, and the page of its visit."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(viewport=WIDE, locale="es-ES", reduced_motion="reduce")
        desk, network = context.new_page(), context.new_page()
        log_in(desk, site)
        take(desk, folder / "today.png")
        network.goto(phones)
        for face in ("Marta", "Beatrix", "Tomás"):
            network.get_by_role("button", name=face).click()
        book(desk, "tomás")
        phone = network.get_by_role("region", name="Tomás Márquez Rueda")
        phone.get_by_role("button", name="Confirmo").click()
        desk.locator(".visit-head").get_by_text("confirmada").wait_for()
        phone.locator(".bubble").nth(2).wait_for()
        take(desk, folder / "visit.png")
        take(network, folder / "phones.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2], Path(sys.argv[3]))
