"""The pages in Chromium: what they show, that axe finds nothing, at any width, light and dark, without JavaScript."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.database]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {[node['target'] for node in one['nodes'][:3]]}" for one in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_axe_finds_nothing_on_the_first_page(browser: Browser, demo: str, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(demo)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    page.close()


def test_the_first_page_works_without_javascript_and_loads_nothing_from_elsewhere(browser: Browser, demo: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(demo)
    assert page.get_by_role("heading", level=1).inner_text() == "Where each municipality stands"
    assert page.get_by_role("heading", level=2).count() == 4
    assert all(url.startswith(demo) for url in asked)
    context.close()


def test_the_first_page_shows_periods_payees_and_logins_and_no_filer(browser: Browser, demo: str) -> None:
    page = browser.new_page()
    page.goto(demo)
    text = page.locator("main").inner_text()
    assert "2026-Q2" in text
    assert "Proved: every entry is as it was sealed." in text
    assert "treasurer@" in text
    assert "Copper Kettle" not in text
    page.close()


def test_the_keyboard_reaches_the_content_first(browser: Browser, demo: str) -> None:
    page = browser.new_page()
    page.goto(demo)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.close()


def test_the_api_page_shows_the_operations_and_loads_nothing_from_elsewhere(browser: Browser, demo: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.goto(f"{demo}/api/v1/docs")
    page.locator(".opblock").first.wait_for(timeout=20_000)
    assert page.locator(".opblock").count() > 10
    assert [url for url in asked if not url.startswith((demo, "data:"))] == []
    assert failed == []
    page.close()
