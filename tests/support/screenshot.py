"""Takes the picture in the README anew: `python -m tests.support.screenshot`."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.support.demo_process import running_demo

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "position.png"


def main() -> None:
    """Starts the demonstration in a folder of its own, and photographs its first page."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_demo(Path(folder) / "home") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 980}, color_scheme="light")
        page.goto(address)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
